package ab

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// seriesOf is a run of n windows about a rate, with noise of a standard deviation that
// resembles itself by phi from one window to the next.
func seriesOf(r *rand.Rand, n int, rate, sd, phi float64) Series {
	s := Series{}
	x := sd * r.NormFloat64()
	for range n {
		x = phi*x + math.Sqrt(1-phi*phi)*sd*r.NormFloat64()
		s.Windows = append(s.Windows, rate*(1+x))
	}
	s.Whole = mean(s.Windows)
	return s
}

// Equal servers are called different as often as alpha says, or a little more where the
// windows are few and resemble each other: of ten nobody can see that.
func TestCompareFalseAlarms(t *testing.T) {
	for _, test := range []struct {
		windows int
		phi     float64
		most    float64
	}{{10, 0, 0.05}, {30, 0, 0.05}, {120, 0, 0.05}, {10, 0.5, 0.12}, {30, 0.5, 0.08}, {120, 0.5, 0.06}, {120, 0.8, 0.08}} {
		n := measurements(t, 1000)
		r := rand.New(rand.NewPCG(11, uint64(test.windows)))
		wrong, needs := 0, 0.0
		for range n {
			a, b := Run{RPS: seriesOf(r, test.windows, 12_000, 0.02, test.phi)}, Run{RPS: seriesOf(r, test.windows, 12_000, 0.02, test.phi)}
			c := Compare(a, b, 0.05).RPS
			if c.Verdict != CannotTell {
				wrong++
			}
			needs += c.Needs / float64(n)
		}
		t.Logf("%3d windows of 2 %%, correlation %.1f: wrong %.1f %%, needs %.2f %%", test.windows, test.phi, 100*float64(wrong)/float64(n), 100*needs)
		atMost(t, "equal runs called different", wrong, n, test.most)
	}
}

func TestCompare(t *testing.T) {
	windows := func(rate float64) []float64 { // mean rate, variance rate²·0.0001·8/7
		return []float64{rate * 1.01, rate * 0.99, rate * 0.99, rate * 1.01, rate * 1.01, rate * 0.99, rate * 0.99, rate * 1.01}
	}
	a := Run{RPS: Series{Whole: 10_000, Windows: windows(10_000)}, CPUMicros: Series{Whole: 100}}
	b := Run{RPS: Series{Whole: 9_000, Windows: windows(9_000)}, CPUMicros: Series{Whole: 102}, P99US: Series{Whole: 5000}}
	c := Compare(a, b, 0.05)
	if c.RPS.Verdict != Slower || math.Abs(c.RPS.Ratio-0.9) > 1e-12 || !(c.RPS.Lo < 0.9 && 0.9 < c.RPS.Hi && c.RPS.Hi < 1) {
		t.Errorf("%+v", c.RPS)
	}
	if c.CPU.Known() || math.Abs(c.CPU.Ratio-1.02) > 1e-12 || c.CPU.Verdict != CannotTell {
		t.Errorf("CPU without windows: %+v", c.CPU)
	}
	if !math.IsNaN(c.P99.Ratio) || !math.IsNaN(c.P50.Ratio) {
		t.Errorf("p99 of one run alone: %+v; p50 of none: %+v", c.P99, c.P50)
	}
	if swapped := Compare(b, a, 0.05).RPS; swapped.Verdict != Faster || math.Abs(swapped.Lo*c.RPS.Hi-1) > 1e-12 {
		t.Errorf("swapped: %+v", swapped)
	}
	// A window without an answer is a window, and makes the run as noisy as it was.
	stalled := a
	stalled.RPS.Windows = append(slices.Clone(a.RPS.Windows[:7]), 0)
	if got := Compare(stalled, b, 0.05).RPS; !got.Known() || got.Needs < 0.1 {
		t.Errorf("a stall of a window: %+v", got)
	}
}

// A ratio is that of the whole runs, however large. One that is no number was
// not measured.
func TestCompareFarApart(t *testing.T) {
	for _, test := range []struct{ a, b, want float64 }{
		{50, 100_000, 2000}, {100_000, 50, 1.0 / 2000}, {1e-300, 1e300, math.NaN()}, {1e300, 1e-300, math.NaN()}, {math.NaN(), 1, math.NaN()}, {0, 1, math.NaN()}, {1, -1, math.NaN()},
	} {
		got := Compare(Run{P99US: Series{Whole: test.a}}, Run{P99US: Series{Whole: test.b}}, 0.05).P99.Ratio
		if got != test.want && !(math.IsNaN(got) && math.IsNaN(test.want)) {
			t.Errorf("%v against %v: %v, want %v", test.a, test.b, got, test.want)
		}
	}
}

// Where all windows say the same, a histogram of three digits still knows no more than a
// thousandth: 100.05 of 100 us is the same bucket, 100.2 is another one.
func TestCompareLatenciesOfHistograms(t *testing.T) {
	of := func(us float64) Series { return Series{Whole: us, Windows: slices.Repeat([]float64{us}, 10)} }
	for us, want := range map[float64]Verdict{100: CannotTell, 100.05: CannotTell, 99.95: CannotTell, 100.2: Faster, 99.8: Slower} { // Faster is higher
		c := Compare(Run{RPS: of(1), P50US: of(100), P99US: of(100)}, Run{RPS: of(1), P50US: of(us), P99US: of(us)}, 0.05)
		for _, got := range []Change{c.P50, c.P99} {
			if got.Verdict != want || !(got.Hi/got.Lo > 1.0019) || !(got.Lo < got.Ratio && got.Ratio < got.Hi) {
				t.Errorf("%v us: %+v", us, got)
			}
		}
	}
}

// A whole that no window explains, such as a p99 that one moment made, is not known better
// than the two are apart. The correlation of ten constants, 0, is corrected to 1/7, so that
// the variance is inflated by (1 + 1/7)/(1 − 1/7) = 4/3: 10/√(4/3) − 1 = 7.66 degrees of
// freedom, t = 2.324, and the standard error is ln 1.2 over the root of them.
func TestCompareWholeApart(t *testing.T) {
	windows := slices.Repeat([]float64{100}, 10)
	a, b := Run{P99US: Series{Whole: 100, Windows: windows}}, Run{P99US: Series{Whole: 120, Windows: windows}}
	got := Compare(a, b, 0.05).P99
	if want := 2.324 * math.Log(1.2) / math.Sqrt(7.66); math.Abs(math.Log(got.Hi/got.Lo)/2/want-1) > 0.001 {
		t.Errorf("half of %+v is %v, want %v", got, math.Log(got.Hi/got.Lo)/2, want)
	}
}

// In an open loop each window has the same number of requests, and one that ends a moment
// later is no difference: 9 999 of 10 000.
func TestCompareCounts(t *testing.T) {
	of := func(n float64) Run {
		return Run{RPS: Series{Whole: n / 10, Windows: slices.Repeat([]float64{n / 10}, 10), Step: 1 / n}}
	}
	for n, want := range map[float64]Verdict{10_000: CannotTell, 9_999: CannotTell, 10_001: CannotTell, 9_997: Slower, 10_003: Faster} {
		if got := Compare(of(10_000), of(n), 0.05).RPS; got.Verdict != want {
			t.Errorf("%v: %+v", n, got)
		}
	}
}

// What is needed to tell a difference is more than the difference that cannot be told, in
// its own direction: a gain of 35 % is ln 1.35 = 0.30, as is a loss of 26 %.
func TestCompareNeeds(t *testing.T) {
	windows := []float64{1, 1.6, 0.4, 1, 1.6, 0.4, 1.6, 0.4}
	a, b := Run{RPS: Series{Whole: 1, Windows: windows}}, Run{RPS: Series{Whole: 1, Windows: windows}}
	told := Compare(a, b, 0.05).RPS
	half := math.Log(told.Hi/told.Lo) / 2
	for _, part := range []float64{0.98, 1.02, -0.98, -1.02} { // of half the interval
		b.RPS.Whole, b.RPS.Windows = math.Exp(part*half), nil
		for _, w := range windows {
			b.RPS.Windows = append(b.RPS.Windows, w*b.RPS.Whole)
		}
		c := Compare(a, b, 0.05).RPS
		if enough := math.Abs(c.Ratio-1) >= c.Needs; enough != (math.Abs(part) > 1) || enough != (c.Verdict != CannotTell) {
			t.Errorf("%v of half the interval: %+v", part, c)
		}
	}
}

func TestComparisonLines(t *testing.T) {
	none := Change{Verdict: CannotTell, Ratio: math.NaN()}
	c := Comparison{
		RPS: Change{Verdict: Slower, Ratio: 0.983, Lo: 0.980, Hi: 0.986, Needs: 0.003},
		P50: Change{Verdict: Faster, Ratio: 1.021, Lo: 1.01, Hi: 1.032, Needs: 0.011},
		P99: Change{Verdict: CannotTell, Ratio: 1.02, Lo: 0.978, Hi: 1.064, Needs: 0.042},
		CPU: Change{Verdict: CannotTell, Ratio: 0.95, Hi: math.Inf(1), Needs: math.Inf(1)},
	}
	want := []string{
		"rps          B is 1.7 % slower (1.4 to 2.0 %)",
		"p50          2.1 % higher (1.0 to 3.2 %)",
		"p99          cannot tell (needs >= 4.2 %): 2.0 % higher",
		"CPU/request  cannot tell (too few windows to know the noise): 5.0 % lower",
		"note         " + driftText,
	}
	if got := c.Lines(); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	c.P50, c.P99, c.CPU = none, none, none
	if got := c.Lines(); len(got) != 2 {
		t.Errorf("rps alone: %q", got)
	}
}
