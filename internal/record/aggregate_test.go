package record

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// fiveRuns are of two variants and two scenarios, as a round has them: all scenarios
// of a variant together.
func fiveRuns() (all []Measurement) {
	for run := 1; run <= 5; run++ {
		for v, variant := range []string{"el8", "rc"} {
			for _, scenario := range []string{"static", "proxy"} {
				// el8: 1001 to 1005, rc: 2001 to 2005.
				all = append(all, aMeasurement(run, variant, scenario, float64(1000*(v+1)+run)))
			}
		}
	}
	return all
}

func TestSummarize(t *testing.T) {
	runs := fiveRuns()
	runs[0].State, runs[0].Reason = Invalid, "502" // el8, static, run 1
	runs[4].P99Millis = Value{}                    // el8, static, run 2
	have := Summarize(runs)
	// Of el8's static the runs 2 to 5 are left: median 1003.5, mean 1003.5, deviations
	// 1.5 and 0.5 twice each: sd = sqrt((2*2.25+2*0.25)/3) = sqrt(5/3).
	want := []Aggregate{
		{Round: 2, Scenario: "static", Variant: "el8", N: 4, RPSMedian: Of(1003.5), RPSMin: Of(1002), RPSMax: Of(1005),
			CVPercent: Of(100 * math.Sqrt(5.0/3) / 1003.5), CPUMicros: Of(57.24), RSSMiB: Of(44)},
		// All five: deviations 2, 1, 0, 1, 2: sd = sqrt(10/4).
		{Round: 2, Scenario: "static", Variant: "rc", N: 5, RPSMedian: Of(2003), RPSMin: Of(2001), RPSMax: Of(2005),
			CVPercent: Of(100 * math.Sqrt(2.5) / 2003), CPUMicros: Of(57.24), P99Millis: Of(1.18), RSSMiB: Of(44)},
		{Round: 2, Scenario: "proxy", Variant: "el8", N: 5, RPSMedian: Of(1003), RPSMin: Of(1001), RPSMax: Of(1005),
			CVPercent: Of(100 * math.Sqrt(2.5) / 1003), CPUMicros: Of(57.24), P99Millis: Of(1.18), RSSMiB: Of(44)},
		{Round: 2, Scenario: "proxy", Variant: "rc", N: 5, RPSMedian: Of(2003), RPSMin: Of(2001), RPSMax: Of(2005),
			CVPercent: Of(100 * math.Sqrt(2.5) / 2003), CPUMicros: Of(57.24), P99Millis: Of(1.18), RSSMiB: Of(44)},
	}
	near := cmp.Comparer(func(a, b Value) bool {
		return a.Known() == b.Known() && (!a.Known() || math.Abs(a.OrNaN()-b.OrNaN()) < 1e-12)
	})
	if diff := cmp.Diff(want, have, near); diff != "" {
		t.Error(diff)
	}
	if n := Summarize(runs[:1])[0]; n.N != 0 || n.RPSMedian.Known() || n.CVPercent.Known() {
		t.Errorf("of no valid run: %+v", n)
	}
}

func TestAggregateRoundTrip(t *testing.T) {
	want := Summarize(fiveRuns()[:3]) // one run: no CV
	var out strings.Builder
	if err := WriteAggregate(&out, want); err != nil {
		t.Fatal(err)
	}
	have, err := ReadAggregate(strings.NewReader(out.String()), "aggregate.csv")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, have, cmp.AllowUnexported(Value{})); diff != "" {
		t.Error(diff)
	}
	line := strings.SplitAfter(out.String(), "\n")[1]
	_, err = ReadAggregate(strings.NewReader(out.String()+line), "aggregate.csv")
	wantFaults(t, err, ":5: variant el8, scenario static is on line 2 already")
}

func TestAggregateText(t *testing.T) {
	// 2001 to 2005: CV = sqrt(2.5)/2003 = 0.079 %; and what nobody measured.
	lines := Summarize(fiveRuns())[1:2]
	lines = append(lines, Aggregate{Round: 2, Mode: "multi", Scenario: "php", Variant: "rc"})
	var out strings.Builder
	if err := WriteAggregateText(&out, lines); err != nil {
		t.Fatal(err)
	}
	want := "" +
		"  round   mode  scenario  variant  n  req/s         min-max (CV)  cpu_us  p99 ms  MiB\n" +
		"      2      -    static       rc  5  2 003  2 001-2 005 (0.1 %)   57.24    1.18   44\n" +
		"      2  multi       php       rc  0      -                    -       -       -    -\n"
	if have := out.String(); have != want {
		t.Errorf("have\n%swant\n%s", have, want)
	}
}
