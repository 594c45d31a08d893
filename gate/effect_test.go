package gate

import (
	"math"
	"strings"
	"testing"

	"github.com/scalws/scalbench/internal/record"
)

// Whatever the policy, a row has the interval and the smallest effect, and a gate.csv
// has them in its last columns.
func TestEffectOnEveryRow(t *testing.T) {
	for _, policy := range []Policy{Parity, Fixed, NonInferior} {
		rules := parityRules()
		rules.Rule = DefaultRule(policy)
		table, rows := judge(t, lab{5, map[string]float64{"b": 995}}.evidence(), rules)
		e := rows["static"].Effect
		// Runs of 0.998 to 1.002 of both variants: every pair is 0.995.
		if e.Pairs != 15 || ratioText(e.Ratio) != "0.995" || ratioText(e.Lo) != "0.995" || ratioText(e.Hi) != "0.995" || e.MDE > 1e-12 {
			t.Errorf("%s: %+v", policy, e)
		}
		// The largest c with P(T <= c) <= 0.05 of 15 pairs is 30, whose p is 0.0473. A bound
		// that may be that of the rounds errs with what was asked for.
		if e.Critical != 30 || math.Abs(e.Signed.Level-0.0473) > 1e-4 || e.Level != 0.05 {
			t.Errorf("%s: c %d, level %v and %v", policy, e.Critical, e.Signed.Level, e.Level)
		}
		row := table.Records("", "")[0]
		if lo, _ := row.CILo.Get(); lo != e.Lo || !row.CIHi.Known() || !row.Level.Known() || !row.MDE.Known() {
			t.Errorf("%s: gate.csv has %+v", policy, row)
		}
	}
}

// Swapping base and new inverts ratio and bounds.
func TestEffectInverts(t *testing.T) {
	n := rowOf(spreadOut(0.98, 0.01, 5), spreadOut(0.99, 0.02, 5), spreadOut(0.985, 0.005, 5))
	turned := n
	turned.Rounds = nil
	for _, r := range n.Rounds {
		r.Base, r.New = r.New, r.Base
		turned.Rounds = append(turned.Rounds, r)
	}
	p, q := pairsOf(&n, Rule{}), pairsOf(&turned, Rule{})
	e, f := p.effect(0.05, ByRounds), q.effect(0.05, ByRounds)
	if math.Abs(e.Ratio*f.Ratio-1) > 1e-12 || math.Abs(e.Lo*f.Hi-1) > 1e-12 || math.Abs(e.MDE-f.MDE) > 1e-12 {
		t.Errorf("%+v and %+v", e, f)
	}
}

// Three of five pairs alike have a median absolute deviation of 0 and no more; the
// standard deviation of 0, 0, 0, 0.02 and -0.02 is sqrt(8e-4/4) = 0.01414.
func TestSigmaOfFewPairs(t *testing.T) {
	n := rowOf([]float64{1, 1.0001, 1, math.Exp(0.02), math.Exp(-0.02)})
	if p := pairsOf(&n, Rule{}); math.Abs(p.sigma()-0.01414) > 1e-4 {
		t.Errorf("%v", p.sigma())
	}
	n = rowOf([]float64{1})
	if p := pairsOf(&n, Rule{}); !math.IsNaN(p.sigma()) {
		t.Errorf("of one pair: %v", p.sigma())
	}
}

// atSpeeds gives the runs of a variant in static one of two rates, the upper one where
// upper says so.
func atSpeeds(e Evidence, variant string, factor float64, upper func(round, run int) bool) {
	each(e, variant, "static", func(m *record.Measurement) {
		rate := 9580.0
		if upper(m.Round, m.Run) {
			rate = 10300
		}
		m.RPS = record.Of(rate * factor * (1 + 0.001*float64(m.Run-3)))
	})
}

// A host with two speeds, 9 580 and 10 300 req/s, that both variants have alike: the new
// one is 0.2 % slower at each, and pairs across the speeds would say anything.
func TestTwoSpeedsOfTheHost(t *testing.T) {
	e := lab{5, nil}.evidence()
	atSpeeds(e, "a", 1, func(round, run int) bool { return (round+run)%2 == 0 })
	atSpeeds(e, "b", 0.998, func(round, run int) bool { return (round+run)%2 == 0 != (run == 1) })
	rules := parityRules()
	rules.Rule = DefaultRule(NonInferior)
	_, rows := judge(t, e, rules)
	static := rows["static"]
	s := static.Effect.Speeds
	if s == nil || !s.Host || s.Across != 3 || static.Effect.Pairs != 12 {
		t.Fatalf("speeds %+v, effect %+v", s, static.Effect)
	}
	if ratioText(s.LowerRatio) != "0.998" || ratioText(s.UpperRatio) != "0.998" || ratioText(static.Effect.Ratio) != "0.998" {
		t.Errorf("ratios %v %v %v", s.LowerRatio, s.UpperRatio, static.Effect.Ratio)
	}
	if static.Verdict != Pass || !static.has(FlagBimodalHost) {
		t.Errorf("%s %q, flags %v", static.Verdict, static.Short, static.Flags)
	}
	// Parity judges as if nothing were: its medians are of either speed. The flag says what that
	// is worth.
	_, rows = judge(t, e, parityRules())
	if static := rows["static"]; static.Verdict != Fail || static.Short != "a loss of 6.9 % against a margin of 4.1 %" {
		t.Errorf("parity: %s %q", static.Verdict, static.Short)
	}
	flag := rows["static"].Flags[len(rows["static"].Flags)-1]
	if flag.Code != FlagBimodalHost || !strings.Contains(flag.Text, "is within a speed") {
		t.Errorf("%+v", flag)
	}
}

// Where the speeds leave too few pairs there is no bound, and no verdict; nor where they
// leave none. Which runs are upper ones stands in letters, a run each, of base and new.
func TestTwoSpeedsLeaveFewPairs(t *testing.T) {
	for _, test := range []struct{ base, new, missing string }{
		{"ululu lulul ululu", "lulul ululu lulul", "no pair within one speed"},
		{"ululu lulul ululu", "ullul luulu lulul", "signed-rank bound at level 0.05: needs >= 5 pairs, has 4"},
		{"ululu lulul ululu", "ululu ululu lulul", "only one round has pairs within one speed"},
	} {
		e := lab{5, nil}.evidence()
		for variant, speeds := range map[string]string{"a": test.base, "b": test.new} {
			atSpeeds(e, variant, 1, func(round, run int) bool { return speeds[(round-1)*6+run-1] == 'u' })
		}
		rules := parityRules()
		rules.Rule = DefaultRule(NonInferior)
		_, rows := judge(t, e, rules)
		static := rows["static"]
		if static.Verdict != Inconclusive || static.Short != test.missing || !static.has(FlagBimodalHost) {
			t.Errorf("%s and %s: %s %q, %v, want %q", test.base, test.new, static.Verdict, static.Short, static.Flags, test.missing)
		}
	}
}

// p99 follows the speed of a run, too: pairs across the speeds are left out of its limit, and
// the others are alike.
func TestLimitsWithinSpeeds(t *testing.T) {
	e := lab{5, nil}.evidence()
	atSpeeds(e, "a", 1, func(round, run int) bool { return (round+run)%2 == 0 })
	atSpeeds(e, "b", 1, func(round, run int) bool { return (round+run)%2 == 0 != (run == 1) })
	for _, variant := range []string{"a", "b"} {
		each(e, variant, "static", func(m *record.Measurement) {
			m.P99Millis = record.Of(3)
			if m.RPS.OrNaN() > 10000 {
				m.P99Millis = record.Of(2)
			}
		})
	}
	rules := parityRules()
	rules.Rule = DefaultRule(NonInferior)
	_, rows := judge(t, e, rules)
	if static := rows["static"]; static.Verdict != Pass || !strings.Contains(strings.Join(static.Why, "\n"), "p99 is at most 1.000, below its limit of 1.15") {
		t.Errorf("%s %q", static.Verdict, static.Why)
	}
}

// One variant that has the slow speed more often than the other: the mix is the effect.
func TestTwoSpeedsOfAVariant(t *testing.T) {
	e := lab{5, nil}.evidence()
	atSpeeds(e, "a", 1, func(int, int) bool { return true })
	atSpeeds(e, "b", 1, func(_, run int) bool { return run <= 2 })
	_, rows := judge(t, e, parityRules())
	static := rows["static"]
	if s := static.Effect.Speeds; s == nil || s.Host || static.Effect.Pairs != 15 || !static.has(FlagBimodalVariant) {
		t.Errorf("speeds %+v of %d pairs, flags %v", s, static.Effect.Pairs, static.Flags)
	}
	// Three slow runs of fifteen, and none of the base: that may be chance, with a
	// probability of 2 x C(15,3)/C(30,3) = 0.224, but to leave them out would be to
	// excuse them.
	e = lab{5, nil}.evidence()
	atSpeeds(e, "a", 1, func(int, int) bool { return true })
	atSpeeds(e, "b", 1, func(_, run int) bool { return run != 2 })
	_, rows = judge(t, e, parityRules())
	if s := rows["static"].Effect.Speeds; s == nil || s.Host || s.Both || rows["static"].Effect.Pairs != 15 || !strings.Contains(s.text(0), "may be chance (p 0.224)") {
		t.Errorf("speeds %+v", s)
	}
	// Both at both, three slow runs of fifteen and twelve of them: p = 0.003, and the mix is the
	// effect.
	e = lab{5, nil}.evidence()
	atSpeeds(e, "a", 1, func(_, run int) bool { return run != 2 })
	atSpeeds(e, "b", 1, func(_, run int) bool { return run == 2 })
	_, rows = judge(t, e, parityRules())
	if s := rows["static"].Effect.Speeds; s == nil || s.Host || !s.Both || rows["static"].Effect.Pairs != 15 || math.Abs(s.P-0.0028) > 0.0001 {
		t.Errorf("speeds %+v", s)
	}
	// Two variants at two speeds are two variants.
	_, rows = judge(t, lab{5, map[string]float64{"b": 930}}.evidence(), parityRules())
	if rows["static"].Effect.Speeds != nil {
		t.Errorf("flags %v", rows["static"].Flags)
	}
}

func TestOrderFlags(t *testing.T) {
	// The host loses 4 % in three hours, the ratio nothing.
	e := lab{5, nil}.evidence()
	for _, variant := range []string{"a", "b"} {
		each(e, variant, "static", func(m *record.Measurement) {
			m.RPS = record.Of(1000 * math.Exp(-0.04*(float64(m.Round-1)/2+float64(m.Run)/1000)))
		})
	}
	_, rows := judge(t, e, parityRules())
	if static := rows["static"]; static.Ratio != 1 || static.Effect.Ratio != 1 || static.Effect.Lo != 1 || static.Effect.Hi != 1 {
		t.Errorf("the ratio drifted, too: %v, %+v", static.Ratio, static.Effect)
	}
	if !rows["static"].has(FlagDrift) || rows["php"].has(FlagDrift) || rows["static"].has(FlagPosition) {
		t.Errorf("static %v, php %v", rows["static"].Flags, rows["php"].Flags)
	}
	// The numbers stand there, flagged or not: two steps of 2 % of static, and of php
	// nothing, give or take what its runs differ by.
	if o := rows["static"].Order; len(o.Drift) != 1 || math.Abs(o.Drift[0].Change+0.04) > 0.002 || o.Drift[0].P > 0.001 || o.Position != nil {
		t.Errorf("%+v", o)
	}
	if o := rows["php"].Order; len(o.Drift) != 1 || math.Abs(o.Drift[0].Change) > 0.005 {
		t.Errorf("%+v", o)
	}
	// The one that runs first is 2 % faster.
	e = lab{5, nil}.evidence()
	for _, variant := range []string{"a", "b"} {
		each(e, variant, "static", func(m *record.Measurement) {
			m.Slot = 1 + (m.Run+len(variant)+int(variant[0]))%2
			if m.Slot == 1 {
				m.RPS = record.Of(1.01 * m.RPS.OrNaN())
			} else {
				m.RPS = record.Of(0.99 * m.RPS.OrNaN())
			}
		})
	}
	_, rows = judge(t, e, parityRules())
	if o := rows["static"].Order; o.Position == nil || math.Abs(o.Position.Effect-0.04) > 0.002 || o.Position.First+o.Position.Second != 15 {
		t.Errorf("%+v", o.Position)
	}
	if text := strings.Join(rows["static"].Order.texts("a", "b"), "\n"); !strings.Contains(text, "a moved by ") || !strings.Contains(text, "b is +4.0 % better where it runs first (p < 0.001; 9 pairs first, 6 second)") {
		t.Error(text)
	}
	if !rows["static"].has(FlagPosition) || rows["php"].has(FlagPosition) {
		t.Errorf("static %v, php %v", rows["static"].Flags, rows["php"].Flags)
	}
}

// The seconds of a measurement show a cold start, and a rate that changed in the middle.
func TestSecondsFlags(t *testing.T) {
	e := lab{3, nil}.evidence()
	e.Seconds = map[MeasurementKey][]float64{}
	series := func(early, late float64, from int) []float64 {
		all := make([]float64, 30)
		for i := range all {
			all[i] = late + float64(i%2)
			if i < from {
				all[i] = early + float64(i%2)
			}
		}
		return all
	}
	for _, r := range e.Rounds {
		for i := range r.Measurements {
			m := &r.Measurements[i]
			switch {
			case m.Scenario == "static" && m.Variant == "b" && r.Number == 2:
				e.Seconds[KeyOf(m)] = series(900, 1000, 10)
			case m.Scenario == "php" && m.Run == 1:
				e.Seconds[KeyOf(m)] = series(1000, 1000, 0)
			}
		}
	}
	_, rows := judge(t, e, parityRules())
	texts := map[string]string{}
	for _, f := range rows["static"].Flags {
		texts[f.Code] = f.Text
	}
	// 900.5 / 1000.5 - 1 = -10.0 %; the first second of the new rate is the eleventh.
	if want := "3 of 3 measurements; b, round 2, run 1 began with -10.0 % of its later rate"; texts[FlagNotWarm] != want {
		t.Errorf("%q, want %q", texts[FlagNotWarm], want)
	}
	if want := "3 of 3 measurements; b, round 2, run 1 changed its rate at second 11"; texts[FlagFlip] != want {
		t.Errorf("%q, want %q", texts[FlagFlip], want)
	}
	if s := rows["static"].Order.Seconds; s != (Seconds{3, 3, 3}) {
		t.Errorf("%+v", s)
	}
	if file := rows["static"].json(); file.Order == nil || file.Order.Seconds == nil || file.Order.Seconds.Flipped != 3 || len(file.Order.Drift) != 1 {
		t.Errorf("%+v", file.Order)
	}
	if len(rows["php"].Flags) != 0 {
		t.Errorf("a steady row has %v", rows["php"].Flags)
	}
}

func TestLimiter(t *testing.T) {
	for _, test := range []struct {
		base, new, generator float64
		want                 string
	}{
		{0.99, 0.98, 0.3, LimiterServer},
		{0.99, 0.8, 0.3, LimiterUnknown},
		{0.5, 0.5, 0.3, LimiterUnknown},
		{math.NaN(), math.NaN(), math.NaN(), ""},
		{0.99, math.NaN(), 0.3, LimiterUnknown},
	} {
		e := lab{3, nil}.evidence()
		each(e, "a", "static", func(m *record.Measurement) {
			m.ServerBusyFrac, m.GeneratorBusyFrac = record.Of(test.base), record.Of(test.generator)
		})
		each(e, "b", "static", func(m *record.Measurement) {
			m.ServerBusyFrac, m.GeneratorBusyFrac = record.Of(test.new), record.Of(test.generator)
		})
		_, rows := judge(t, e, parityRules())
		if l := rows["static"].Limiter; l.Of != test.want {
			t.Errorf("%+v: %+v", test, l)
		}
	}
	// Where upstreams have CPUs to themselves one sees that they were the limit, of both
	// variants.
	for _, test := range []struct {
		base, new float64
		want      string
	}{{0.97, 0.99, LimiterUpstream}, {0.97, 0.9, LimiterUnknown}} {
		e := lab{3, nil}.evidence()
		each(e, "a", "static", func(m *record.Measurement) { m.ServerBusyFrac, m.AppBusyFrac = record.Of(0.6), record.Of(test.base) })
		each(e, "b", "static", func(m *record.Measurement) { m.ServerBusyFrac, m.AppBusyFrac = record.Of(0.6), record.Of(test.new) })
		_, rows := judge(t, e, parityRules())
		if l := rows["static"].Limiter; l.Of != test.want || !strings.Contains(l.Text, "upstream 97 % / ") {
			t.Errorf("%+v: %+v", test, l)
		}
	}
	// A saturated generator may stand in a table that gives no verdict of record.
	e := lab{3, nil}.evidence()
	e.Sessions[0].Plan.Preset = "quick"
	for _, v := range []string{"a", "b"} {
		each(e, v, "static", func(m *record.Measurement) {
			m.GeneratorBusyFrac, m.ServerBusyFrac, m.CPUAppMicros = record.Of(0.97), record.Of(0.6), record.Of(1500)
		})
	}
	_, rows := judge(t, e, parityRules())
	if l := rows["static"].Limiter; l.Of != LimiterGenerator || !strings.Contains(l.Text, "the server used 4.00 / 4.00 CPUs, applications 1.50 / 1.50") {
		t.Errorf("%+v", l)
	}
}
