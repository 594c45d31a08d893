package gate

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/stat"
)

// rowOf is a row whose base is at 1000 req/s in every run, with the ratios of its pairs
// round by round.
func rowOf(rounds ...[]float64) Numbers { return rowAt(nil, rounds) }

// rowAt is rowOf with other rates of the base than 1000, in thousands.
func rowAt(bases, rounds [][]float64) Numbers {
	var sample []roundSample
	for i, ratios := range rounds {
		s := roundSample{round: &record.Round{Number: i + 1}}
		for k, ratio := range ratios {
			run := func(variant string, rps float64) record.Measurement {
				return record.Measurement{
					Round: i + 1, Run: k + 1, Variant: variant, Scenario: "static", RPS: record.Of(rps),
					P99Millis: record.Of(2), CPUMicros: record.Of(4e6 / rps), RSSKiB: record.Of(45056),
				}
			}
			base := 1000.0
			if bases != nil {
				base *= bases[i][k]
			}
			s.base = append(s.base, run("a", base))
			s.new = append(s.new, run("b", base*ratio))
		}
		sample = append(sample, s)
	}
	return measure(sample)
}

// spreadOut are n ratios around one, evenly from -width to +width on the ln scale.
func spreadOut(ratio, width float64, n int) []float64 {
	all := make([]float64, n)
	for i := range all {
		all[i] = ratio * math.Exp(width*(2*float64(i)/float64(n-1)-1))
	}
	return all
}

func TestNonInferior(t *testing.T) {
	rule := DefaultRule(NonInferior)
	tests := []struct {
		name  string
		n     Numbers
		want  Verdict
		short string
	}{
		// Five pairs at 0.05: c = 0, so that the bounds are the least and the largest
		// Walsh average, which are the least and the largest pair.
		{"no pair is below", rowOf([]float64{0.991, 0.992, 0.993, 0.994, 0.995}), Pass, "at least 0.991, slower within the margin"},
		{"one is", rowOf([]float64{0.989, 0.992, 0.993, 0.994, 0.995}), Inconclusive, "between 0.989 and 0.995 with a margin of 1.0 %"},
		{"all are", rowOf([]float64{0.985, 0.986, 0.987, 0.988, 0.989}), Fail, "at most 0.989, a loss of more than the margin of 1.0 %"},
		{"all but one", rowOf([]float64{0.985, 0.986, 0.987, 0.988, 0.991}), Inconclusive, "between 0.985 and 0.991 with a margin of 1.0 %"},
		{"surely faster", rowOf([]float64{1.01, 1.02, 1.03, 1.04, 1.05}), Pass, "at least 1.010, faster"},
		{"neither", rowOf([]float64{0.998, 0.999, 1, 1.001, 1.002}), Pass, "at least 0.998"},
		{"exactly the margin is a tie", rowOf([]float64{0.99, 0.99, 0.99, 0.99, 0.99}), Inconclusive, "between 0.990 and 0.990 with a margin of 1.0 %"},
		{"four pairs have no bound", rowOf([]float64{1, 1, 1, 1}), Inconclusive, "signed-rank bound at level 0.05: needs >= 5 pairs, has 4"},
		// Under parity this noise would excuse the loss of 2 %; here it says nothing.
		{"noise never passes", rowOf(spreadOut(0.98, 0.06, 5), spreadOut(0.98, 0.06, 5), spreadOut(0.98, 0.06, 5)), Inconclusive, ""},
		{"printed ratios have no pairs", numbers(1.1, 0.01), Inconclusive, "no runs are known"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := Decide(test.n, rule)
			if d.Verdict != test.want || test.short != "" && d.Short != test.short {
				t.Errorf("%s %q, want %s %q", d.Verdict, d.Short, test.want, test.short)
			}
			if !strings.Contains(d.Why[len(d.Why)-3], test.want.String()) {
				t.Errorf("no %s in %q", test.want, d.Why)
			}
		})
	}
}

// The cpu_us of an application-bound row is judged like a rate: base / new.
func TestNonInferiorByCPU(t *testing.T) {
	n := rowOf([]float64{0.985, 0.986, 0.987, 0.988, 0.989}) // cpu_us is 4e6 / rps
	n.Metric = CPU
	d := Decide(n, DefaultRule(NonInferior))
	if d.Verdict != Fail || ratioText(d.Effect.Hi) != "0.989" || ratioText(d.Ratio) != "0.987" {
		t.Errorf("%s %q, effect %+v", d.Verdict, d.Short, d.Effect)
	}
}

// A scenario's own margin goes before that of the rule, unless one margin is asked for all; a
// row that is judged by cpu_us has its own. static loses 1.5 %, surely; php 1.5 % of cpu_us.
func TestMarginOfRow(t *testing.T) {
	rules := parityRules()
	rules.Rule = DefaultRule(NonInferior)
	for _, test := range []struct {
		name        string
		change      func(p *record.Plan, r *Rules)
		static, php Verdict
	}{
		{"1 % of the rate, 2 % of cpu_us", func(*record.Plan, *Rules) {}, Fail, Pass},
		{"its own", func(p *record.Plan, r *Rules) { p.Scenarios[0].Margin = record.Of(0.03) }, Pass, Pass},
		{"its own of cpu_us", func(p *record.Plan, r *Rules) { p.Scenarios[1].Margin = record.Of(0.005) }, Fail, Fail},
		{"one margin", func(p *record.Plan, r *Rules) {
			p.Scenarios[0].Margin, r.OneMargin, r.AppMarginFrac = record.Of(0.03), true, 0
		}, Fail, Fail},
		{"another policy", func(p *record.Plan, r *Rules) {
			p.Scenarios[0].Margin, r.Rule = record.Of(0.03), DefaultRule(Fixed)
		}, Pass, Pass},
	} {
		e := lab{5, map[string]float64{"b": 985}}.evidence()
		e.Sessions[0].Plan.Scenarios[1].Bound = record.BoundApp
		changed := rules
		test.change(e.Sessions[0].Plan, &changed)
		_, rows := judge(t, e, changed)
		if rows["static"].Verdict != test.static || rows["php"].Verdict != test.php {
			t.Errorf("%s: static %s %q, php %s %q", test.name, rows["static"].Verdict, rows["static"].Why, rows["php"].Verdict, rows["php"].Why)
		}
	}
}

// What stays INCONCLUSIVE counts as what the rule says, after the last look and not before.
func TestOnInconclusive(t *testing.T) {
	e := lab{5, nil}.evidence()
	each(e, "b", "php", func(m *record.Measurement) { m.RPS = record.Of(1000 * (1 + 0.03*float64(m.Run-3))) })
	rules := parityRules()
	for _, test := range []struct {
		counts    Verdict
		maxRounds int
		want      Verdict
	}{{0, 0, Inconclusive}, {Fail, 0, Fail}, {Pass, 0, Pass}, {Fail, 3, Fail}, {Fail, 6, Inconclusive}} {
		rules.Rule = DefaultRule(NonInferior)
		rules.OnInconclusive, rules.MaxRounds = test.counts, test.maxRounds
		table, rows := judge(t, e, rules)
		php := rows["php"]
		if php.Verdict != test.want || php.has(FlagSettled) != (test.want != Inconclusive) || rows["static"].Verdict != Pass {
			t.Errorf("%+v: %s, flags %v", test, php.Verdict, php.Flags)
		}
		if test.maxRounds == 6 && table.Look()[1].Decided {
			t.Errorf("%+v: decided before the last look", test)
		}
	}
	rules.OnInconclusive = Borderline
	if err := rules.Validate(); err == nil {
		t.Error("INCONCLUSIVE counts as BORDERLINE")
	}
}

// p99.9 has a limit where one is asked for.
func TestP999Limit(t *testing.T) {
	e := lab{5, nil}.evidence()
	for variant, ms := range map[string]float64{"a": 10, "b": 13} {
		each(e, variant, "php", func(m *record.Measurement) { m.P999Millis = record.Of(ms) })
	}
	rules := parityRules()
	_, rows := judge(t, e, rules)
	if rows["php"].Verdict != Pass {
		t.Errorf("without a limit: %s", rows["php"].Verdict)
	}
	for _, policy := range []Policy{Parity, NonInferior} {
		rules.Rule = DefaultRule(policy)
		rules.P999Max = 1.2
		_, rows = judge(t, e, rules)
		if php := rows["php"]; php.Verdict != Fail || ratioText(php.Numbers.P999) != "1.300" || !strings.HasPrefix(php.Short, "p99.9 ") {
			t.Errorf("%s: %s %q", policy, php.Verdict, php.Short)
		}
	}
	if static := rows["static"]; static.Verdict != Pass || !static.has(FlagNotMeasured) {
		t.Errorf("not measured: %s %q, %v", static.Verdict, static.Short, static.Flags)
	}
}

// p99 is tested as the rate is, in its own direction; peak RSS as it stands.
func TestNonInferiorLimits(t *testing.T) {
	base := rowOf([]float64{1, 1, 1, 1, 1})
	with := func(p99 []float64, rss float64) Numbers {
		n := base
		n.Rounds = append([]RoundNumbers{}, n.Rounds...)
		n.Rounds[0].New = append([]record.Measurement{}, n.Rounds[0].New...)
		for k := range n.Rounds[0].New {
			n.Rounds[0].New[k].P99Millis = record.Of(2 * p99[k])
		}
		n.P99, n.RSS = median(p99), rss
		return n
	}
	for _, test := range []struct {
		name string
		n    Numbers
		want Verdict
	}{
		{"below", with([]float64{1.1, 1.11, 1.12, 1.13, 1.14}, 1), Pass},
		{"not surely below", with([]float64{1.1, 1.11, 1.12, 1.13, 1.16}, 1), Inconclusive},
		{"surely over", with([]float64{1.16, 1.17, 1.18, 1.19, 1.2}, 1), Fail},
		{"RSS over", with([]float64{1, 1, 1, 1, 1}, 1.151), Fail},
		{"RSS at it", with([]float64{1, 1, 1, 1, 1}, 1.15), Pass},
		{"RSS over, and the rate open", with([]float64{1, 1, 1, 1, 1.2}, 1.2), Fail},
	} {
		if d := Decide(test.n, DefaultRule(NonInferior)); d.Verdict != test.want {
			t.Errorf("%s: %s %q, want %s", test.name, d.Verdict, d.Why, test.want)
		}
	}
}

// The levels of looks after rounds 3 to 6 of 6, O'Brien-Fleming type: with z = 1.95996 of
// 0.05/2 the first is 2(1 - Phi(z/sqrt(3/6))) = 0.00557, and the others are what
// 2(1 - Phi(z/sqrt(r/6))) grows by; they add up to 0.05.
func TestLooks(t *testing.T) {
	rule := DefaultRule(NonInferior)
	rule.MaxRounds = 6
	for rounds, want := range map[int]float64{2: 0.05, 3: 0.00557, 4: 0.01080, 5: 0.01542, 6: 0.01821, 7: 0} {
		if have := rule.look(rounds); math.Abs(have-want) > 5e-6 {
			t.Errorf("after round %d: %v, want %v", rounds, have, want)
		}
	}
	rule.Spend = stat.Power2 // 0.05 x (3/6)²
	if have := rule.look(3); math.Abs(have-0.0125) > 1e-12 {
		t.Errorf("power2 after round 3: %v", have)
	}
	rule.MaxRounds = 3
	if have := rule.look(3); have != 0.05 {
		t.Errorf("one look: %v", have)
	}
	rule.MaxRounds = 2
	if err := rule.Validate(); err == nil {
		t.Error("looks end before they begin")
	}
	// The error is spent: what was measured after the last look decides nothing.
	rule.MaxRounds = 3
	five := []float64{1, 1, 1, 1, 1}
	if d := Decide(rowOf(five, five, five, five), rule); d.Verdict != Inconclusive || d.Short != "no error is left for this look" {
		t.Errorf("%s %q", d.Verdict, d.Short)
	}
}

// Where rounds differ by more than their pairs, a round is one value. Means 0, 0.01 and
// 0.02 on the ln scale have S2² = 1e-4; Student's t with 2 degrees of freedom at 0.05 is
// 2.920, so that the half width is 2.920 x sqrt(1e-4/3) = 0.01686 around 0.01.
func TestRoundEffect(t *testing.T) {
	round := func(mean float64) []float64 { return spreadOut(math.Exp(mean), 0.001, 5) }
	d := Decide(rowOf(round(0), round(0.01), round(0.02)), DefaultRule(NonInferior))
	e := d.Effect
	if !e.ByRounds || math.Abs(math.Log(e.Lo)-(0.01-0.01686)) > 1e-5 || math.Abs(math.Log(e.Hi)-(0.01+0.01686)) > 1e-5 {
		t.Errorf("bounds %v to %v, by rounds %v", math.Log(e.Lo), math.Log(e.Hi), e.ByRounds)
	}
	// The p is that of the same t: (0.01 - ln 0.99) / sqrt(1e-4/3) = 3.4727, above which
	// lies 0.0369 with 2 degrees of freedom; that of 15 signed ranks would be 2^-15.
	n := rowOf(round(0), round(0.01), round(0.02))
	pairs := pairsOf(&n, Rule{})
	if p := pairs.test(math.Log(0.99), ByRounds).PAbove; math.Abs(p-0.0369) > 1e-4 {
		t.Errorf("p %v", p)
	}
	// t of 2 degrees of freedom at 0.05 and 0.10 is 2.920 and 1.886, times 0.005774.
	if math.Abs(e.MDE-(1-math.Exp(-(2.920+1.886)*0.0057735))) > 1e-5 {
		t.Errorf("could have seen %v", e.MDE)
	}
	row := Row{Numbers: rowOf(round(0), round(0.01), round(0.02))}
	row.decide(DefaultRule(Parity))
	if !row.has(FlagRoundEffect) {
		t.Errorf("flags %v", row.Flags)
	}
}

// Of 20 rows of which one fails by itself at 0.05 none failed: with Holm the smallest
// p would have to be at most 0.05/20 = 0.0025, and five pairs reach 1/32 = 0.03 alone.
func TestHolm(t *testing.T) {
	rule := DefaultRule(NonInferior)
	rule.P99Max, rule.RSSMax = 0, 0
	table := func(n int, failing Numbers) []*Row {
		var rows []*Row
		for i := range n {
			numbers := rowOf([]float64{1, 1, 1, 1, 1})
			if i == 0 {
				numbers = failing
			}
			row := &Row{Scenario: fmt.Sprint(i), Numbers: numbers}
			row.decide(rule)
			rows = append(rows, row)
		}
		correct(rows, rule)
		return rows
	}
	weak := rowOf([]float64{0.985, 0.986, 0.987, 0.988, 0.989})
	five := spreadOut(0.98, 0.001, 5)
	strong := rowOf(five, five, five) // p = 2^-15
	for _, test := range []struct {
		rows    int
		failing Numbers
		want    Verdict
	}{{1, weak, Fail}, {2, weak, Inconclusive}, {20, weak, Inconclusive}, {20, strong, Fail}} {
		rows := table(test.rows, test.failing)
		if rows[0].Verdict != test.want || rows[0].First != test.want {
			t.Errorf("one of %d: %s (first %s), want %s; %q", test.rows, rows[0].Verdict, rows[0].First, test.want, rows[0].Why)
		}
		if len(rows) > 1 && rows[1].Verdict != Pass {
			t.Errorf("another row is %s", rows[1].Verdict)
		}
	}
	if why := strings.Join(table(20, weak)[0].Why, "\n"); !strings.Contains(why, "as one of 20 such tests it would have to be at most 0.003 (Holm)") {
		t.Errorf("why: %s", why)
	}
}

// Limits are a family of their own: one of five pairs, p = 1/32, fails a table of one row, and
// not one of two, where it would have to be at most 0.05/2.
func TestHolmOfLimits(t *testing.T) {
	rule := DefaultRule(NonInferior)
	for n, want := range map[int]Verdict{1: Fail, 2: Inconclusive} {
		var rows []*Row
		for i := range n {
			numbers := rowOf([]float64{1, 1, 1, 1, 1})
			if i == 0 {
				for k := range numbers.Rounds[0].New {
					numbers.Rounds[0].New[k].P99Millis = record.Of(2 * (1.2 + 0.01*float64(k)))
				}
				numbers.P99 = 1.22
			}
			row := &Row{Scenario: fmt.Sprint(i), Numbers: numbers}
			row.decide(rule)
			rows = append(rows, row)
		}
		correct(rows, rule)
		if rows[0].Verdict != want || rows[0].takenBack != (want != Fail) {
			t.Errorf("one of %d: %s, want %s; %q", n, rows[0].Verdict, want, rows[0].Why)
		}
	}
}

// Looks make no row of fewer rounds: one that is missing from a later round is missing
// evidence.
func TestMissingRowWithLooks(t *testing.T) {
	e := lab{5, nil}.evidence()
	e.Rounds = append(e.Rounds, lab{5, nil}.round("s1", 4, night.AddDate(0, 0, 1)))
	drop(e.Rounds[3], func(m record.Measurement) bool { return m.Scenario == "php" })
	rules := parityRules()
	rules.Rule = DefaultRule(NonInferior)
	rules.MaxRounds = 6
	_, rows := judge(t, e, rules)
	if rows["php"].Verdict != Invalid || rows["php"].Short != "not measured in round 4" {
		t.Errorf("%s %q", rows["php"].Verdict, rows["php"].Short)
	}
}

// A repeat of an INCONCLUSIVE row may decide it, and the row says what that costs. One of
// fewer rounds than a table needs does not.
func TestNonInferiorRepeat(t *testing.T) {
	e := lab{5, nil}.evidence()
	each(e, "b", "php", func(m *record.Measurement) { m.RPS = record.Of(1000 * (1 + 0.03*float64(m.Run-3))) })
	addRepeat(&e, lab{5, nil}, "again", "s1", "php", night.AddDate(0, 0, 1))
	rules := parityRules()
	rules.Rule = DefaultRule(NonInferior)
	_, rows := judge(t, e, rules)
	if php := rows["php"]; php.Verdict != Inconclusive || len(php.Repeats) != 1 || !strings.HasSuffix(php.Repeats[0].Short, "an estimate: 1 of the 3 rounds that policy noninferior needs") {
		t.Errorf("one round: %s, repeats %+v", php.Verdict, php.Repeats)
	}
	for n := 2; n <= 3; n++ {
		r := lab{5, nil}.round("again", n, night.AddDate(0, 0, n))
		drop(r, func(m record.Measurement) bool { return m.Scenario != "php" })
		e.Rounds = append(e.Rounds, r)
	}
	_, rows = judge(t, e, rules)
	php := rows["php"]
	if php.First != Inconclusive || php.Verdict != Pass || !strings.HasSuffix(php.Flags[len(php.Flags)-1].Text, "twice as likely") {
		t.Errorf("%s, then %s, flags %v", php.First, php.Verdict, php.Flags)
	}
}
