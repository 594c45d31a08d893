package gate

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/scalws/scalbench/internal/record"
)

// calibrationAt is one that holds for the sessions of lab, so long after their night, with
// a noise floor on the ln scale.
func calibrationAt(after time.Duration, floor float64) *record.Calibration {
	return &record.Calibration{
		CreatedUTC: night.Add(after), Suite: "s", Host: record.CalibrationHost{Name: "h", Fixed: map[string]string{"kernel": "7"}},
		Method: record.CalibrationPlan{Rounds: 3, Runs: 5, WarmupSeconds: 10, MeasureSeconds: 30},
		Rows:   []record.CalibrationRow{{Scenario: "static", Metric: "rps", Floors: []float64{2 * floor, 1.5 * floor, floor}}},
	}
}

// ofNight is evidence with the times that calibrations are held against.
func ofNight(l lab, all ...*record.Calibration) Evidence {
	e := l.evidence()
	p := e.Sessions[0].Plan
	p.CreatedUTC, p.WarmupSeconds, p.MeasureSeconds = night, 10, 30
	p.Hash = p.ComputeHash()
	e.Calibrations = append([]*record.Calibration{}, all...)
	return e
}

const day = 24 * time.Hour

// Of several the newest one before the session holds, and without one the first after it;
// never one of another suite, host or method, or too far away.
func TestChooseCalibration(t *testing.T) {
	change := func(c *record.Calibration, by func(c *record.Calibration)) *record.Calibration {
		by(c)
		return c
	}
	at := calibrationAt
	for _, tt := range []struct {
		name string
		all  []*record.Calibration
		want time.Duration // after the night
		why  string        // none holds
	}{
		{"none", nil, 0, "no calibration of suite s on this host"},
		{"one", []*record.Calibration{at(-day, 0)}, -day, ""},
		{"the newest before", []*record.Calibration{at(-day, 0), at(-2*day, 0), at(day, 0)}, -day, ""},
		{"the first after", []*record.Calibration{at(5*day, 0), at(2*day, 0)}, 2 * day, ""},
		{"30 days", []*record.Calibration{at(-30*day, 0)}, -30 * day, ""},
		{"31 days", []*record.Calibration{at(-31*day, 0)}, 0, "that of 2026-10-06 is 31 days away"},
		{"another suite", []*record.Calibration{change(at(-day, 0), func(c *record.Calibration) { c.Suite = "other" })}, 0, "that of 2026-11-05 is of suite other"},
		{"another governor", []*record.Calibration{change(at(-day, 0), func(c *record.Calibration) { c.Host.Fixed["governor"] = "powersave" })}, 0,
			"of another host: governor was powersave, is "},
		{"another window", []*record.Calibration{change(at(-day, 0), func(c *record.Calibration) { c.Method.MeasureSeconds = 3 })}, 0, "window in seconds was 3, is 30"},
		{"other runs", []*record.Calibration{change(at(-day, 0), func(c *record.Calibration) { c.Method.Runs = 3 })}, 0, "runs in a round was 3, is 5"},
		{"other rounds", []*record.Calibration{change(at(-day, 0), func(c *record.Calibration) { c.Method.Rounds = 1 })}, -day, ""},
		{"other params", []*record.Calibration{change(at(-day, 0), func(c *record.Calibration) { c.Method.Params = map[string]string{"a": "b"} })}, 0, "other params"},
		{"one that holds and a newer one that does not", []*record.Calibration{at(-2*day, 0), change(at(-day, 0), func(c *record.Calibration) { c.Method.Runs = 3 })}, -2 * day, ""},
	} {
		e := ofNight(lab{5, nil}, tt.all...)
		c := chooseCalibration(e.Calibrations, e.Sessions[0])
		switch {
		case !c.looked:
			t.Errorf("%s: nobody looked", tt.name)
		case tt.why != "":
			if c.of != nil || !strings.Contains(c.why, tt.why) {
				t.Errorf("%s: %+v, %q", tt.name, c.of, c.why)
			}
		case c.of == nil || !c.of.CreatedUTC.Equal(night.Add(tt.want)) || c.before != (tt.want < 0):
			t.Errorf("%s: %+v, before %v, %q", tt.name, c.of, c.before, c.why)
		}
	}
	e := ofNight(lab{5, nil})
	if c := chooseCalibration(nil, e.Sessions[0]); c.looked {
		t.Error("nobody was asked to look")
	}
	e.Sessions[0].Plan.Compare = []record.PlanComparison{{Base: "a", New: "b", SameOK: "calibration"}}
	if c := chooseCalibration(e.Calibrations, e.Sessions[0]); c.looked {
		t.Error("a calibration needs no calibration")
	}
}

// A row is within the noise when its pairs are nearer to 1 than the floor, on either side;
// rows without a floor are uncalibrated, which the table says once.
func TestWithinNoise(t *testing.T) {
	for _, tt := range []struct {
		rps, floor float64
		want       bool
	}{
		// ln(1.01) = 0.00995, ln(0.99) = -0.01005
		{1010, 0.0099, false},
		{1010, 0.01, true},
		{990, 0.01, false},
		{990, 0.0101, true},
	} {
		table, rows := judge(t, ofNight(lab{5, map[string]float64{"b/static": tt.rps}}, calibrationAt(-day, tt.floor)), parityRules())
		if got := rows["static"].has(FlagWithinNoise); got != tt.want {
			t.Errorf("%v with a floor of %v: %v", tt.rps, tt.floor, got)
		}
		if floor := rows["static"].Floor; floor != record.Of(tt.floor) {
			t.Errorf("floor %v", floor)
		}
		if !rows["php"].has(FlagUncalibrated) || rows["static"].has(FlagUncalibrated) || rows["php"].Floor.Known() {
			t.Error("php has no floor, and static has one")
		}
		if want := "calibrated 2026-11-05 21:00 UTC; uncalibrated: php"; len(table.Notes) != 1 || table.Notes[0] != want {
			t.Errorf("notes %q, want %q", table.Notes, want)
		}
	}
	table, rows := judge(t, ofNight(lab{5, nil}), parityRules())
	var text strings.Builder
	if err := WriteText(&text, Gate{table}, false); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(text.String(), "uncalibrated"); n != 1 || !rows["static"].has(FlagUncalibrated) {
		t.Errorf("uncalibrated is said %d times:\n%s", n, text.String())
	}
	if table, _ := judge(t, lab{5, nil}.evidence(), parityRules()); len(table.Notes) != 0 {
		t.Errorf("nobody looked for calibrations, and it says %q", table.Notes)
	}
}

// A row of another metric than the calibration's has no floor.
func TestFloorOfAnotherMetric(t *testing.T) {
	e := ofNight(lab{5, nil}, calibrationAt(-day, 0.01))
	e.Sessions[0].Plan.Scenarios[0].Bound = record.BoundApp
	_, rows := judge(t, e, parityRules())
	if !rows["static"].has(FlagUncalibrated) {
		t.Errorf("flags %v", rows["static"].Flags)
	}
}

// The margin that a suite leaves open is one and a half noise floors, and neither below the
// default nor above 5 %. On the ln scale it is so exactly: 1 - exp(-1.5 · 0.02) = 2.955 %.
func TestMarginOfNoise(t *testing.T) {
	open := parityRules()
	open.Rule, open.OpenMargin = DefaultRule(NonInferior), true
	said := open
	said.OpenMargin = false
	parity := parityRules()
	parity.OpenMargin = true
	for _, tt := range []struct {
		name  string
		rules Rules
		all   []*record.Calibration
		want  float64
		why   string
	}{
		{"more than the default", open, []*record.Calibration{calibrationAt(-day, 0.02)}, -math.Expm1(-0.03), "the margin is 3.0 %: 1.5 times the noise floor of 1.98 %"},
		{"less than it", open, []*record.Calibration{calibrationAt(-day, 0.004)}, 0.01, "the margin is the default of 1.0 %: 1.5 times the noise floor of 0.40 % is less"},
		{"too much", open, []*record.Calibration{calibrationAt(-day, 0.9)}, 0.05, "the margin is 5.0 %, the most that noise can make it: "},
		{"after the session", open, []*record.Calibration{calibrationAt(day, 0.02)}, 0.01, "the calibration was made after the session"},
		{"none", open, nil, 0.01, "there is no noise floor"},
		{"said", said, []*record.Calibration{calibrationAt(-day, 0.02)}, 0.01, ""},
		{"another policy", parity, []*record.Calibration{calibrationAt(-day, 0.02)}, 0, ""},
	} {
		_, rows := judge(t, ofNight(lab{5, nil}, tt.all...), tt.rules)
		row := rows["static"]
		if math.Abs(row.rule.MarginFrac-tt.want) > 1e-12 || !strings.Contains(row.margin, tt.why) || (row.margin == "") != (tt.why == "") {
			t.Errorf("%s: margin %v, %q, want %v, %q", tt.name, row.rule.MarginFrac, row.margin, tt.want, tt.why)
		}
	}
	// A table of one round, and one of four, have the margin of three, which the policy needs.
	e := ofNight(lab{5, nil}, calibrationAt(-day, 0.02))
	e.Rounds = e.Rounds[:1]
	if _, rows := judge(t, e, open); math.Abs(rows["static"].rule.MarginFrac+math.Expm1(-0.03)) > 1e-12 {
		t.Errorf("of one round: %v", rows["static"].rule.MarginFrac)
	}
	// It decides: 2 % less is more than the default lets pass, and less than the noise does.
	slower := ofNight(lab{5, map[string]float64{"b/static": 980}}, calibrationAt(-day, 0.02))
	if table, rows := judge(t, slower, open); rows["static"].Verdict != Pass || len(table.Notes) != 3 || !strings.HasPrefix(table.Notes[1], "static: the margin is 3.0 %") {
		t.Errorf("%s, notes %q", rows["static"].Verdict, table.Notes)
	}
	slower.Calibrations = []*record.Calibration{}
	table, rows := judge(t, slower, open)
	if rows["static"].Verdict != Fail {
		t.Errorf("uncalibrated: %s", rows["static"].Verdict)
	}
	if want := "the margin is the default of 1.0 %: there is no noise floor"; len(table.Notes) != 2 || table.Notes[1] != want {
		t.Errorf("notes %q, want the second %q", table.Notes, want)
	}
}
