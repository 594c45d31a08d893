package stat

import (
	"math"
	"testing"
)

func TestNormal(t *testing.T) {
	for _, tt := range []struct{ level, z float64 }{{0.05, 1.6448536270}, {0.025, 1.9599639845}, {0.1, 1.2815515655}, {0.001, 3.0902323062}} {
		near(t, "normalUpper", normalUpper(tt.level), tt.z, 1e-9)
		near(t, "normalTail", normalTail(tt.z), tt.level, 1e-10)
	}
	// The asymptotic series φ(z)/z·(1 − 1/z² + 3/z⁴ − 15/z⁶) at 20.
	series := math.Exp(-200) / math.Sqrt(2*math.Pi) / 20 * (1 - 1.0/400 + 3.0/160000 - 15.0/64e6)
	near(t, "normalTail(20)", normalTail(20)/series, 1, 1e-8)
}

// With 1, 2 and 4 degrees of freedom the t distribution has closed forms.
func TestStudent(t *testing.T) {
	for _, x := range []float64{0.1, 1, 2, 3, 50} {
		near(t, "1 df", studentTwoTails(x, 1), 1-2*math.Atan(x)/math.Pi, 1e-12)
		near(t, "2 df", studentTwoTails(x, 2), 1-x/math.Sqrt(2+x*x), 1e-12)
		sin2 := x * x / (4 + x*x)
		near(t, "4 df", studentTwoTails(-x, 4), 1-math.Sqrt(sin2)*(1+(1-sin2)/2), 1e-12)
	}
	for _, level := range []float64{0.25, 0.05, 0.001} {
		near(t, "1 df", studentUpper(level, 1), math.Tan(math.Pi*(0.5-level)), 1e-7/level)
		near(t, "2 df", studentUpper(level, 2), (1-2*level)/math.Sqrt(2*level*(1-level)), 1e-9)
		near(t, "40 df there and back", studentTwoTails(studentUpper(level, 40), 40), 2*level, 1e-10)
	}
}

// With df1 = 2 the F tail is (1 + 2x/df2)^(−df2/2); with 1 it is that of t².
func TestFisherTail(t *testing.T) {
	for _, x := range []float64{0.5, 1, 4, 21} {
		near(t, "F(2,6)", fisherTail(x, 2, 6), math.Pow(1+x/3, -3), 1e-12)
		near(t, "F(1,4)", fisherTail(x, 1, 4), studentTwoTails(math.Sqrt(x), 4), 1e-12)
	}
	if got := fisherTail(math.Inf(1), 2, 12); got != 0 {
		t.Errorf("beyond infinity: %v", got)
	}
	if got := fisherTail(0, 2, 12); got != 1 {
		t.Errorf("above 0: %v", got)
	}
}
