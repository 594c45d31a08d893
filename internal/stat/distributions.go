package stat

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// The incomplete beta function carries t and F. Tails are computed as tails,
// never as 1 − CDF, because a p of 1e-20 is still to be told from 1e-18.

// normalTail returns P(Z > z).
func normalTail(z float64) float64 { return math.Erfc(z/math.Sqrt2) / 2 }

// normalUpper returns the z with P(Z > z) = level.
func normalUpper(level float64) float64 { return -mathext.NormalQuantile(level) }

// studentTwoTails returns P(|t| > x) with df degrees of freedom.
func studentTwoTails(x, df float64) float64 {
	return mathext.RegIncBeta(df/2, 0.5, df/(df+x*x))
}

// studentUpper returns the t with P(t > x) = level, for a level below 0.5.
func studentUpper(level, df float64) float64 {
	x := mathext.InvRegIncBeta(df/2, 0.5, 2*level)
	return math.Sqrt(df * (1 - x) / x)
}

// fisherTail returns P(F > x) of the F distribution with df1 and df2 degrees of
// freedom; 0 for an infinite x.
func fisherTail(x, df1, df2 float64) float64 {
	return mathext.RegIncBeta(df2/2, df1/2, df2/(df2+df1*x))
}
