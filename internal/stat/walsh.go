package stat

import (
	"fmt"
	"math"
	"slices"
)

// HodgesLehmann returns the centre of paired differences: the median of the
// n(n+1)/2 Walsh averages (d_a + d_b)/2, a ≤ b (Hodges and Lehmann 1963). It has
// 95.5 % of the efficiency of the mean under normal noise and holds as long as
// less than 29 % of the pairs are bad. It needs one pair.
func HodgesLehmann(d []float64) (float64, error) {
	if err := checkSample(d, "pairs", 1); err != nil {
		return 0, fmt.Errorf("Hodges-Lehmann centre: %w", err)
	}
	return newWalsh(d).median(), nil
}

// walsh answers questions about all Walsh averages of a sample without ever
// listing them: a session of an hour in slices of 100 ms has 18 000 pairs and
// 162 million averages. It is the sample in ascending order, so that the averages
// grow along rows and columns, and one walk down the diagonal counts those up to
// a bound in n steps.
type walsh []float64

func newWalsh(d []float64) walsh { return slices.Sorted(slices.Values(d)) }

// size is the number of Walsh averages.
func (w walsh) size() int { return len(w) * (len(w) + 1) / 2 }

func (w walsh) average(i, j int) float64 { return (w[i] + w[j]) / 2 }

// atMost counts the averages <= x. Rounding cannot upset the order that the walk
// relies on: floating-point addition is monotone.
func (w walsh) atMost(x float64) int {
	count := 0
	j := len(w) - 1
	for i := range w {
		for j >= i && w.average(i, j) > x {
			j--
		}
		if j < i {
			break
		}
		count += j - i + 1
	}
	return count
}

// below counts the averages < x.
func (w walsh) below(x float64) int { return w.atMost(math.Nextafter(x, math.Inf(-1))) }

// kth returns the k-th smallest average, k from 1 to size. It bisects the
// floating-point numbers between the extremes: at most 64 counts, and the answer
// is exact.
func (w walsh) kth(k int) float64 {
	lo, hi := rankOfFloat(w[0]), rankOfFloat(w[len(w)-1])
	for lo < hi {
		mid := lo + (hi-lo)/2
		if w.atMost(floatOfRank(mid)) >= k {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return floatOfRank(lo) + 0 // -0 becomes 0
}

// smallestAbove returns the least average > x; +Inf when there is none.
func (w walsh) smallestAbove(x float64) float64 {
	least := math.Inf(1)
	j := len(w) - 1
	for i := range w {
		for j >= i && w.average(i, j) > x {
			j--
		}
		if above := max(i, j+1); above < len(w) {
			least = min(least, w.average(i, above))
		}
	}
	return least
}

func (w walsh) median() float64 {
	half := w.size() / 2
	if w.size()%2 == 1 {
		return w.kth(half + 1)
	}
	low := w.kth(half)
	if w.atMost(low) > half { // the next one is its equal
		return low
	}
	return (low + w.smallestAbove(low)) / 2
}

// rankOfFloat numbers the floating-point numbers in ascending order: the bits of
// a positive one grow with it, those of a negative one shrink.
func rankOfFloat(x float64) uint64 {
	bits := math.Float64bits(x)
	if bits>>63 == 1 {
		return ^bits
	}
	return bits | 1<<63
}

func floatOfRank(rank uint64) float64 {
	if rank>>63 == 1 {
		return math.Float64frombits(rank &^ (1 << 63))
	}
	return math.Float64frombits(^rank)
}
