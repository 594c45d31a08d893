package record

import (
	"bytes"
	"encoding/csv"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// summaryText is a file of the given measurements.
func summaryText(t *testing.T, measurements ...Measurement) string {
	t.Helper()
	var out strings.Builder
	if err := WriteSummary(&out, measurements); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestSummaryRoundTrip(t *testing.T) {
	rejected := aMeasurement(2, "el8", "php", 1)
	rejected.State, rejected.Reason, rejected.Mode = Invalid, `502 from php-fpm, "gone"; then more`, "multi"
	rejected.Requests, rejected.RPS, rejected.StatusOther, rejected.Errors = 0, Value{}, 7, 3
	missing := Measurement{Session: "s1", Round: 2, Run: 1, Variant: "el8", Scenario: "h3", State: NotApplicable, Reason: "no HTTP/3"}
	flagged := aMeasurement(3, "el8", "proxy", 1.0/3)
	flagged.Requests, flagged.Flags, flagged.Interfered = 10, []string{"noisy-host", "flip@12"}, true
	want := []Measurement{aMeasurement(1, "el8", "proxy", 46436.5), rejected, missing, flagged}
	have, err := ReadSummary(strings.NewReader(summaryText(t, want...)), "summary.csv")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, have, cmp.AllowUnexported(Value{})); diff != "" {
		t.Error(diff)
	}
}

// Columns may stand in any order, and those that were added later may be missing.
func TestSummaryColumnOrder(t *testing.T) {
	m := aMeasurement(1, "el8", "proxy", 46436)
	m.Attempt = 0
	lines, err := csv.NewReader(strings.NewReader(summaryText(t, m))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var turned bytes.Buffer
	w := csv.NewWriter(&turned)
	for _, line := range lines {
		line = line[:len(line)-5] // attempt, flags, app_busy, sent_share, late_p999_ms
		slices.Reverse(line)
		w.Write(line)
	}
	w.Flush()
	have, err := ReadSummary(&turned, "summary.csv")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Measurement{m}, have, cmp.AllowUnexported(Value{})); diff != "" {
		t.Error(diff)
	}
}

func TestSummaryFaults(t *testing.T) {
	good := summaryText(t, aMeasurement(1, "el8", "proxy", 46436), aMeasurement(1, "el8", "php", 34811))
	replace := func(old, new string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("the file has no %q", old)
		}
		return strings.Replace(good, old, new, 1)
	}
	header, _, _ := strings.Cut(good, "\n")
	tests := []struct {
		name, text string
		want       []string
	}{
		{"empty", "", []string{":1: the file is empty"}},
		{"header alone", header + "\n", []string{":1: a header and no measurement"}},
		{"header cut", header, []string{":1: the file ends in the middle"}},
		{"cut", good[:len(good)-5], []string{":3: the file ends in the middle of this line"}},
		{"cut in a number", good[:strings.LastIndex(good, "34811")+2], []string{":3: the file ends in the middle"}},
		{"unknown column", replace("p50_ms", "p5_ms"), []string{`:1: unknown column "p5_ms"`, `:1: no column "p50_ms"`}},
		{"extra column", strings.Replace(strings.ReplaceAll(good, "\n", ",1\n"), "cpu_ratio_se,1", "cpu_ratio_se,note", 1), []string{`:1: unknown column "note"`}},
		{"column twice", replace("p50_ms", "p90_ms"), []string{`:1: column "p90_ms" is there twice`, `:1: no column "p50_ms"`}},
		{"NaN", replace(",46436,", ",NaN,"), []string{`:2: rps: "NaN" is no number`}},
		{"infinity", replace(",46436,", ",+Inf,"), []string{`:2: rps: "+Inf" is no number`}},
		{"hexadecimal", replace(",46436,", ",0x1p4,"), []string{`:2: rps: "0x1p4" is no number`}},
		{"too large", replace(",46436,", ",1e300,"), []string{":2: rps: 1e300 is too large"}},
		{"negative", replace(",57.24,", ",-57.24,"), []string{":2: cpu_us: -57.24 is negative"}},
		{"minus zero", replace(",57.24,", ",-0,"), []string{":2: cpu_us: -0 is negative"}},
		{"negative count", replace(",1439516,", ",-2,"), []string{":2: status_2xx: -2 is negative"}},
		{"round 0", replace("s1,2,1", "s1,0,1"), []string{":2: round: 0, expected 1 or more"}},
		{"zero requests", replace(",1393080,", ",0,"), []string{":2: requests: 0 in a valid measurement"}},
		{"no rps", replace(",46436,", ",,"), []string{":2: rps: nothing in a valid measurement"}},
		{"not 2xx", replace(",1439516,0,", ",1439516,9,"), []string{":2: status_other: 9 in a valid"}},
		{"identity missed", replace(",30,30,no,", ",29,30,no,"), []string{":2: identity_ok: 29 of 30"}},
		{"no reason", replace(",yes,,", ",no,,"), []string{":2: reason: nothing"}},
		{"unknown state", replace(",yes,,", ",true,,"), []string{`:2: valid: "true", expected yes, no`}},
		{"no mode of a path", replace(",el8,,proxy", ",el8,a/b,proxy"), []string{`:2: mode: "a/b"`}},
		{"local time", replace("2026-11-06T21:00:01.25Z", "2026-11-06T21:00:01.25+01:00"), []string{":2: start_utc:"}},
		{"too few cells", replace(",vmhwm,", ","), []string{":2: 44 cells, expected 45"}},
		{"empty line", replace("\ns1", "\n\ns1"), []string{":2: an empty line"}},
		{"open quote", replace("vmhwm", `"vmhwm`), []string{":2: no CSV"}},
		{"line twice", replace("php", "proxy"), []string{":3: run 1, variant el8, scenario proxy is on line 2 already"}},
		{"two sessions", good[:strings.LastIndex(good, "s1")] + "s2" + good[strings.LastIndex(good, "s1")+2:], []string{":3: session s2, but line 2 has s1"}},
		{"all at once", strings.Replace(strings.Replace(replace(",46436,", ",NaN,"), ",57.24,", ",-1,", 2), ",34811,", ",,", 1),
			[]string{":2: rps:", ":2: cpu_us:", ":3: cpu_us:"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			have, err := ReadSummary(strings.NewReader(test.text), "summary.csv")
			wantFaults(t, err, test.want...)
			if have != nil {
				t.Errorf("%d measurements beside the faults", len(have))
			}
		})
	}
}

// A file of nonsense does not drown its reader.
func TestSummaryManyFaults(t *testing.T) {
	text, _, _ := strings.Cut(summaryText(t, aMeasurement(1, "a", "b", 1)), "\n")
	_, err := ReadSummary(strings.NewReader(text+strings.Repeat("\nx", 1000)+"\n"), "summary.csv")
	lines := faultLines(t, err)
	if len(lines) != faultsMax+1 || !strings.HasSuffix(lines[faultsMax], "more faults follow") {
		t.Errorf("%d faults, the last %q", len(lines), lines[len(lines)-1])
	}
}

// What cannot be read back is not written.
func TestWriteSummaryRefuses(t *testing.T) {
	for name, spoil := range map[string]func(m *Measurement){
		"two lines in a reason": func(m *Measurement) { m.State, m.Reason = Invalid, "a\nb" },
		"no text":               func(m *Measurement) { m.RSSMethod = "\xff" },
		"no requests":           func(m *Measurement) { m.Requests = 0 },
		"negative":              func(m *Measurement) { m.RPS = Of(-1) },
		"infinite":              func(m *Measurement) { m.RPS = Of(math.Inf(1)) },
		"flag of two words":     func(m *Measurement) { m.Flags = []string{"noisy host", ""} },
		"a path for a name":     func(m *Measurement) { m.Scenario = "../x" },
	} {
		m := aMeasurement(1, "el8", "proxy", 1)
		spoil(&m)
		var out bytes.Buffer
		if err := WriteSummary(&out, []Measurement{m}); err == nil || out.Len() > 0 {
			t.Errorf("%s: error %v, %d bytes written", name, err, out.Len())
		}
	}
	if err := WriteSummary(&bytes.Buffer{}, nil); err == nil {
		t.Error("a file of no measurement was written")
	}
}

// What an open loop has to keep to; a closed one has no schedule.
func TestOffSchedule(t *testing.T) {
	for _, test := range []struct {
		sent, late Value
		want       string
	}{
		{Value{}, Value{}, ""},
		{Of(1), Of(0.4), ""},
		{Of(0.99), Of(0.999), ""},
		{Of(0.972), Of(0.1), "of the requests that were due 97.2 % were sent, expected 99 %: the rate was another"},
		{Of(1), Of(1), "one request in a thousand was sent 1 ms late or more, expected less than 1 ms"},
	} {
		m := Measurement{SentFrac: test.sent, LateP999Millis: test.late}
		if have := m.OffSchedule(); have != test.want {
			t.Errorf("%v sent, %v late: %q, want %q", test.sent, test.late, have, test.want)
		}
	}
}
