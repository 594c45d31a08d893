package schedule

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// whole is the schedule of a rate for a single worker.
func whole(t testing.TB, rate string) *Schedule {
	t.Helper()
	return New(Spec{Rate: parse(t, rate)}, 0, 1)
}

// times takes up to n of a schedule's times.
func times(s *Schedule, n int) []time.Duration {
	var all []time.Duration
	for range n {
		at, ok := s.Next()
		if !ok {
			break
		}
		all = append(all, at)
	}
	return all
}

func TestConstant(t *testing.T) {
	tests := []struct {
		rate string
		k    uint64
		want time.Duration
	}{
		{"1000", 0, 0},
		{"1000", 1, time.Millisecond},
		{"1000", 1e9, 1e15}, // 1e9 x 1 ms
		{"0.1", 1e6, 1e16},  // 1e6 x 10 s; no float64 is 0.1
		{"3", 1, 333_333_333},
		{"3", 1e9, 333_333_333_333_333_333},
		{"0.3", 1e6, 3_333_333_333_333_333},
		{"1000000000", 9e18, 9e18}, // 1 ns apart, for 285 years
		{"0.000001", 9000, 9e18},   // 1e15 ns apart
		// 1e12 x 1e9 / 999999.999999 = 1e15 / (1 - 1e-12) = 1e15 + 1e3 + 1e-9
		{"999999.999999", 1e12, 1_000_000_000_001_000},
		{"20k", 123_456_789, 6_172_839_450_000}, // x 50 us
	}
	for _, tt := range tests {
		s := whole(t, tt.rate)
		s.index = tt.k // as if k had gone before
		if got, ok := s.Next(); !ok || got != tt.want {
			t.Errorf("%s: request %d at %d, %v, want %d", tt.rate, tt.k, got, ok, tt.want)
		}
	}
}

// Whatever the rate and however late in the run: floor(k x 1e15 / millionths).
func TestConstantIsExact(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 5000 {
		millionth := 1 + operand(r, 49)
		s := New(Spec{Rate: steps(Step{float64(millionth) / 1e6, float64(millionth) / 1e6, 0})}, 0, 1)
		s.index = operand(r, 40)
		want := new(big.Int).Mul(number(s.index), number(1e15))
		want.Div(want, number(millionth))
		k := s.index
		got, ok := s.Next()
		if inTime := want.Cmp(number(math.MaxInt64)) < 0; ok != inTime || ok && number(uint64(got)).Cmp(want) != 0 {
			t.Fatalf("%d millionths/s: request %d at %d, %v, want %v", millionth, k, got, ok, want)
		}
	}
}

func TestSteps(t *testing.T) {
	const s, ms, us = time.Second, time.Millisecond, time.Microsecond
	tests := []struct {
		name, rate string
		from, n    int
		want       []time.Duration
	}{
		{"the end is not in a step", "3@1s", 0, 9, []time.Duration{0, 333_333_333, 666_666_666}},
		{"the next step begins with its own", "2@1s,4@1s", 0, 9, []time.Duration{0, 500 * ms, s, 1250 * ms, 1500 * ms, 1750 * ms}},
		// 1.5 requests are offered in the first second; number 2 is half a request into the next.
		{"a part of a request is carried over", "1.5@1s,1@2s", 0, 9, []time.Duration{0, 666_666_666, 1500 * ms, 2500 * ms}},
		{"a pause", "1000@10s,0@5s,2000", 9999, 3, []time.Duration{9999 * ms, 15 * s, 15*s + 500*us}},
		{"a pause first", "0@5s,10@150ms", 0, 9, []time.Duration{5 * s, 5100 * ms}},
		{"a pause last", "10@150ms,0@5s", 0, 9, []time.Duration{0, 100 * ms}},
		{"steps without a request", "1@1us,2@1us,10@150ms", 0, 9, []time.Duration{
			0,
			// 1e-6 + 2e-6 requests are offered in 2 us; 0.999997 more take 99.9997 ms.
			2*us + 99_999_700,
		}},
		{"a closed loop", "0", 0, 9, nil},
	}
	for _, tt := range tests {
		sched := whole(t, tt.rate)
		sched.index = uint64(tt.from)
		if got := times(sched, tt.n); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %s has %v, want %v", tt.name, tt.rate, got, tt.want)
		}
	}
}

// After the last time there is none, however often one asks.
func TestEnd(t *testing.T) {
	for _, spec := range []Spec{
		{},
		{Rate: parse(t, "10@150ms")},
		{Rate: parse(t, "1000..0@10ms")},
		{Rate: parse(t, "1000@100ms,0@1s"), Arrival: Poisson},
	} {
		s := New(spec, 0, 1)
		times(s, 1000)
		for range 3 {
			if at, ok := s.Next(); ok || at != 0 {
				t.Errorf("%v: %v, %v after the end", spec, at, ok)
			}
		}
	}
}

// Before d lie as many requests as are offered in d, rounded up.
func TestCount(t *testing.T) {
	tests := []struct {
		rate string
		want int
	}{
		{"1000@10s", 10_000},
		{"0..1000@10s", 5000},   // 1000 / 2 x 10
		{"1000..0@10s", 5000},   // the same
		{"1@1ns", 1},            // 1e-9, rounded up
		{"7@1s,11..3@1.5s", 18}, // 7 + 7 x 1.5 = 17.5
		{"100..300@1s,300..100@1s", 400},
		{"1000000000@1us,0..1000000000@1us", 1500}, // 1000 + 1000 / 2
	}
	for _, tt := range tests {
		all := times(whole(t, tt.rate), tt.want+9)
		length, _ := parse(t, tt.rate).Length()
		if len(all) != tt.want || all[len(all)-1] >= length || !slices.IsSorted(all) {
			t.Errorf("%s: %d requests, the last at %v, in order %v, want %d before %v", tt.rate, len(all), all[len(all)-1], slices.IsSorted(all), tt.want, length)
		}
	}
}

// The workers have the whole schedule between them, in turn.
func TestWorkersMerge(t *testing.T) {
	specs := []Spec{
		{Rate: parse(t, "999.9@2s")},
		{Rate: parse(t, "0..1500@1s,10@1s,700..0@500ms")},
		{Burst: Burst{Requests: 10, Every: 7 * time.Millisecond}},
	}
	for _, spec := range specs {
		want := times(New(spec, 0, 1), 1000)
		for _, workers := range []int{2, 3, 7, 64} {
			var all []*Schedule
			for worker := range workers {
				all = append(all, New(spec, worker, workers))
			}
			for k, at := range want {
				if got, ok := all[k%workers].Next(); !ok || got != at {
					t.Fatalf("%v: request %d of %d workers at %v, %v, want %v", spec, k, workers, got, ok, at)
				}
			}
		}
	}
}

func TestBursts(t *testing.T) {
	const ms = time.Millisecond
	spec := Spec{Burst: Burst{Requests: 3, Every: 10 * ms}}
	// Requests 0, 1, 2 at 0, 3, 4, 5 at 10 ms, 6, 7, 8 at 20 ms; even and odd ones.
	for worker, want := range [][]time.Duration{{0, 0, 10 * ms, 20 * ms}, {0, 10 * ms, 10 * ms, 20 * ms}} {
		if got := times(New(spec, worker, 2), 4); !slices.Equal(got, want) {
			t.Errorf("worker %d of bursts: %v, want %v", worker, got, want)
		}
	}

	s := New(spec, 0, 1)
	s.index = 3e9 // in burst 1e9
	if got, ok := s.Next(); !ok || got != 1e16 {
		t.Errorf("burst 1e9 at %d, %v, want 1e9 x 10 ms", got, ok)
	}
	for _, index := range []uint64{3 * 922_337_203_686, math.MaxUint64} { // x 1e7 ns = 9223372036860000000 > 2^63
		s.index = index
		if got, ok := s.Next(); ok {
			t.Errorf("request %d of bursts at %d, which no time.Duration can say", index, got)
		}
	}
}

func TestNextDoesNotAllocate(t *testing.T) {
	for _, spec := range benchmarks(t) {
		s := New(spec, 1, 4)
		if n := testing.AllocsPerRun(1000, func() { s.Next() }); n != 0 {
			t.Errorf("%v %v: %v allocations for a time", spec.Arrival, spec.Rate, n)
		}
	}
}

func benchmarks(t testing.TB) map[string]Spec {
	return map[string]Spec{
		"constant": {Rate: parse(t, "100000")},
		"rising":   {Rate: parse(t, "0..1m@8000h")},
		"falling":  {Rate: parse(t, "1m..0@8000h")},
		"poisson":  {Rate: parse(t, "100000"), Arrival: Poisson},
		"bursts":   {Burst: Burst{Requests: 100, Every: time.Millisecond}},
	}
}

func BenchmarkNext(b *testing.B) {
	for name, spec := range benchmarks(b) {
		b.Run(name, func(b *testing.B) {
			s := New(spec, 1, 4)
			for b.Loop() {
				if _, ok := s.Next(); !ok {
					b.Fatal("the schedule has ended")
				}
			}
		})
	}
}
