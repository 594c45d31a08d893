package ab

import (
	"math"
	"testing"
	"time"
)

// alternating are units of pairs in both orders, whose differences of rps and cpu are told,
// and with 2 % for whoever is second.
func alternating(rps, cpu []float64, each time.Duration) []Pair {
	var pairs []Pair
	for i, d := range rps {
		for k, aFirst := range []bool{true, false} {
			second := map[bool]float64{true: 0.02, false: -0.02}[aFirst]
			p := Pair{A: Slice{RPS: 1000, CPUMicros: 10}, B: Slice{RPS: 1000 * math.Exp(d+second), CPUMicros: math.NaN()}, AFirst: aFirst, At: time.Duration(2*i+k+1) * each}
			if cpu != nil {
				p.B.CPUMicros = 10 * math.Exp(cpu[i])
			}
			pairs = append(pairs, p)
		}
	}
	return pairs
}

// Five units of 1, 2, 3, 4 and 100 %: a fifth off either end leaves 2, 3 and 4, 3 % on the ln
// scale. Influences are those with the outer ones moved in, -1, -1, 0, 1, 1, over 3/5: the sum of
// their squares is 4/0.36, over 4 its root is 1.667, over √5 it is 0.745 %. That of being
// second is in neither.
func TestSummary(t *testing.T) {
	rps, cpu, err := SummaryOf(alternating([]float64{0.03, 0.01, 1, 0.02, 0.04}, nil, time.Second))
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(math.Log(rps.Ratio)-0.03) > 1e-12 || math.Abs(rps.SE-0.00745356) > 1e-7 || rps.Units != 5 {
		t.Errorf("rps %+v", rps)
	}
	if !math.IsNaN(cpu.Ratio) || !math.IsNaN(cpu.SE) || cpu.Units != 0 {
		t.Errorf("cpu that was not measured: %+v", cpu)
	}
	// Two units tell a ratio and no error.
	if _, cpu, err = SummaryOf(alternating([]float64{0, 0}, []float64{0.01, 0.03}, time.Second)); err != nil || math.Abs(math.Log(cpu.Ratio)-0.02) > 1e-12 || !math.IsNaN(cpu.SE) {
		t.Errorf("cpu %+v, %v", cpu, err)
	}
	// What is no pair is refused.
	if _, _, err := SummaryOf([]Pair{{A: Slice{RPS: -1}}}); err == nil {
		t.Error("a negative rate is taken")
	}
}

// With units enough for blocks the error is that of these: one that wanders for longer than a
// unit is not as small as if each unit stood for itself.
func TestSummaryOfDependentUnits(t *testing.T) {
	var wandering []float64
	for i := range 128 { // eight units up, eight down
		wandering = append(wandering, 0.01*float64(1-2*(i/8%2)))
	}
	rps, _, err := SummaryOf(alternating(wandering, nil, 250*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	// 0.01/√128 = 0.00088 for units of their own.
	if rps.SE < 2*0.00088 || rps.Units != 128 {
		t.Errorf("%+v", rps)
	}
}
