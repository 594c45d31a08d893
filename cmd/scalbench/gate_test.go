package main

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/scalws/scalbench/driver"
	"github.com/scalws/scalbench/gate"
	"github.com/scalws/scalbench/internal/record"
)

// A gate's verdict becomes an exit code: of several that apply the first of 2, 1, 5, 3,
// 4 counts.
func TestGateExitCodes(t *testing.T) {
	verdict := func(v gate.Verdict) error { return verdictError{v, "Worst: x."} }
	cut := brokenEvidence{record.Fault{File: "summary.csv", Line: 3, Text: "it was cut"}}
	for _, tt := range []struct {
		name string
		err  error
		want int
	}{
		{"BORDERLINE", verdict(gate.Borderline), 4},
		{"INCONCLUSIVE", verdict(gate.Inconclusive), 4},
		{"NOT RUN", verdict(gate.NotRun), 4},
		{"FAIL", verdict(gate.Fail), 3},
		{"INVALID", verdict(gate.Invalid), 5},
		{"broken evidence", cut, 5},
		{"broken evidence of two files", errors.Join(cut, cut), 5},
		{"broken evidence beside a directory that is not there", errors.Join(cut, fs.ErrNotExist), 1},
		{"broken evidence beside wrong usage", errors.Join(cut, usagef("x")), 2},
		{"FAIL, and no verdict elsewhere", errors.Join(verdict(gate.Inconclusive), verdict(gate.Fail)), 3},
		{"a sweep of two suites: one FAIL, one refused", errors.Join(&driver.RefusedError{Reasons: []string{"x"}}, verdict(gate.Fail)), 7},
		{"a sweep: measurements that stay invalid, and a FAIL", errors.Join(errInvalidRows, verdict(gate.Fail)), 5},
		{"a sweep: out of time, and a FAIL of what there is", errors.Join(hintedError{errUnfinished, "x"}, verdict(gate.Fail)), 3},
		{"faults of a file that a person wrote", usageError{record.Faults{{File: "rulings.yaml", Line: 1, Text: "no by"}}}, 2},
	} {
		if got := exitCode(tt.err, nil); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
	if have, want := verdict(gate.Fail).Error(), "gate: FAIL: x"; have != want {
		t.Errorf("%q, want %q", have, want)
	}
}

func TestParseShare(t *testing.T) {
	for text, want := range map[string]float64{"1%": 0.01, "0.5 %": 0.005, "0.02": 0.02, "0": 0, "99.9%": 0.999} {
		if have, err := parseShare(text); err != nil || have-want > 1e-15 || want-have > 1e-15 {
			t.Errorf("%q: %v, %v", text, have, err)
		}
	}
	for _, text := range []string{"", "5", "100%", "-1%", "NaN", "one", "1%%", "Inf"} {
		if have, err := parseShare(text); err == nil {
			t.Errorf("%q is %v", text, have)
		}
	}
}

// Seconds are taken where windows are seconds, and else not.
func TestSecondsOf(t *testing.T) {
	for text, want := range map[string]int{
		`"windows": [{"t_s": 0, "ok": 5}, {"t_s": 1, "ok": 6}]`:   2,
		`"windows": [{"t_s": 0, "ok": 5}, {"t_s": 0.1, "ok": 6}]`: 0,
		`"windows": [{"t_s": 0, "ok": 5}, {"t_s": 2, "ok": 6}]`:   0,
		`"windows": null`:                 0,
		`"version": "1.2", "windows": []`: 0,
	} {
		if have, err := secondsOf("r", []byte(`{"schema": "scalbench.load/v1", `+text+`}`)); err != nil || len(have) != want {
			t.Errorf("%s: %v, %v", text, have, err)
		}
	}
}

// What is no result, and numbers that nobody can have measured, are told with their line.
func TestSecondsOfFaults(t *testing.T) {
	const head = "{\n\"schema\": \"scalbench.load/v1\",\n\"windows\": [\n{\"t_s\": 0, \"ok\": 5},\n"
	for text, want := range map[string]string{
		`{"windows": [`:                       "r:1: no result of scalbench load: unexpected end of JSON input",
		``:                                    "r:1: no result of scalbench load: unexpected end of JSON input",
		`{}`:                                  `r:1: no result of scalbench load: schema "", expected "scalbench.load/v1"`,
		"\n{\"schema\": \"scalbench.ab/v1\"}": `r:2: no result of scalbench load: schema "scalbench.ab/v1", expected "scalbench.load/v1"`,
		head + `{"t_s": 1, "ok": -3}]}`:       "r:5: no result of scalbench load: windows.ok: number -3 is not what it should be",
		head + `{"t_s": 1, "ok": 1.5}]}`:      "r:5: no result of scalbench load: windows.ok: number 1.5 is not what it should be",
		head + `{"t_s": 1}]}`:                 "r:5: window 2: no t_s or no ok",
		head + `null]}`:                       "r:5: window 2: no t_s or no ok",
		head + `{"t_s": 0, "ok": 5}]}`:        "r:5: window 2: t_s 0, want windows in the order of time, from 0 on",
		head + `{"t_s": "1", "ok": 5}]}`:      "r:5: no result of scalbench load: windows.t_s: string is not what it should be",
		head + `{"t_s": 1, "ok": 5}]` + "\n} true": "r:6: no result of scalbench load: invalid character 't' after top-level value",
	} {
		_, err := secondsOf("r", []byte(text))
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func TestNamePattern(t *testing.T) {
	for _, tt := range []struct {
		pattern, file string
		want          place
	}{
		{"{variant}-{scenario}-{run}.json", "old/a-static-small-12.json", place{1, 12, "a", "", "static-small"}},
		{"{variant}/{scenario}-{run}.json", "old/rc1-11/static-3.json", place{1, 3, "rc1-11", "", "static"}},
		{"round-{round}/{mode}/{variant}/{run}/{scenario}.json", "round-2/multi/a/4/php.json", place{2, 4, "a", "multi", "php"}},
		{"{scenario}.json", "/x/php.json", place{1, 1, "v", "", "php"}},
	} {
		names, err := parseNames(tt.pattern)
		if err != nil {
			t.Fatal(err)
		}
		have, err := names.placeOf(tt.file, place{round: 1, run: 1, variant: "v"})
		if err != nil || have != tt.want {
			t.Errorf("%s: %+v, %v, want %+v", tt.file, have, err, tt.want)
		}
	}
	for _, pattern := range []string{"{variant", "{run}-{run}", "{}"} {
		if _, err := parseNames(pattern); err == nil {
			t.Errorf("%s is a pattern", pattern)
		}
	}
	names, err := parseNames("{run}.json")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := names.placeOf("99999999999999999999999.json", place{round: 1, variant: "v", scenario: "s"}); err == nil {
		t.Error("a number beyond all numbers is a run")
	}
}

func TestScaleOf(t *testing.T) {
	for _, tt := range []struct {
		theirs, ours string
		want         float64
	}{{"s", "ms", 1000}, {"us", "ms", 0.001}, {"MiB", "KiB", 1024}, {"MB", "KiB", 1e6 / 1024}, {"%", "1", 0.01}, {"k/s", "/s", 1000}, {"s", "KiB", 0}, {"x", "ms", 0}, {"s", "", 0}} {
		if have, _ := scaleOf(tt.theirs, tt.ours); have != tt.want {
			t.Errorf("%s in %s: %v, want %v", tt.theirs, tt.ours, have, tt.want)
		}
	}
}
