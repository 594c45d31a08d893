package gate

import (
	"math"
	"strings"
	"testing"

	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/stat"
)

// numbers are those of a row with a value and a spread, all else as before.
func numbers(value, spread float64) Numbers {
	return Numbers{Value: value, Spread: spread, P99: 1, CPU: 1 / value, RSS: 1, CPUSpread: spread, Rounds: []RoundNumbers{{Ratio: value}}}
}

func TestDecide(t *testing.T) {
	none := math.NaN()
	parity, uncapped, fixed := DefaultRule(Parity), DefaultRule(Parity), DefaultRule(Fixed)
	uncapped.MaxMarginFrac = 0
	withCPU := parity
	withCPU.CPUMax = 1.02
	with := func(n Numbers, change func(n *Numbers)) Numbers {
		change(&n)
		return n
	}
	tests := []struct {
		name string
		n    Numbers
		rule Rule
		want Verdict
	}{
		{"at par", numbers(1, 0), parity, Pass},
		{"a rounding error below", numbers(1-1e-12, 0), parity, Pass},
		{"a millionth below, no noise", numbers(1-1e-6, 0), parity, Fail},
		{"inside the spread", numbers(0.99, 0.011), parity, Pass},
		{"outside", numbers(0.99, 0.009), parity, Fail},
		// In binary 1 - 0.9 is below 0.1 by 3e-17, and 1 - 0.982 below 0.018 by 1e-17.
		{"a tie that binary fractions would pass", numbers(0.9, 0.1), uncapped, Fail},
		{"a tie", numbers(0.982, 0.018), parity, Fail},
		{"just inside", numbers(0.982, 0.018+1e-8), parity, Pass},
		{"noise over the cap", numbers(0.947, 0.06), parity, Fail},
		{"noise without a cap", numbers(0.947, 0.06), uncapped, Pass},
		{"a tie with the cap", numbers(0.95, 0.06), parity, Fail},
		{"a loss of which no spread is known", numbers(0.999, none), parity, Fail},
		{"a gain of which no spread is known", numbers(1.001, none), parity, Pass},

		{"at the threshold", numbers(0.98, 0), fixed, Pass},
		{"below by less than the spread", numbers(0.978, 0.012), fixed, Borderline},
		{"below by the spread", numbers(0.968, 0.012), fixed, Fail},
		{"below by more", numbers(0.95, 0.012), fixed, Fail},
		{"below, no spread known", numbers(0.979, none), fixed, Fail},

		{"p99 at its limit", with(numbers(1, 0), func(n *Numbers) { n.P99 = 1.15 }), parity, Pass},
		{"p99 over it", with(numbers(1.2, 0), func(n *Numbers) { n.P99 = 1.1501 }), parity, Fail},
		{"RSS over it", with(numbers(1.2, 0), func(n *Numbers) { n.RSS = 1.16 }), parity, Fail},
		{"RSS over it, below the threshold", with(numbers(0.978, 0.012), func(n *Numbers) { n.RSS = 1.16 }), fixed, Fail},
		{"p99 not measured", with(numbers(1, 0), func(n *Numbers) { n.P99 = none }), parity, Pass},
		{"cpu_us without a limit", with(numbers(1, 0), func(n *Numbers) { n.CPU = 3 }), parity, Pass},
		{"cpu_us over its limit", with(numbers(1, 0), func(n *Numbers) { n.CPU = 1.03 }), withCPU, Fail},

		// An application limits the rate: only cpu_us counts, and it is better when smaller.
		{"rate down, cpu_us down", with(numbers(0.9, 0), func(n *Numbers) { n.Metric, n.CPU = CPU, 0.8 }), parity, Pass},
		{"rate up, cpu_us up", with(numbers(1.1, 0.03), func(n *Numbers) { n.Metric, n.CPU = CPU, 1.1 }), parity, Fail},
		// 1/1.02 = 0.980, a loss of 1.96 %.
		{"cpu_us up inside its spread", with(numbers(0.5, 0.03), func(n *Numbers) { n.Metric, n.CPU = CPU, 1.02 }), parity, Pass},
		{"cpu_us of 0", with(numbers(1, 0.03), func(n *Numbers) { n.Metric, n.CPU = CPU, 0 }), parity, Invalid}, // 1 / 0 is infinite
		{"cpu_us not measured", with(numbers(1, 0.03), func(n *Numbers) { n.Metric, n.CPU = CPU, none }), parity, Invalid},
		{"nothing measured", noNumbers(), parity, Invalid},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := Decide(test.n, test.rule)
			if d.Verdict != test.want {
				t.Errorf("%s, want %s: %v", d.Verdict, test.want, d.Why)
			}
			if len(d.Why) == 0 {
				t.Error("no reason")
			}
		})
	}
}

// The reasons tell the numbers.
func TestWhy(t *testing.T) {
	n := numbers(0.947, 0.06)
	n.Rounds = []RoundNumbers{{Ratio: 0.982}, {Ratio: 0.947}, {Ratio: 0.911}}
	n.P99 = math.NaN()
	want := `new / base of rps is 0.947, median of 0.982 / 0.947 / 0.911
its spread of 6.0 % is capped at 5.0 %
the loss of 5.3 % is not less than 5.0 %: FAIL
p99 was not measured: its limit of 1.15 was not looked at
peak RSS is 1.000, not over its limit of 1.15`
	if have := strings.Join(Decide(n, DefaultRule(Parity)).Why, "\n"); have != want {
		t.Errorf("have\n%s\nwant\n%s", have, want)
	}
}

func TestValidate(t *testing.T) {
	compare := []Comparison{{Base: "a", New: "b"}}
	for _, p := range []Policy{Parity, Fixed} {
		if err := (Rules{Rule: DefaultRule(p), Compare: compare}).Validate(); err != nil {
			t.Errorf("%s: %v", p, err)
		}
	}
	if err := (Rules{Compare: compare}).Validate(); err != nil {
		t.Errorf("the zero rule: %v", err)
	}
	err := Rules{Rule: Rule{Policy: Fixed, MaxMarginFrac: 1, P99Max: -1, RSSMax: math.Inf(1), CPUMax: math.NaN(), MinRounds: -1},
		Compare: []Comparison{{Base: "a", New: "a"}, {Base: "a"}}}.Validate()
	want := `largest margin 1, expected 0 for none, or a fraction below 1
smallest ratio 0, expected one above 0, such as 0.98
p99 ratio -1, expected 0 for no limit, or a ratio such as 1.15
peak RSS ratio +Inf, expected 0 for no limit, or a ratio such as 1.15
cpu_us ratio NaN, expected 0 for no limit, or a ratio such as 1.15
smallest number of rounds -1, expected 0 for the policy's own, or more
comparison 1: a with itself
comparison 2: base "a", new "", expected two variants`
	if err == nil || err.Error() != want {
		t.Errorf("have\n%v\nwant\n%s", err, want)
	}
	if _, err := Judge(Evidence{}, Rules{}); err == nil || !strings.Contains(err.Error(), "nothing to compare") {
		t.Errorf("rules without a comparison: %v", err)
	}
}

func TestRuleOf(t *testing.T) {
	r, err := RuleOf(record.PlanGate{})
	if err != nil || r != DefaultRule(Parity) {
		t.Errorf("of nothing: %+v, %v", r, err)
	}
	r, err = RuleOf(record.PlanGate{Policy: "fixed", MinRatio: record.Of(0.97), P99Max: record.Of(0)})
	if err != nil || r != (Rule{Policy: Fixed, MinRatio: 0.97, RSSMax: DefaultRSSMax, Alpha: DefaultAlpha}) {
		t.Errorf("of fixed 0.97: %+v, %v", r, err)
	}
	r, err = RuleOf(record.PlanGate{Policy: "noninferior", MaxRounds: 6, Spend: "power2"})
	if err != nil || r.MaxRounds != 6 || r.Spend != stat.Power2 {
		t.Errorf("looks: %+v, %v", r, err)
	}
	r, err = RuleOf(record.PlanGate{Policy: "noninferior", MaxRounds: 2}) // an estimate has not looked
	if err != nil || r.MaxRounds != 0 {
		t.Errorf("two rounds: %+v, %v", r, err)
	}
	r, err = RuleOf(record.PlanGate{MaxMarginFrac: record.Of(0)})
	if err != nil || r.MaxMarginFrac != 0 {
		t.Errorf("of no cap: %+v, %v", r, err)
	}
	// The margin of rows that are judged by cpu_us: new / base of 1.02, or what limits it, or
	// the one margin that the suite says.
	for _, test := range []struct {
		asked record.PlanGate
		want  float64
	}{
		{record.PlanGate{}, 1 - 1/1.02},
		{record.PlanGate{CPUMax: record.Of(1.05)}, 1 - 1/1.05},
		{record.PlanGate{MarginFrac: record.Of(0.005)}, 0},
		{record.PlanGate{MarginFrac: record.Of(0.005), CPUMax: record.Of(1.05)}, 1 - 1/1.05},
	} {
		test.asked.Policy = "noninferior"
		if r, err := RuleOf(test.asked); err != nil || math.Abs(r.AppMarginFrac-test.want) > 1e-12 {
			t.Errorf("%+v: %v, %v, want %v", test.asked, r.AppMarginFrac, err, test.want)
		}
	}
	r, err = RuleOf(record.PlanGate{Policy: "noninferior", Inconclusive: "fail", Interval: "pairs", P999Max: record.Of(1.3)})
	if err != nil || r.OnInconclusive != Fail || r.Interval != ByPairs || r.P999Max != 1.3 {
		t.Errorf("%+v, %v", r, err)
	}
	for _, bad := range []record.PlanGate{{Policy: "best"}, {Inconclusive: "maybe"}, {Interval: "t"}, {MaxMarginFrac: record.Of(2)}} {
		if _, err := RuleOf(bad); err == nil {
			t.Errorf("%+v is a rule", bad)
		}
	}
}

func TestVerdictWords(t *testing.T) {
	for v := NotApplicable; v <= Invalid; v++ {
		if back, err := ParseVerdict(v.String()); err != nil || back != v {
			t.Errorf("%s reads back as %s, %v", v, back, err)
		}
	}
	if _, err := ParseVerdict("pass"); err == nil {
		t.Error("pass is a verdict")
	}
	if Verdict(99).String() == "" || Policy(99).String() == "" {
		t.Error("no text of a verdict that is none")
	}
	// Of several the greatest counts.
	order := []Verdict{NotApplicable, Pass, Borderline, Inconclusive, NotRun, Fail, Invalid}
	for i := range order[1:] {
		if order[i] >= order[i+1] {
			t.Errorf("%s is not below %s", order[i], order[i+1])
		}
	}
}
