package schedule

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

func (a amount) big() *big.Int {
	n := new(big.Int).SetUint64(a.hi)
	return n.Lsh(n, 64).Add(n, new(big.Int).SetUint64(a.lo))
}

func (a wide) big() *big.Int {
	n := amount{a.hi, a.mid}.big()
	return n.Lsh(n, 64).Add(n, new(big.Int).SetUint64(a.lo))
}

func number(n uint64) *big.Int { return new(big.Int).SetUint64(n) }

// operand returns numbers of all lengths, so that carries happen and do not.
func operand(r *rand.Rand, bitsMax int) uint64 { return r.Uint64() >> (64 - 1 - r.IntN(bitsMax)) }

// The arithmetic is that of math/big.
func TestAmount(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	check := func(what string, got, want *big.Int) {
		t.Helper()
		if got.Cmp(want) != 0 {
			t.Fatalf("%s is %v, want %v", what, got, want)
		}
	}
	for range 20_000 {
		a := amount{operand(r, 50), r.Uint64()} // 114 bits
		b := amount{operand(r, 50), r.Uint64()}
		m, n := operand(r, 64), operand(r, 63)

		check("product", product(m, n).big(), new(big.Int).Mul(number(m), number(n)))
		check("plus", a.plus(b).big(), new(big.Int).Add(a.big(), b.big()))
		check("times", a.times(n).big(), new(big.Int).Mul(a.big(), number(n)))
		if a.hi < m {
			check("per", number(a.per(m)), new(big.Int).Div(a.big(), number(m)))
		}
		if got, want := a.less(b), a.big().Cmp(b.big()) < 0; got != want {
			t.Fatalf("%v less than %v: %v", a, b, got)
		}
		if !a.less(b) {
			check("minus", a.minus(b).big(), new(big.Int).Sub(a.big(), b.big()))
		}
		c, d := wide{m, a.hi, a.lo}, wide{m, b.hi, b.lo}
		if got, want := c.less(d), c.big().Cmp(d.big()) < 0; got != want {
			t.Fatalf("%v less than %v: %v", c, d, got)
		}
		want, _ := new(big.Float).SetInt(a.big()).Float64()
		// Two roundings of at most half a unit in the last place, 2^-53 each.
		if got := a.float(); got < want*(1-1e-15) || got > want*(1+1e-15) {
			t.Fatalf("%v as float: %v, want %v", a, got, want)
		}
	}
	for _, tt := range []struct {
		a, b wide
		want bool
	}{
		{wide{0, 0, 1}, wide{0, 0, 2}, true},
		{wide{0, 1, 0}, wide{0, 0, 2}, false},
		{wide{1, 0, 0}, wide{0, 9, 9}, false},
		{wide{1, 2, 3}, wide{1, 2, 3}, false},
	} {
		if got := tt.a.less(tt.b); got != tt.want {
			t.Errorf("%v less than %v: %v", tt.a, tt.b, got)
		}
	}
}

// A quantum is what its comment says: the largest rate offers, each nanosecond,
// one request.
func TestQuantum(t *testing.T) {
	// 1e9 requests/s = 1e15 millionths/s, twice that many quanta a nanosecond.
	if got := 2 * millionths(rpsMax); got != quantaPerRequest {
		t.Errorf("one a nanosecond is %d quanta a nanosecond, want %d", got, uint64(quantaPerRequest))
	}
}
