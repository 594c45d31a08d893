package stat

import (
	"fmt"
	"math"
)

// watchedGrowth is Δ of [WatchedBound]: 0 is the bound of O'Brien and Fleming, which
// hardly ever stops early; 0.5 that of Pocock, which is as likely to stop at any time and
// pays at the end.
const watchedGrowth = 0.35

// watchedEdges are the c with P(|B(t)| ≥ c·t^0.35 for a t in (0, 1]) = level, of Brownian
// motion B, by ascending level. They were computed as Armitage, McPherson and Rowe
// (1969) do it, carrying the density of what has not crossed from look to look: looks a
// factor of e^0.016 and of e^0.004 apart, from t = 0.0001 on, and from these two by the
// root of the factor to looks without a gap. The same program gives 2.239 for Δ = 0 and
// level 0.05, where reflection gives 4·P(Z > c) = 0.05, c = 2.241: so 0.002 was added,
// and rounded up. TestWatchedError crosses them with random walks.
var watchedEdges = []struct{ level, c float64 }{
	{0.001, 3.677}, {0.002, 3.494}, {0.005, 3.241}, {0.01, 3.037}, {0.02, 2.820}, {0.05, 2.508}, {0.1, 2.249}, {0.2, 1.961},
}

// WatchedBound returns by how many standard errors a mean may lie from the truth at any
// moment of a measurement that is watched all along and ends at a planned time at the
// latest: the probability that the bound is ever exceeded, on either side, is at most
// level, however often one looks. A bound of one moment, looked at until it says
// something, is sooner or later exceeded.
//
// fraction is the part of the planned time that is over, in (0, 1]; more counts as 1. The
// bound is that of Wang and Tsiatis (1987), c·fraction^(Δ−1/2) with Δ = 0.35, made for
// looks without a gap: at level 0.05 it is 2.51 at the end, against 1.96 for a single
// look, 2.78 half way and 3.54 after a tenth. n values are independent, whose variance is
// estimated: the bound is that of Student's distribution with the same tail. n need not
// be whole; +Inf is returned where it is 1 or less, and where the tail is too thin.
//
// level is from 0.001 to 0.2.
func WatchedBound(level, fraction, n float64) (float64, error) {
	least, most := watchedEdges[0].level, watchedEdges[len(watchedEdges)-1].level
	if !(level >= least && level <= most) {
		return 0, fmt.Errorf("watched bound: level %v is not from %v to %v", level, least, most)
	}
	if !(fraction > 0) {
		return 0, fmt.Errorf("watched bound: fraction %v of the time is not above 0", fraction)
	}
	if err := checkFinite(n); err != nil {
		return 0, fmt.Errorf("watched bound: number of values %w", err)
	}
	if n <= 1 {
		return math.Inf(1), nil
	}
	z := watchedEdge(level) * math.Pow(min(fraction, 1), watchedGrowth-0.5)
	return studentOfNormal(z, n-1), nil
}

// watchedEdge reads between the lines: c² is nearly straight in the logarithm of the
// level.
func watchedEdge(level float64) float64 {
	i := 1
	for watchedEdges[i].level < level {
		i++
	}
	lo, hi := watchedEdges[i-1], watchedEdges[i]
	part := math.Log(level/lo.level) / math.Log(hi.level/lo.level)
	return math.Sqrt(lo.c*lo.c + part*(hi.c*hi.c-lo.c*lo.c))
}

// studentOfNormal returns the t that is about as improbable with df degrees of freedom
// as z is of a normal variable, by the formula of Wallace (1959): from 8 degrees on
// right to 0.3 % up to 2.5, and at 5 too large by 3 % at most. The exact one takes
// fifty microseconds, several times for every pair.
func studentOfNormal(z, df float64) float64 {
	z *= (8*df + 3) / (8*df + 1)
	return math.Sqrt(df * math.Expm1(z*z/df))
}
