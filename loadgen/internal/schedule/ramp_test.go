package schedule

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"
)

// From 0 to 1000/s in 5 s, t^2 x 100 requests are offered by t, in seconds:
// request j^2 is intended at j/10 s. Falling, 100 (5 - t)^2 of 2500 are still to
// come at t: request 2500 - j^2 is intended at 5 s - j/10 s. These are whole
// nanoseconds, of which a result that is a little too small makes the one before.
func TestRampSquares(t *testing.T) {
	const total = 2500
	rising := times(whole(t, "0..1000@5s"), total+1)
	falling := times(whole(t, "1000..0@5s"), total+1)
	if len(rising) != total || len(falling) != total {
		t.Fatalf("%d and %d requests, want %d", len(rising), len(falling), total)
	}
	for j := range 50 {
		root := time.Duration(j) * 100 * time.Millisecond
		if got := rising[j*j]; got != root {
			t.Errorf("rising: request %d at %d, want %d", j*j, got, root)
		}
		if j == 0 {
			continue // request 2500 is at the end, outside
		}
		if got, want := falling[total-j*j], 5*time.Second-root; got != want {
			t.Errorf("falling: request %d at %d, want %d", total-j*j, got, want)
		}
	}
}

// The integral of the rate up to an intended time, added up in slices, is the
// number of the request. The midpoint rule is exact for a straight line, so what
// remains is the nanosecond to which a time is rounded down, times the rate
// there, and floating point.
func TestRampAgainstNumericIntegration(t *testing.T) {
	tests := []struct {
		rate     string
		from, to float64
		length   time.Duration
	}{
		{"1000..20000@10s", 1000, 20_000, 10 * time.Second},
		{"20000..1000@10s", 20_000, 1000, 10 * time.Second},
		{"0..3@1h", 0, 3, time.Hour},
		{"3..0@1h", 3, 0, time.Hour},
		{"999.999..1000@1m", 999.999, 1000, time.Minute},
	}
	for _, tt := range tests {
		rateAt := func(second float64) float64 { return tt.from + (tt.to-tt.from)*second/tt.length.Seconds() }
		for k, at := range times(whole(t, tt.rate), 200_000) {
			if k%97 != 0 {
				continue
			}
			const slices = 500
			width, sum := at.Seconds()/slices, 0.0
			for i := range slices {
				sum += rateAt((float64(i)+0.5)*width) * width
			}
			missing := float64(k) - sum
			if most := rateAt(at.Seconds())*1e-9 + 1e-9; missing < -1e-9 || missing > most {
				t.Fatalf("%s: %v requests offered at %v, where request %d is intended (%g are missing, at most %g)", tt.rate, sum, at, k, missing, most)
			}
		}
	}
}

// For ramps of any length and height, at any place: at t no more than k requests
// have been offered, at t + 1 ns more. Told in rational numbers, without the
// formulas of ramp.go.
func TestRampIsExact(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 5000 {
		from, to := operand(r, 49), operand(r, 49)
		if r.IntN(4) == 0 {
			from = 0
		} else if r.IntN(3) == 0 {
			to = 0
		}
		length := 1 + operand(r, 54)
		if from == to || length > uint64(lengthMax) {
			continue
		}
		s := New(Spec{Rate: steps(Step{float64(from) / 1e6, float64(to) / 1e6, time.Duration(length)})}, 0, 1)

		// Any request of those there are, and the first and the last.
		offeredIn := func(ns uint64) *big.Rat { return offered(from, to, length, ns) }
		all := ceil(offeredIn(length))
		for _, k := range []uint64{0, 1 % all, all - 1, r.Uint64N(all), all - 1 - min(r.Uint64N(9), all-1)} {
			s.index, s.current = k, 0
			at, ok := s.Next()
			want := new(big.Rat).SetInt(number(k))
			if !ok || offeredIn(uint64(at)).Cmp(want) > 0 || offeredIn(uint64(at)+1).Cmp(want) <= 0 {
				t.Fatalf("%d..%d millionths/s in %d ns: request %d of %d at %d, %v", from, to, length, k, all, at, ok)
			}
		}
		s.index, s.current = all, 0
		if at, ok := s.Next(); ok {
			t.Fatalf("%d..%d millionths/s in %d ns: request %d at %d, one too many", from, to, length, all, at)
		}
	}
}

// offered is the number of requests in the first ns nanoseconds of a ramp
// between two rates in millionths a second: the trapezoid, in fractions.
func offered(from, to, length, ns uint64) *big.Rat {
	rat := func(n uint64) *big.Rat { return new(big.Rat).SetInt(number(n)) }
	gain := new(big.Rat).Sub(rat(to), rat(from))
	gain.Mul(gain, rat(ns)).Quo(gain, rat(length)) // by ns
	twice := gain.Add(gain, rat(2*from))           // from + rate at ns
	area := twice.Mul(twice, rat(ns))
	return area.Quo(area, rat(2e15)) // of the mean, in requests: 1e6 x 1e9
}

func ceil(r *big.Rat) uint64 {
	q, rest := new(big.Int).QuoRem(r.Num(), r.Denom(), new(big.Int))
	if rest.Sign() > 0 {
		q.Add(q, number(1))
	}
	return q.Uint64()
}

// Floating point alone would not do: this says by how many nanoseconds it is
// off in the long run, and so that the integers have something to decide.
func TestRampGuessIsNear(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	ramp := newRamp(0, 2*millionths(1e6), uint64(lengthMax))
	wrong := 0
	for range 10_000 {
		x := product(r.Uint64N(quantaPerRequest), r.Uint64N(1e13)) // below 1e6 / 2 x 3.15e7 requests
		guess, exact := float64(ramp.near(x)), float64(ramp.lastWithin(x))
		// t < 2^55, where neighbours are 4 apart; a few of them off at most.
		if off := math.Abs(guess - exact); off > 32 {
			t.Fatalf("%v quanta: %v guessed, %v exact", x, guess, exact)
		} else if off > 0 {
			wrong++
		}
	}
	if wrong < 1000 {
		t.Errorf("only %d of 10000 guesses were corrected", wrong)
	}
}
