package loadgen

import (
	"math"
	"testing"
)

// Jain's index of n connections is (sum of x)² / (n · sum of x²), over all workers.
func TestFairness(t *testing.T) {
	for name, tt := range map[string]struct {
		served [][]uint64 // by worker and connection
		want   *float64
	}{
		"all alike":          {[][]uint64{{7, 7}, {7, 7}}, ptr(1.0)},           // 28² / (4 x 196)
		"one has all":        {[][]uint64{{0, 9}, {0, 0}}, ptr(0.25)},          // 1/n: 9² / (4 x 81)
		"half have all":      {[][]uint64{{5, 5}, {0, 0}}, ptr(0.5)},           // 10² / (4 x 50)
		"one has twice":      {[][]uint64{{1, 2}, {1}}, ptr(16.0 / 18)},        // 4² / (3 x 6)
		"a worker fares ill": {[][]uint64{{30, 30}, {10}}, ptr(4900.0 / 5700)}, // 70² / (3 x 1900)
		"one connection":     {[][]uint64{{3}}, ptr(1.0)},
		"nothing ended ok":   {[][]uint64{{0, 0}, {0}}, nil},
		"no connection":      {nil, nil},
	} {
		got := withServed(tt.served).fairness()
		if (got == nil) != (tt.want == nil) || got != nil && math.Abs(*got-*tt.want) > 1e-12 {
			t.Errorf("%s: %v, want %v", name, shown(got), shown(tt.want))
		}
	}
}

// A connection that carries so many requests and ends had no chance of more.
func TestFairnessOfShortConnections(t *testing.T) {
	f := withServed([][]uint64{{1, 1, 0}})
	f.plan.RequestsPerConn = 1
	if got := f.fairness(); got != nil {
		t.Errorf("%v, want none", *got)
	}
}

// withServed is a run in which connections had so many requests end ok.
func withServed(served [][]uint64) finished {
	var f finished
	for _, counts := range served {
		w := &worker{conns: make([]conn, len(counts))}
		for i, n := range counts {
			w.conns[i].served = n
		}
		f.workers = append(f.workers, w)
	}
	return f
}

// shown is what a number that may be missing looks like in a message.
func shown(v *float64) any {
	if v == nil {
		return "none"
	}
	return *v
}
