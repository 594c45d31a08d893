package gate

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/stat"
)

var anySeed = stat.SeedOf("test")

// Every pair is a factor of exp(c) apart, so that only signs are drawn.
//
// Of 15 pairs k have the sign +. Of their 120 Walsh averages k(k+1)/2 are c, and the
// median of all is c from 61 of these on, k = 11: with either sign 2·1941/32768 = 0.118
// of the draws, more than one in twenty, so that 95 of 100 stay at c. Of 5 pairs it takes
// k = 4, 12/32 of the draws. Of 30 it takes 233 of 465, k = 22: 0.016 of the draws, and of
// the others the median is 0.
func TestFloorOfPairs(t *testing.T) {
	const c = 0.01
	var ratios []float64
	for k := range 15 {
		ratios = append(ratios, math.Exp(c*float64(2*(k%2)-1)))
	}
	n := rowOf(ratios[:5], ratios[5:10], ratios[10:])
	p := pairsOf(&n, Rule{})
	for pairs, want := range map[int]float64{5: c, 15: c, 30: 0} {
		cards := newDeck(15, anySeed)
		if floor := highest(pseudoGates, func() []float64 { return p.dealPairs(cards, pairs) }); math.Abs(floor-want) > 1e-12 {
			t.Errorf("%d pairs: %v, want %v", pairs, floor, want)
		}
	}
}

// Whole rounds are turned round: of rounds at +1 %, -1 % and +1 %, and no noise in them, a
// table of one round is always 1 % off, and one of two by 0 or 1 %.
func TestFloorOfRounds(t *testing.T) {
	n := rowOf(spreadOut(1.01, 1e-5, 5), spreadOut(1/1.01, 1e-5, 5), spreadOut(1.01, 1e-5, 5))
	p := pairsOf(&n, Rule{})
	for _, rounds := range []int{1, 2} {
		cards := newDeck(15, anySeed)
		floor := highest(pseudoGates, func() []float64 {
			d := p.dealRounds(cards, rounds)
			if len(d) != 5*rounds || math.Abs(math.Abs(d[0])-math.Log(1.01)) > 1e-4 || math.Abs(d[4]-d[0]) > 1e-4 {
				t.Fatalf("drew %v", d)
			}
			return d
		})
		if math.Abs(floor-math.Log(1.01)) > 1e-4 {
			t.Errorf("%d rounds: %v", rounds, floor)
		}
	}
	d := newDrawing(&n, true, anySeed)
	for range 20 {
		for _, r := range d.gate(Rate, 2, 5).Rounds {
			if math.Abs(math.Abs(math.Log(r.Ratio))-math.Log(1.01)) > 1e-4 {
				t.Errorf("a round of %v was mixed", r.Ratio)
			}
		}
	}
}

// The floors of a row: the higher of both, and never below a label that matters.
func TestFloors(t *testing.T) {
	n := rowOf(spreadOut(1.01, 1e-5, 5), spreadOut(1/1.01, 1e-5, 5), spreadOut(1.01, 1e-5, 5))
	p := pairsOf(&n, Rule{})
	e := p.effect(0.05, ByRounds)
	floors := p.floors(500, &e, 6, 5, anySeed)
	// Of three rounds three of eight have one sign three times or the like: 1 % off. By
	// pairs it would be much less.
	cards := newDeck(15, anySeed)
	byPairs := highest(500, func() []float64 { return p.dealPairs(cards, 30) })
	if len(floors) != 6 || math.Abs(floors[2]-math.Log(1.01)) > 1e-4 || !(floors[5] > byPairs) {
		t.Errorf("floors %v, of 30 pairs %v", floors, byPairs)
	}
	if again := p.floors(500, &e, 6, 5, anySeed); !slices.Equal(floors, again) {
		t.Errorf("%v, and again %v", floors, again)
	}
	// A twin that is surely 2 % worse: no floor is below that.
	n = rowOf(spreadOut(0.98, 0.001, 5), spreadOut(0.98, 0.001, 5), spreadOut(0.98, 0.001, 5))
	p = pairsOf(&n, Rule{})
	e = p.effect(0.05, ByRounds)
	for i, floor := range p.floors(100, &e, 6, 5, anySeed) {
		if floor < -math.Log(0.98)-1e-9 {
			t.Errorf("%d rounds: %v", i+1, floor)
		}
	}
	none := noEffect("")
	if floors := new(paired).floors(100, &none, 6, 5, anySeed); floors != nil {
		t.Errorf("of no pairs %v", floors)
	}
	alone := rowOf([]float64{1.01})
	p = pairsOf(&alone, Rule{})
	e = p.effect(0.05, ByRounds)
	if floors := p.floors(100, &e, 1, 1, anySeed); math.Abs(floors[0]-math.Log(1.01)) > 1e-12 {
		t.Errorf("of one pair %v", floors)
	}
}

// Every number that a limit may be about is a multiple of its round's: a level that one
// round has would be noise of all that are drawn.
func TestLevelled(t *testing.T) {
	n := rowOf([]float64{1, 1, 1, 1, 1}, []float64{1, 1, 1, 1, 1})
	numbers := map[string]func(m *record.Measurement) *record.Value{ // that a limit may be about
		"rps": func(m *record.Measurement) *record.Value { return &m.RPS }, "cpu_us": func(m *record.Measurement) *record.Value { return &m.CPUMicros },
		"p99": func(m *record.Measurement) *record.Value { return &m.P99Millis }, "p99.9": func(m *record.Measurement) *record.Value { return &m.P999Millis },
		"RSS": func(m *record.Measurement) *record.Value { return &m.RSSKiB },
	}
	for i := range n.Rounds { // the second round is at twice the level in all of them
		for _, runs := range [][]record.Measurement{n.Rounds[i].Base, n.Rounds[i].New} {
			for k := range runs {
				for _, number := range numbers {
					*number(&runs[k]) = record.Of(float64(i + 1))
				}
			}
		}
	}
	d := newDrawing(&n, false, anySeed)
	for name, number := range numbers {
		for _, p := range d.pairs {
			if got := number(&p.base).OrNaN(); math.Abs(got-1) > 1e-12 {
				t.Fatalf("%s is %v of its round", name, got)
			}
		}
	}
}

// Levelling takes a mean out of the middles of five pairs, after which they vary less by a
// fifth: it is put back, so that their variance about 0 is what it was with n − 1. The
// differences stay what they are.
func TestLevelledPairsVaryAsBefore(t *testing.T) {
	middles := []float64{0.01, -0.02, 0.03, 0, 0.05}
	var pairs []runPair
	for i, middle := range middles {
		of := func(sign float64) record.Measurement {
			return record.Measurement{RPS: record.Of(1000 * math.Exp(middle+sign*0.001*float64(i)))}
		}
		pairs = append(pairs, runPair{of(-1), of(1)})
	}
	level(pairs, func(m *record.Measurement) *record.Value { return &m.RPS })
	squares := 0.0
	for i, p := range pairs {
		base, new := math.Log(p.base.RPS.OrNaN()), math.Log(p.new.RPS.OrNaN())
		squares += (base + new) * (base + new) / 4
		if math.Abs(new-base-0.002*float64(i)) > 1e-12 {
			t.Errorf("pair %d: difference %v", i, new-base)
		}
	}
	if want := 0.00073; math.Abs(squares/5-want) > 1e-9 { // Σ(m − 0.014)² = 0.00292, over 4
		t.Errorf("variance %v, want %v", squares/5, want)
	}
}

// Rounds at another level of the host make no spread: only what is inside of them does.
func TestDrawnGatesHaveTheNoiseOfRounds(t *testing.T) {
	n := rowAt([][]float64{{1, 1, 1, 1, 1}, {1.08, 1.08, 1.08, 1.08, 1.08}}, [][]float64{{1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}})
	d := newDrawing(&n, false, anySeed)
	rules := calibratedRules(DefaultRule(Parity))
	for range 20 {
		if drawn := d.gate(Rate, 3, 5); drawn.Spread > 1e-12 || math.Abs(drawn.Value-1) > 1e-12 || math.Abs(drawn.P99-1) > 1e-12 {
			t.Fatalf("drawn: %+v", drawn)
		}
	}
	for _, alarm := range d.falseAlarms(200, Rate, 3, 5, rules) {
		if alarm.Fail != 0 || math.Abs(alarm.Pass-1) > 1e-9 {
			t.Errorf("%+v of what has no noise", alarm)
		}
	}
	if base := n.Rounds[0].Base[0]; base.RPS != record.Of(1000) {
		t.Errorf("drawing has changed what was measured to %v", base.RPS)
	}
}

// calibrated is evidence of a variant against itself, whose new variant has a rate, with
// what the journal of a calibration's plan has.
func calibrated(id string, rps float64, helpers bool) Evidence {
	e := lab{5, map[string]float64{"b": rps}}.evidence()
	s := e.Sessions[0]
	s.Plan.Session, s.Plan.CreatedUTC, s.Plan.WarmupSeconds, s.Plan.MeasureSeconds = id, night, 10, 30
	s.Plan.Compare = []record.PlanComparison{{Base: "a", New: "b", SameOK: "calibration"}}
	s.Plan.Hash = s.Plan.ComputeHash()
	random := rand.New(rand.NewPCG(1, 2))
	for _, r := range e.Rounds {
		r.Session = id
		r.Identity.Differs[0].Items = nil
		for i := range r.Measurements {
			m := &r.Measurements[i]
			m.Session, m.Slot = id, 1
			if (m.Variant == "a") == (m.Run%2 == 0) {
				m.Slot = 2
			}
			m.RPS = record.Of(m.RPS.OrNaN() * (1 + 0.003*random.NormFloat64()))
			m.ServerBusyFrac = record.Of(0.8)
			if helpers && m.Variant == "b" {
				m.CPUAppMicros = record.Of(m.CPUMicros.OrNaN() / 4) // a fifth of the CPU, of which the server has 0.8
			}
		}
	}
	return e
}

func TestCalibrate(t *testing.T) {
	control := calibrated("s2", 800, true)
	c, err := calibrate(calibrated("s1", 1000, false), &control, 300)
	if err != nil {
		t.Fatal(err)
	}
	if c.Suite != "s" || c.Base != "a" || c.Session != "s1" || c.Control != "s2" || c.Policy != "parity" || !c.CreatedUTC.Equal(night) || c.Host.Fixed["kernel"] != "7" ||
		c.Method.Rounds != 3 || c.Method.Runs != 5 || c.Method.MeasureSeconds != 30 || len(c.Rows) != 2 {
		t.Errorf("%+v", c)
	}
	r := c.Row("", "static")
	// A CV of about 0.3 % and, from lab, 0.16 %, that both variants share.
	if r.Verdict != "PASS" || r.Pairs != 15 || !(r.Sigma.OrNaN() > 0.002 && r.Sigma.OrNaN() < 0.008) || r.P99Sigma != record.Of(0) || !r.Position.Known() || r.Speeds.Known() {
		t.Errorf("%+v", r)
	}
	floor := r.Floor.OrNaN()
	if len(r.Floors) != 6 || r.Floors[2] != floor || !(r.Floors[0] > floor && floor > r.Floors[5] && r.Floors[5] > 0) {
		t.Errorf("floors %v, of the plan %v", r.Floors, r.Floor)
	}
	if len(r.FalseAlarms) != 3 || r.FalseAlarms[2].Policy != "noninferior" || r.FalseAlarms[2].Pass < 0.9 {
		t.Errorf("false alarms %+v", r.FalseAlarms)
	}
	if r.Control.Verdict != "FAIL" || math.Abs(r.Control.Ratio.OrNaN()-0.8) > 0.005 || math.Abs(r.Control.Taken.OrNaN()-0.2) > 1e-9 || r.Control.Exempt != "" {
		t.Errorf("control %+v", r.Control)
	}
	if v, said := CalibrationVerdict(c); v != Pass || said != nil {
		t.Errorf("%s, %q", v, said)
	}
	if again, err := calibrate(calibrated("s1", 1000, false), &control, 300); err != nil || !reflect.DeepEqual(c, again) {
		t.Error("the same evidence gives another calibration")
	}
	if _, err := Calibrate(lab{5, nil}.evidence(), nil); err == nil || !strings.Contains(err.Error(), "a variant and its twin") {
		t.Errorf("of two variants: %v", err)
	}
}

// A row that cannot be judged has no numbers and says why.
func TestCalibrateInvalidRow(t *testing.T) {
	e := calibrated("s1", 1000, false)
	each(e, "b", "php", func(m *record.Measurement) { m.State, m.Reason = record.Invalid, "3 errors" })
	c, err := calibrate(e, nil, 100)
	if err != nil {
		t.Fatal(err)
	}
	if r := c.Row("", "php"); r.Verdict != "INVALID" || !strings.HasSuffix(r.Missing, "3 errors") || r.Floors != nil || r.Control != nil {
		t.Errorf("%+v", r)
	}
	v, said := CalibrationVerdict(c)
	if v != Invalid || len(said) != 1 || !strings.HasPrefix(said[0], "php: a against itself is INVALID: ") {
		t.Errorf("%s, %q", v, said)
	}
}

// What a calibration is worth.
func TestCalibrationVerdict(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(c *record.Calibration, r *record.CalibrationRow)
		want   Verdict
		text   string
	}{
		{"right", func(*record.Calibration, *record.CalibrationRow) {}, Pass, ""},
		{"no control", func(c *record.Calibration, r *record.CalibrationRow) { c.Control, r.Control = "", nil }, Pass, ""},
		{"an insensitive gate", func(_ *record.Calibration, r *record.CalibrationRow) { r.Control.Verdict = "PASS" }, Inconclusive,
			"static: the positive control is PASS and had to FAIL, at 0.950 (bounds 0.900 to 0.990) with a burden of 20.0 %: the gate would not see such a loss"},
		{"BORDERLINE is no FAIL", func(_ *record.Calibration, r *record.CalibrationRow) { r.Control.Verdict = "BORDERLINE" }, Inconclusive, "BORDERLINE and had to FAIL"},
		{"an exempt row", func(_ *record.Calibration, r *record.CalibrationRow) {
			r.Control.Verdict, r.Control.Exempt = "PASS", "judged by cpu_us"
		}, Pass, ""},
		{"a control that is missing", func(_ *record.Calibration, r *record.CalibrationRow) { r.Control = nil }, Invalid, "was not measured"},
		{"a control that is broken", func(_ *record.Calibration, r *record.CalibrationRow) {
			r.Control.Verdict, r.Control.Text = "INVALID", "3 errors"
		}, Invalid, "INVALID: 3 errors"},
		{"a false alarm", func(_ *record.Calibration, r *record.CalibrationRow) { r.Verdict = "FAIL" }, Inconclusive, "static: a against itself is a FAIL, at 0.999 (bounds n/a)"},
		{"a word that nobody knows", func(_ *record.Calibration, r *record.CalibrationRow) { r.Verdict = "GOOD" }, Invalid, ""},
		{"not run", func(_ *record.Calibration, r *record.CalibrationRow) { r.Verdict, r.Missing = "NOT RUN", "no php" }, Invalid, "NOT RUN: no php"},
		{"nothing but N/A", func(_ *record.Calibration, r *record.CalibrationRow) { r.Verdict = "N/A" }, Invalid, "no row was judged"},
	} {
		c := &record.Calibration{Base: "a", Control: "s2", BurdenFrac: record.Of(0.2), Rows: []record.CalibrationRow{{
			Scenario: "static", Verdict: "PASS", Ratio: record.Of(0.999),
			Control: &record.CalibrationControl{Verdict: "FAIL", Ratio: record.Of(0.95), Lo: record.Of(0.9), Hi: record.Of(0.99)},
		}}}
		tt.change(c, &c.Rows[0])
		v, said := CalibrationVerdict(c)
		if v != tt.want || !strings.Contains(strings.Join(said, "\n"), tt.text) || (v == Pass) != (said == nil) {
			t.Errorf("%s: %s, %q, want %s, %q", tt.name, v, said, tt.want, tt.text)
		}
	}
}

// Drawn from calibrations with white noise, the false alarms of parity are those of its
// operating curve, 1.3 to 1.8 % of equal variants (TestOperatingCurveOfParity). By pairs
// the floor is 1.96 standard errors of the Hodges-Lehmann centre: with a CV of 1 % a pair
// has sqrt(2) %, 15 pairs 1.96 · sqrt(2) / sqrt(0.955 · 15) = 0.73 %. The higher one of that
// and the floor by rounds is what one pays for not knowing whether rounds add anything.
// As it is drawn from 15 pairs, 6 or 7 of 100 tables are above it and not 5, and 14 where
// rounds add as much as a run has.
func TestFalseAlarmsOfWhiteNoise(t *testing.T) {
	simulation(t)
	const calibrations, cv = 60, 0.01
	quiet, noisy := hostOf{noises["normal"], cv, 0}, hostOf{noises["normal"], cv, cv}
	r := rand.New(rand.NewPCG(8, 36))
	parity, noninferior := DefaultRule(Parity), DefaultRule(NonInferior)
	for _, rule := range []*Rule{&parity, &noninferior} {
		rule.P99Max, rule.RSSMax = 0, 0
	}
	blind := noEffect("") // one in ten seems to have a label that matters
	var fails, wrong, byPairs, floor float64
	above, noisyAbove := 0, 0
	for i := range calibrations {
		n := quiet.simulate(r, 1, 3)
		p := pairsOf(&n, Rule{})
		cards := newDeck(15, stat.Seed{7, uint64(i)})
		byPairs += highest(400, func() []float64 { return p.dealPairs(cards, 15) }) / calibrations
		own := p.floors(200, &blind, 3, 5, stat.Seed{8, uint64(i)})[2]
		floor += own / calibrations
		alarms := newDrawing(&n, false, stat.Seed{9, uint64(i)}).falseAlarms(150, Rate, 3, 5, []Rule{parity, noninferior})
		fails += alarms[0].Fail / calibrations
		wrong += alarms[1].Fail / calibrations
		for range 20 {
			next := quiet.simulate(r, 1, 3)
			q := pairsOf(&next, Rule{})
			if centre, _ := stat.HodgesLehmann(q.all); math.Abs(centre) > own {
				above++
			}
		}
		n = noisy.simulate(r, 1, 3)
		p = pairsOf(&n, Rule{})
		own = p.floors(200, &blind, 3, 5, stat.Seed{8, uint64(i)})[2]
		for range 20 {
			next := noisy.simulate(r, 1, 3)
			q := pairsOf(&next, Rule{})
			if centre, _ := stat.HodgesLehmann(q.all); math.Abs(centre) > own {
				noisyAbove++
			}
		}
	}
	t.Logf("parity fails %.4f, noninferior %.5f; floor by pairs %.5f, with rounds %.5f; %d of 1200 above it, %d where rounds add as much as a run has", fails, wrong, byPairs, floor, above, noisyAbove)
	if fails < 0.010 || fails > 0.024 {
		t.Errorf("parity fails %.4f of equal variants, want 0.013 to 0.018", fails)
	}
	// A loss of 1 % is 2.6 standard errors away, and FAIL wants 1.65 more.
	if wrong > 0.002 {
		t.Errorf("noninferior fails %.4f of equal variants", wrong)
	}
	want := 1.96 * math.Sqrt2 * cv / math.Sqrt(0.955*15)
	if math.Abs(byPairs/want-1) > 0.10 || floor < byPairs || floor > 1.3*want {
		t.Errorf("floor %.5f by pairs, %.5f with rounds, want %.5f", byPairs, floor, want)
	}
	if above > 96 || noisyAbove > 216 {
		t.Errorf("%d and %d of 1200 tables of a program against itself are above the floor", above, noisyAbove)
	}
}

// What a person reads has every number, and what is to be known of them.
func TestWriteCalibration(t *testing.T) {
	control := calibrated("s2", 800, true)
	c, err := calibrate(calibrated("s1", 1000, false), &control, 200)
	if err != nil {
		t.Fatal(err)
	}
	c.About, c.BurdenFrac = "a copy of /opt/a at another path", record.Of(0.2)
	c.Rows[0].Interfered, c.Rows[0].Pairs = 2, 3
	c.Rows[1] = record.CalibrationRow{Scenario: "php", Verdict: "INVALID", Missing: "3 errors"}
	var text strings.Builder
	if err := WriteCalibration(&text, c); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Calibration of s on h: a against itself, 3 x 5 runs of 10 s + 30 s\nTwin: a copy of /opt/a at another path\n",
		"\nscenario  pairs  ratio          bounds  sigma  sigma of p99  position  speeds  noise floor  gate\nstatic        3  1.000  ",
		"\nphp           0    n/a             n/a    n/a           n/a       n/a  n/a             n/a  INVALID\n",
		"\nShares of 200 gates drawn from these pairs, FAIL / PASS:\n",
		"\nPositive control: a spin loop takes 20.0 % of each of the server's CPUs from the twin, and policy parity has to FAIL it:\n",
		"\nstatic    20.0 %  0.80",
		"\nstatic: others used the CPUs during 2 of 30 measurements, and their noise is in these numbers\nstatic: of 3 pairs floor and shares say little\n",
		"\nphp: a against itself is INVALID: 3 errors\nVerdict: INVALID\n",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
}
