package ab

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"
)

// steady is a pair of servers that never vary, B at a share of A's speed. Latencies and
// CPU time grow as rps falls.
func steady(i int, ratio float64) Pair {
	a := Slice{RPS: 10_000, P50US: 100, P99US: 400, CPUMicros: 50}
	b := Slice{RPS: 10_000 * ratio, P50US: 100 / ratio, P99US: 400 / ratio, CPUMicros: 50 / ratio}
	return Pair{A: a, B: b, AFirst: i%4 == 0 || i%4 == 3, At: time.Duration(i+1) * 100 * time.Millisecond}
}

// judgeOf is a judge that has seen so many pairs.
func judgeOf(t *testing.T, r Rule, n int, pair func(i int) Pair) *Judge {
	t.Helper()
	j, err := NewJudge(r)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if err := j.Add(pair(i)); err != nil {
			t.Fatalf("pair %d: %v", i, err)
		}
	}
	return j
}

// Nothing is said in the first six seconds, and then all of it at once where nothing
// varies.
func TestJudge(t *testing.T) {
	slower := func(i int) Pair { return steady(i, 0.98) }
	s := judgeOf(t, Rule{}, 58, slower).State() // 5.8 s
	if s.Decided || s.Verdict != CannotTell || s.RPS.Known() || s.Needs != 0 || math.Abs(s.RPS.Ratio-0.98) > 1e-12 {
		t.Errorf("before the first look: %+v", s)
	}
	s = judgeOf(t, Rule{}, 60, slower).State()
	if !s.Decided || s.Verdict != Slower || s.Pairs != 60 || s.Elapsed != 6*time.Second || s.Over {
		t.Errorf("at the first look: %+v", s)
	}
	// Units of 0.2 s: blocks of two of them, four pairs, are the longest up to 0.5 s. 30
	// units are 15 blocks.
	if e := s.RPS; e.BlockPairs != 4 || e.Block != 400*time.Millisecond || e.Pairs != 60 || e.Level != 0.95 || e.Lo > 0.98 || e.Hi < 0.98 {
		t.Errorf("rps: %+v", e)
	}
	for name, e := range map[string]Estimate{"p50": s.P50, "p99": s.P99, "CPU": s.CPU} {
		if math.Abs(e.Ratio*0.98-1) > 1e-9 || !e.Known() {
			t.Errorf("%s: %+v, want 1/0.98", name, e)
		}
	}
	// A percentile is known no better than a histogram tells it: 1/1024 either way.
	if width := math.Log(s.P50.Hi / s.P50.Lo); math.Abs(width-2.0/1024) > 1e-9 {
		t.Errorf("p50 is known to %v", width)
	}
	if v := judgeOf(t, Rule{}, 60, func(i int) Pair { return steady(i, 0.995) }).State().Verdict; v != Same {
		t.Errorf("half a percent with a margin of one: %v", v)
	}
	if v := judgeOf(t, Rule{Margin: 0.004}, 60, func(i int) Pair { return steady(i, 1.005) }).State().Verdict; v != Faster {
		t.Errorf("half a percent with a margin of 0.4: %v", v)
	}
}

// However long it took, fewer than eight blocks know too little of their own noise. Pairs of
// a second: units of two seconds, each a block.
func TestFewBlocksKnowNothing(t *testing.T) {
	seconds := func(i int) Pair {
		p := steady(i, 0.98)
		p.At = time.Duration(i+1) * time.Second
		return p
	}
	for pairs, want := range map[int]bool{14: false, 16: true} { // 7 and 8 units
		if s := judgeOf(t, Rule{}, pairs, seconds).State(); s.RPS.Known() != want || s.Totals.Known() != want || s.Decided != want {
			t.Errorf("%d pairs: %+v", pairs, s.RPS)
		}
	}
}

// What the host does to both is in neither: with rates that vary by half, and B always at
// 98 %, centre and totals are known as if nothing varied.
func TestWhatIsCommonCancels(t *testing.T) {
	s := judgeOf(t, Rule{}, 80, func(i int) Pair {
		p := steady(i, 0.98)
		host := 1 + 0.5*math.Sin(float64(i*i))
		p.A.RPS, p.B.RPS = p.A.RPS*host, p.B.RPS*host
		return p
	}).State()
	for name, e := range map[string]Estimate{"centre": s.RPS, "totals": s.Totals} {
		if math.Abs(e.Ratio-0.98) > 1e-9 || math.Abs(math.Log(e.Hi/e.Lo)) > 1e-9 {
			t.Errorf("%s: %+v", name, e)
		}
	}
}

// A server that takes two thousand times as long is told so, and one that a number can hardly
// hold as well: only a slice without any answer has a difference that was not measured.
func TestFarApart(t *testing.T) {
	s := judgeOf(t, Rule{}, 80, func(i int) Pair { return steady(i, 1.0/2000) }).State()
	for name, test := range map[string]struct {
		of   Estimate
		want float64
	}{"rps": {s.RPS, 1.0 / 2000}, "p50": {s.P50, 2000}, "p99": {s.P99, 2000}, "CPU": {s.CPU, 2000}} {
		if math.Abs(test.of.Ratio/test.want-1) > 1e-9 {
			t.Errorf("%s: %v, want %v", name, test.of.Ratio, test.want)
		}
	}
	for _, test := range []struct{ a, b, want float64 }{{1e-300, 1e300, 600 * math.Ln10}, {0, 1e-9, 6.9}, {1e300, 0, -6.9}, {0, 0, 0}} {
		if got := rateDifference(test.a, test.b); math.Abs(got-test.want) > 1e-9 {
			t.Errorf("%v and %v: %v, want %v", test.a, test.b, got, test.want)
		}
	}
}

// A pair in which the host let neither server answer is one without a difference, and does
// not spoil the others.
func TestNeitherAnswered(t *testing.T) {
	s := judgeOf(t, Rule{}, 80, func(i int) Pair {
		p := steady(i, 0.98)
		if i%10 == 0 {
			p.A, p.B = Slice{}, Slice{}
		}
		return p
	}).State()
	if s.Verdict != Slower || s.RPS.Pairs != 80 || math.Abs(s.RPS.Ratio-0.98) > 1e-3 {
		t.Errorf("%v, %+v", s.Verdict, s.RPS)
	}
}

// The order of a pair is in no direction, and neither is drift: a second slice that is
// always 5 % slower makes no difference.
func TestOrderCancels(t *testing.T) {
	s := judgeOf(t, Rule{}, 80, func(i int) Pair {
		p := steady(i, 1)
		if p.AFirst {
			p.B.RPS *= 0.95
		} else {
			p.A.RPS *= 0.95
		}
		return p
	}).State()
	if s.Verdict != Same || math.Abs(s.RPS.Ratio-1) > 1e-12 {
		t.Errorf("%v, %+v", s.Verdict, s.RPS)
	}
}

// What was not measured is in no estimate, and a slice without an answer in the right
// one.
func TestNotMeasured(t *testing.T) {
	s := judgeOf(t, Rule{}, 80, func(i int) Pair {
		p := steady(i, 0.9)
		p.A.P99US, p.B.CPUMicros = math.NaN(), 0
		if i >= 40 {
			p.B.P50US = math.NaN()
		}
		if i%10 == 0 {
			p.B.RPS = 0
		}
		return p
	}).State()
	if !math.IsNaN(s.P99.Ratio) || !math.IsNaN(s.CPU.Ratio) || s.P50.Pairs != 40 {
		t.Errorf("p99 %+v, CPU %+v, p50 %+v", s.P99, s.CPU, s.P50)
	}
	// A tenth of 0.9 is missing in total; eight units of forty are outside the centre.
	if math.Abs(s.RPS.Ratio-0.9) > 1e-9 && !s.ByTotals || math.Abs(s.Totals.Ratio-0.81) > 1e-9 {
		t.Errorf("rps %+v, totals %+v", s.RPS, s.Totals)
	}
	dead := judgeOf(t, Rule{}, 80, func(i int) Pair { return Pair{A: Slice{RPS: 100}, AFirst: i%2 == 0, At: steady(i, 1).At} }).State()
	if dead.Verdict != Slower || dead.RPS.Ratio > 0.002 {
		t.Errorf("B never answers: %v, %+v", dead.Verdict, dead.RPS)
	}
}

func TestPairsRefused(t *testing.T) {
	j := judgeOf(t, Rule{Max: 8 * time.Second}, 10, func(i int) Pair { return steady(i, 1) })
	for name, spoil := range map[string]func(p *Pair){
		"A: -1":            func(p *Pair) { p.A.RPS = -1 },
		"B: NaN":           func(p *Pair) { p.B.RPS = math.NaN() },
		"B: +Inf":          func(p *Pair) { p.B.RPS = math.Inf(1) },
		"500ms, after one": func(p *Pair) { p.At = 500 * time.Millisecond },
	} {
		p := steady(10, 1)
		spoil(&p)
		if err := j.Add(p); err == nil || !strings.Contains(err.Error(), name) || j.pairs != 10 {
			t.Errorf("%s: %v, %d pairs", name, err, j.pairs)
		}
	}
	for i := 10; i < 80; i++ {
		if err := j.Add(steady(i, 1)); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Add(steady(80, 1)); !errors.Is(err, ErrOver) || !j.State().Over {
		t.Errorf("after the end: %v", err)
	}

	// 64 may wait for the other order, the next may not.
	j = judgeOf(t, Rule{}, 64, func(i int) Pair { p := steady(i, 1); p.AFirst = true; return p })
	p := steady(64, 1)
	p.AFirst = true
	if err := j.Add(p); err == nil || !strings.Contains(err.Error(), "65 pairs in the same order") {
		t.Errorf("one order all along: %v", err)
	}
	p.AFirst = false
	if err := j.Add(p); err != nil || j.units.n != 1 {
		t.Errorf("the other order: %v, %d units", err, j.units.n)
	}
}

func TestRuleValidate(t *testing.T) {
	if err := (Rule{}).Validate(); err != nil {
		t.Errorf("the zero rule: %v", err)
	}
	_, err := NewJudge(Rule{Margin: -0.1, MaxLoss: 1, Alpha: 0.3, Max: -time.Second})
	if err == nil {
		t.Fatal("no error")
	}
	for _, part := range []string{"margin -0.1", "greatest loss 1", "alpha 0.3", "at most -1s"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q is not in %q", part, err)
		}
	}
	if err := (Rule{Margin: math.NaN()}).Validate(); err == nil {
		t.Error("NaN is a margin")
	}
}

func TestReport(t *testing.T) {
	s := judgeOf(t, Rule{MaxLoss: 0.05}, 60, func(i int) Pair { p := steady(i, 0.98); p.A.CPUMicros = 0; return p }).State()
	text, err := json.Marshal(ReportOf(s, map[string]int{"rps": 1}, map[string]int{"rps": 2}))
	if err != nil {
		t.Fatal(err)
	}
	var r map[string]any
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]any{
		"schema": "scalbench.ab/v1", "verdict": "slower", "margin": 0.01, "loss": "within", "max_loss": 0.05, "rps_by": "centre",
		"pairs": 60.0, "elapsed_s": 6.0, "cpu_ratio": nil, "needs_s": nil,
	} {
		if r[key] != want {
			t.Errorf("%s: %v, want %v", key, r[key], want)
		}
	}
	ratio := r["rps_ratio"].(map[string]any)
	if math.Abs(ratio["estimate"].(float64)-0.98) > 1e-9 || ratio["level"] != 0.95 || ratio["lo"] == nil || ratio["hi"] == nil || ratio["pairs"] != 60.0 {
		t.Errorf("rps_ratio: %v", ratio)
	}
	if a := r["a"].(map[string]any); a["rps"] != 1.0 {
		t.Errorf("a: %v", a)
	}

	// Before the first look there are no bounds, and nothing of what is infinite.
	s = judgeOf(t, Rule{}, 10, func(i int) Pair { return steady(i, 0.98) }).State()
	if text, err = json.Marshal(ReportOf(s, 0, 0)); err != nil || strings.Contains(string(text), `"lo"`) || !strings.Contains(string(text), `"cannot_tell"`) {
		t.Errorf("%s, %v", text, err)
	}
	// Six pairs are three units of 0.2 s: no block, and so no 0 in place of what blocks would
	// tell; but the ratio is of six pairs.
	s = judgeOf(t, Rule{}, 6, func(i int) Pair { return steady(i, 0.98) }).State()
	text, err = json.Marshal(ReportOf(s, 0, 0))
	if err != nil || strings.Contains(string(text), "correlation") || strings.Contains(string(text), "effective_pairs") || !strings.Contains(string(text), `"level":0.95,"pairs":6}`) {
		t.Errorf("%s, %v", text, err)
	}
}
