package main

import (
	"strings"
	"testing"
)

// interval is a ratio with its bounds.
func interval(estimate, lo, hi float64) *ratio { return &ratio{estimate, &lo, &hi} }

func TestTableOfLosses(t *testing.T) {
	all := []outcome{
		{Loss: 0.02, Margin: 0.01, Verdict: "slower", ElapsedS: 9, RPS: interval(0.979, 0.97, 0.985), CPU: interval(1.0204, 1.01, 1.03)},
		{Loss: 0.02, Margin: 0.01, Verdict: "slower", ElapsedS: 7, RPS: interval(0.985, 0.982, 0.99), CPU: interval(1.02, 1.0, 1.0203)},
		{Loss: 0.02, Margin: 0.01, Verdict: "same", ElapsedS: 30, RPS: interval(0.995, 0.991, 0.999)},
		{Loss: 0.02, Margin: 0.01, Verdict: "error", Error: "a server was lost"},
		{Loss: 0.005, Margin: 0.0025, Verdict: "cannot_tell", ElapsedS: 180, RPS: &ratio{Estimate: 0.997}},
	}
	// Half of four tries are two, by 9 s; 19 of 20 of four are all four, which are not called.
	// The truths are 0.98, in the first interval alone, and 1/0.98 = 1.02041, likewise.
	want := []string{
		"| 0.5 % | 0.25 % | 1 | 0 | 0 | 0 | 1 | 0 | –, – | – | -0.30 % (-0.30 % to -0.30 %) | 0 of 0 | – | 0 of 0 |",
		"| 2.0 % | 1.00 % | 4 | 2 | 1 | 0 | 0 | 1 | 9 s, – | 9 s | -1.50 % (-2.10 % to -0.50 %) | 1 of 3 | +2.02 % (+2.00 % to +2.04 %) | 1 of 2 |",
	}
	lines := strings.Split(strings.TrimSpace(tableOfLosses(all)), "\n")
	if len(lines) != 4 || lines[2] != want[0] || lines[3] != want[1] {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(lines[2:], "\n"), strings.Join(want, "\n"))
	}
}

func TestTableOfEqual(t *testing.T) {
	var all []outcome
	for i := range 20 {
		all = append(all, outcome{Verdict: "same", ElapsedS: float64(10 + i), RPS: interval(1, 0.995, 1.005)})
	}
	all[3].Verdict = "faster" // at 13 s
	// Of 20 tries the tenth of those that are the same is at 20 s, and the nineteenth at 29.
	want := "| 20 | 1 | 19 | 0 | 0 | 20 s, 29 s | 20 of 20 | 0 of 0 |"
	if got := tableOfEqual(all); !strings.Contains(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestTableOfSlices(t *testing.T) {
	all := []outcome{
		{SliceMS: 50, Verdict: "cannot_tell", Pairs: 200, RPS: interval(1, 0.990099, 1.01)}, // half of ln(1.01²) is 0.995 %
		{SliceMS: 20, Verdict: "slower", Pairs: 480, RPS: interval(1, 0.980392, 1.02)},      // ln 1.02 is 1.980 %
	}
	got := tableOfSlices(all)
	for _, want := range []string{"| 20 ms | 1 | 480 | 1.98 % (1.98 % to 1.98 %) | – | 1 | 0 |", "| 50 ms | 1 | 200 | 1.00 % (1.00 % to 1.00 %) | – | 0 | 0 |"} {
		if !strings.Contains(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestTableOfSessions(t *testing.T) {
	all := []outcome{
		{Loss: 0.05, Verdict: "FAIL", ElapsedS: 60, RPS: &ratio{Estimate: 0.951}},
		{Loss: 0.05, Verdict: "PASS", ElapsedS: 64, RPS: &ratio{Estimate: 0.963}},
		{Loss: 0.05, Verdict: "INVALID", ElapsedS: 62},
	}
	want := "| 5.0 % | 3 | 1 | 0 | 1 | 1 | -4.30 % (-4.90 % to -3.70 %) | 62 s |"
	if got := tableOfSessions(all); !strings.Contains(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestReadGate(t *testing.T) {
	var o outcome
	if err := readGate([]byte(`{"tables":[{"rows":[{"verdict":"FAIL","ratio":0.95}]}]}`), &o); err != nil || o.Verdict != "FAIL" || o.RPS.Estimate != 0.95 {
		t.Errorf("%+v, %v", o, err)
	}
	if err := readGate([]byte(`{"tables":[]}`), &o); err == nil {
		t.Error("a gate without a row was taken")
	}
}

func TestFaultsOfFlags(t *testing.T) {
	var said strings.Builder
	_, err := parse([]string{"-only", "aa,bb", "-tries", "0", "-losses", "2,x", "-scalbench", "nowhere", "more"}, &said)
	if err == nil {
		t.Fatal("taken")
	}
	for _, want := range []string{`"bb"`, "-tries 0", `"x"`, "nowhere", `"more"`} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q lacks %s", err, want)
		}
	}
}
