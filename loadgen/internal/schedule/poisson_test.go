package schedule

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// The Kolmogorov-Smirnov test asks how far the share of gaps up to x ever is from
// 1 - e^-x, that of the exponential distribution with mean 1. For n gaps of a
// Poisson process the largest distance D is, n being large, above
// c / sqrt(n) with probability 2 e^(-2 c^2) (Kolmogorov 1933; the first term of
// his series). For one in a thousand: c = sqrt(ln(2000) / 2) = 1.949.
const criticalC = 1.949

// distance is D of gaps in units of their mean; it sorts them.
func distance(gaps []float64) float64 {
	slices.Sort(gaps)
	n, d := float64(len(gaps)), 0.0
	for i, x := range gaps {
		want := 1 - math.Exp(-x)
		d = max(d, want-float64(i)/n, float64(i+1)/n-want)
	}
	return d
}

// critical is what D stays below. resolution is the step in which gaps are told,
// in means: the density is at most 1, so it adds at most itself.
func critical(n int, resolution float64) float64 { return criticalC/math.Sqrt(float64(n)) + resolution }

// gapsOf are the differences of offered load between arrivals, in requests.
func gapsOf(arrivals []time.Duration, offered func(time.Duration) float64) []float64 {
	gaps := make([]float64, 0, len(arrivals))
	last := 0.0
	for _, at := range arrivals {
		load := offered(at)
		gaps = append(gaps, load-last)
		last = load
	}
	return gaps
}

// merged are the first arrivals of all workers in the order of time: as many as
// all workers have reached.
func merged(spec Spec, workers, each int) []time.Duration {
	var all []time.Duration
	reached := time.Duration(math.MaxInt64)
	for worker := range workers {
		own := times(New(spec, worker, workers), each)
		all = append(all, own...)
		reached = min(reached, own[len(own)-1])
	}
	slices.Sort(all)
	return all[:1+slices.Index(all, reached)]
}

const gapsWanted = 20_000 // D below 1.949 / sqrt(20000) = 0.0138

func TestPoissonGaps(t *testing.T) {
	for _, rps := range []float64{1, 37.5, 1000, 100_000, 1e6} {
		for _, workers := range []int{1, 4} {
			t.Run(fmt.Sprintf("%v rps, %d workers", rps, workers), func(t *testing.T) {
				spec := Spec{Rate: steps(Step{rps, rps, 0}), Arrival: Poisson, Seed: 1}
				offered := func(at time.Duration) float64 { return at.Seconds() * rps }
				resolution := rps * 1e-9 // times are whole nanoseconds: 0.001 of a gap at 1e6/s
				for worker := range workers {
					own := times(New(spec, worker, workers), gapsWanted)
					gaps := gapsOf(own, func(at time.Duration) float64 { return offered(at) / float64(workers) })
					checkExponential(t, fmt.Sprintf("worker %d", worker), gaps, resolution)
				}
				checkExponential(t, "all workers", gapsOf(merged(spec, workers, gapsWanted), offered), resolution)
			})
		}
	}
}

// checkExponential wants gaps that are exponential, and one that says nothing
// about the next: the correlation of n independent neighbours is within
// 3.3 / sqrt(n) in 999 of 1000 cases (the normal distribution's quantile).
func checkExponential(t *testing.T, what string, gaps []float64, resolution float64) {
	t.Helper()
	if len(gaps) < gapsWanted*9/10 {
		t.Fatalf("%s: only %d gaps", what, len(gaps))
	}
	covariance, variance := 0.0, 0.0
	for i, gap := range gaps[1:] {
		covariance += (gaps[i] - 1) * (gap - 1)
		variance += (gap - 1) * (gap - 1)
	}
	if c := covariance / variance; math.Abs(c) > 3.3/math.Sqrt(float64(len(gaps))) {
		t.Errorf("%s: neighbouring gaps have the correlation %.4f", what, c)
	}
	if d, most := distance(gaps), critical(len(gaps), resolution); d > most {
		t.Errorf("%s: gaps are not exponential: D = %.4f, critical %.4f", what, d, most)
	}
}

// On a ramp, over steps and across a pause it is the load offered between two
// arrivals that is exponential with mean 1 (Kingman's mapping theorem, section
// 2.3).
func TestPoissonTimeChange(t *testing.T) {
	rates := []string{
		"0..4000@10s", // 4000 / 2 x 10 = 20000 requests
		"4000..0@10s", //
		"1000@10s,0@5s,5000@1s,1000..3000@2500ms", // 10000 + 5000 + 2000 x 2.5
	}
	for _, text := range rates {
		rate := parse(t, text)
		for _, workers := range []int{1, 3} {
			spec := Spec{Rate: rate, Arrival: Poisson, Seed: 2}
			var all []time.Duration
			for worker := range workers {
				all = append(all, times(New(spec, worker, workers), 10*gapsWanted)...)
			}
			slices.Sort(all)
			// Their number is Poisson with mean 20000: within 4 of its deviation 141.
			if n := len(all); n < 20_000-566 || n > 20_000+566 {
				t.Errorf("%s: %d arrivals of %d workers, want 20000 +- 566", text, n, workers)
			}
			checkExponential(t, text, gapsOf(all, rate.Offered), 5000e-9)
		}
	}
}

// The test itself can fail: it sees a rate that is 5 % off (the distance of
// 1 - e^-x and 1 - e^-1.05x is 0.05 / e = 0.018 at x = 1, above 0.0138), and
// constant arrivals (1 - 1/e = 0.63 at x = 1).
func TestDistanceSees(t *testing.T) {
	spec := Spec{Rate: parse(t, "1000"), Arrival: Poisson, Seed: 1}
	off := gapsOf(times(New(spec, 0, 1), gapsWanted), func(at time.Duration) float64 { return at.Seconds() * 1050 })
	if d := distance(off); d < critical(gapsWanted, 0) || d > 0.018+critical(gapsWanted, 0) {
		t.Errorf("a rate that is 5 %% off has D = %.4f, want about 0.018", d)
	}
	even := slices.Repeat([]float64{1}, gapsWanted)
	if d := distance(even); math.Abs(d-0.632) > 0.001 {
		t.Errorf("constant arrivals have D = %.4f, want 0.632", d)
	}
}

// A schedule is a function of seed, worker and number of workers.
func TestPoissonIsDeterministic(t *testing.T) {
	first := func(seed uint64, worker, workers int) []time.Duration {
		return times(New(Spec{Rate: parse(t, "1000"), Arrival: Poisson, Seed: seed}, worker, workers), 50)
	}
	base := first(1, 0, 2)
	if !slices.Equal(base, first(1, 0, 2)) {
		t.Error("the same seed and worker give other times")
	}
	for _, other := range [][]time.Duration{first(2, 0, 2), first(1, 1, 2), first(0, 0, 2)} {
		for i, at := range other {
			if slices.Contains(base, at) {
				t.Errorf("time %d, %v, of another seed or worker is one of the first", i, at)
			}
		}
	}
}

// The times of a seed stay what they are from one version to the next: they
// are the sums of gaps that are drawn as the comments of schedule.go say. Here
// they are added up in floating point, whose error in 100 gaps is far below a
// nanosecond.
func TestPoissonOfSeed(t *testing.T) {
	const seed, worker, workers, rps = 42, 2, 3, 250.0
	states := rand.NewPCG(seed, 0x6172_7269_7661_6c73)
	for range worker {
		states.Uint64()
		states.Uint64()
	}
	gaps := rand.New(rand.NewPCG(states.Uint64(), states.Uint64()))
	sum := 0.0
	for i, at := range times(New(Spec{Rate: parse(t, "250"), Arrival: Poisson, Seed: seed}, worker, workers), 100) {
		sum += gaps.ExpFloat64() * workers / rps
		if want := sum * 1e9; math.Abs(float64(at)+0.5-want) > 0.5+1e-3 { // rounded down
			t.Fatalf("arrival %d at %d ns, want %.3f", i, at, want)
		}
	}
}

// The running sum does not lose what it is given: after a thousand million gaps
// a gap still adds all of its quanta.
func TestPoissonSumIsExact(t *testing.T) {
	spec := Spec{Rate: parse(t, "1000"), Arrival: Poisson, Seed: 9}
	early, late := New(spec, 0, 1), New(spec, 0, 1)
	late.sum = product(1e9, quantaPerRequest) // at 1e9 x 1 ms
	for i := range 1000 {
		a, _ := early.Next()
		b, ok := late.Next()
		if !ok || b-a != 1e15 {
			t.Fatalf("arrival %d: %d and %d, want 1e15 ns between them", i, a, b)
		}
	}
}
