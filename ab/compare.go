package ab

import (
	"math"

	"github.com/scalws/scalbench/internal/stat"
)

// Series is a metric of one finished run: over all of it, and window by window. NaN and
// 0 are "not measured", but for a rate, of which a window may have none.
type Series struct {
	Whole   float64
	Windows []float64 // of equal length, in the order of time; none: not known

	// Step is how finely Whole can be told, as a fraction: a count of requests to one of
	// them. 0: as finely as one likes.
	Step float64
}

// Run is what a finished run tells about one server.
type Run struct {
	RPS       Series
	P50US     Series // response time, in microseconds
	P99US     Series
	CPUMicros Series // of the server for a request; as a rule without windows
}

// Change is what two runs say about a ratio B / A.
type Change struct {
	Verdict Verdict // Slower is below 1, Faster above: of a latency the other way round; never Same
	Ratio   float64 // of the whole runs; NaN: not measured in both
	Lo, Hi  float64 // 0 and +Inf where there is no interval
	Level   float64

	// Needs is how large a difference in the direction of Ratio would have to be, as a
	// fraction, to be told from noise; +Inf where there is no interval.
	Needs float64
}

// Known tells whether there is an interval.
func (c Change) Known() bool { return c.Lo > 0 && !math.IsInf(c.Hi, 1) }

// Comparison is what two finished runs say about B and A. They were measured at
// different times: what the host did in between is part of every ratio, and no interval
// knows of it.
type Comparison struct{ RPS, P50, P99, CPU Change }

// windowsMin is how many windows it takes to know how noisy they are.
const windowsMin = 8

// Compare compares two runs, once: alpha is the probability that an interval is wrong.
//
// A ratio is that of the whole runs, as they were printed. How noisy it is, the windows
// tell by how they lie about the whole ("sectioning", Asmussen and Glynn 2007), in blocks
// where neighbours resemble each other; the two runs are independent (Welch 1947).
func Compare(a, b Run, alpha float64) Comparison {
	return Comparison{
		RPS: compareSeries(a.RPS, b.RPS, alpha, 0, share),
		P50: compareSeries(a.P50US, b.P50US, alpha, latencyStep, logShare),
		P99: compareSeries(a.P99US, b.P99US, alpha, latencyStep, logShare),
		CPU: compareSeries(a.CPUMicros, b.CPUMicros, alpha, 0, logShare),
	}
}

// share and logShare are how far a window is from the whole, to first order the same.
// That of a rate is none of logarithms, which a window without an answer has not.
func share(window, whole float64) float64    { return window/whole - 1 }
func logShare(window, whole float64) float64 { return math.Log(window / whole) }

// compareSeries makes an interval that is no narrower to either side than what is measured
// can be told apart at all.
func compareSeries(a, b Series, alpha, least float64, from func(window, whole float64) float64) Change {
	c := Change{Verdict: CannotTell, Ratio: wholeRatio(a.Whole, b.Whole), Hi: math.Inf(1), Level: 1 - alpha, Needs: math.Inf(1)}
	ma, known := a.measured(from)
	mb, also := b.measured(from)
	if math.IsNaN(c.Ratio) || !known || !also {
		return c
	}
	iv, err := stat.WelchInterval(ma, mb, alpha/2)
	if err != nil {
		return c
	}
	if wider := max(least, a.Step+b.Step) - iv.Width()/2; wider > 0 {
		iv.Lo, iv.Hi = iv.Lo-wider, iv.Hi+wider
	}
	c.Lo, c.Hi = math.Exp(iv.Lo), math.Exp(iv.Hi)
	c.Needs = math.Abs(math.Expm1(math.Copysign(iv.Width()/2, c.Ratio-1)))
	switch {
	case iv.Hi < 0:
		c.Verdict = Slower
	case iv.Lo > 0:
		c.Verdict = Faster
	}
	return c
}

// wholeRatio is b / a, to the last digit as it was printed; NaN where one of them was not
// measured.
func wholeRatio(a, b float64) float64 {
	if ratio := b / a; a > 0 && ratio > 0 && !math.IsInf(ratio, 1) {
		return ratio
	}
	return math.NaN()
}

// measured returns ln of the whole with its noise.
func (s Series) measured(from func(window, whole float64) float64) (stat.Measured, bool) {
	var away []float64
	for _, w := range s.Windows {
		if d := from(w, s.Whole); !math.IsNaN(d) && !math.IsInf(d, 0) {
			away = append(away, d)
		}
	}
	if len(away) < windowsMin {
		return stat.Measured{}, false
	}
	blocking := stat.Blocking{Length: 1, Fewest: windowsMin, Most: 32, Correlated: 0.3}
	blocks, err := blocking.Of(away)
	if err != nil {
		return stat.Measured{}, false
	}
	// About the whole, not about the mean of the windows: where the two are apart, as of
	// a p99 that one window has made, nobody knows which is nearer.
	apart := sum(away) / float64(len(away))
	df := blocks.Independent - 1
	return stat.Measured{Value: math.Log(s.Whole), SE: math.Hypot(blocks.SE, apart/math.Sqrt(df)), DF: df}, true
}
