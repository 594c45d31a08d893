package stat

import (
	"errors"
	"math"
	"reflect"
	"testing"
)

// everything calls every function that takes data with the same sample.
func everything(x []float64) map[string]func() (any, error) {
	rounds := [][]float64{x, x}
	return map[string]func() (any, error){
		"Median":             func() (any, error) { return Median(x) },
		"MAD":                func() (any, error) { return MAD(x) },
		"CV":                 func() (any, error) { return CV(x) },
		"HodgesLehmann":      func() (any, error) { return HodgesLehmann(x) },
		"SignedRankInterval": func() (any, error) { return SignedRankInterval(x, 0.25) },
		"ShiftTest":          func() (any, error) { return ShiftTest(x, 0) },
		"CompareRounds":      func() (any, error) { return CompareRounds(rounds) },
		"Bootstrap": func() (any, error) {
			return HierarchicalBootstrap(rounds, 20, Seed{})
		},
		"PairSigma":   func() (any, error) { return PairSigma(x) },
		"DriftTest":   func() (any, error) { return DriftTest(ramp(len(x)), x) },
		"DriftTime":   func() (any, error) { return DriftTest(x, ramp(len(x))) },
		"Position":    func() (any, error) { return PositionTest(x, x) },
		"Lag1":        func() (any, error) { return Lag1(x) },
		"WarmUpTest":  func() (any, error) { return WarmUpTest(x) },
		"FlipTest":    func() (any, error) { return FlipTest(x) },
		"FindModes":   func() (any, error) { return FindModes(x) },
		"MValue":      func() (any, error) { return MValue(x) },
		"Stratify":    func() (any, error) { return Modes{}.Stratify(x, x) },
		"FindChanges": func() (any, error) { return FindChanges(x, 0.001, 0) },
		"TrimmedMean": func() (any, error) { return TrimmedMean(x, 0.2) },
		"Blocks":      func() (any, error) { return plain.Of(x) },
	}
}

func ramp(n int) []float64 {
	t := make([]float64, n)
	for i := range t {
		t[i] = float64(i)
	}
	return t
}

// A value that is not finite is refused wherever it stands, by every function.
func TestNotFinite(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e151, -math.MaxFloat64} {
		for at := range 12 {
			x := ramp(12)
			x[at] = bad
			for name, call := range everything(x) {
				if got, err := call(); !errors.Is(err, ErrNotFinite) {
					t.Errorf("%s with %v at %d: %+v, %v", name, bad, at, got, err)
				}
			}
		}
	}
}

// Samples of all lengths, of what rounds, over- and underflows worst, give an
// error or numbers, and are left as they were. The only infinity is the F of
// rounds that are constant.
func TestNumbersOrErrors(t *testing.T) {
	random := newRandom(8)
	values := map[string]func() float64{
		"zero":      func() float64 { return 0 },
		"constant":  func() float64 { return 0.1 },
		"two":       func() float64 { return float64(random.IntN(2)) },
		"largest":   func() float64 { return 1e150 * float64(random.IntN(3)-1) },
		"smallest":  func() float64 { return 5e-324 * float64(random.IntN(3)-1) },
		"every":     func() float64 { return math.Ldexp(random.NormFloat64(), random.IntN(900)-450) },
		"adjacent":  func() float64 { return math.Nextafter(1, float64(random.IntN(3))) },
		"ordinary":  random.NormFloat64,
		"divisible": func() float64 { return 1e5 + float64(random.IntN(100)) },
	}
	for name, draw := range values {
		for n := range 70 {
			x := sample(n, draw)
			before := append([]float64(nil), x...)
			for function, call := range everything(x) {
				got, err := call()
				if err == nil && hasNaN(reflect.ValueOf(got)) {
					t.Errorf("%s of %d %s: %+v", function, n, name, got)
				}
			}
			for i := range x {
				if x[i] != before[i] {
					t.Fatalf("%d %s: value %d was changed", n, name, i)
				}
			}
		}
	}
}

// hasNaN looks for NaN and infinities, except in a field called F.
func hasNaN(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Float64:
		return math.IsNaN(v.Float()) || math.IsInf(v.Float(), 0)
	case reflect.Slice:
		for i := range v.Len() {
			if hasNaN(v.Index(i)) {
				return true
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).Name != "F" && hasNaN(v.Field(i)) {
				return true
			}
		}
	}
	return false
}
