package stat

import (
	"math"
	"slices"
	"testing"
)

// history is a series of levels of given lengths with a little noise: ±0.1 % in
// a pattern that repeats and has no level of its own.
func history(levels ...struct {
	n  int
	at float64
}) []float64 {
	noise := []float64{0.001, -0.001, 0.0005, -0.0005, 0}
	var y []float64
	for _, l := range levels {
		for range l.n {
			y = append(y, l.at+noise[len(y)%len(noise)])
		}
	}
	return y
}

func TestFindChanges(t *testing.T) {
	type level = struct {
		n  int
		at float64
	}
	tests := []struct {
		name  string
		y     []float64
		least float64
		want  []int
	}{
		{"steady", history(level{50, 0}), 0, nil},
		{"constant", repeated(50, 0.1), 0, nil},
		{"a loss of 1 %", history(level{20, 0}, level{10, -0.01}), 0, []int{20}},
		// Half the sum of squares of a division in two at either end of the stretch is
		// noise; taken out of the middle it is none.
		{"a loss that was mended", history(level{20, 0}, level{5, -0.01}, level{20, 0}), 0, []int{20, 25}},
		{"two losses", history(level{10, 0}, level{10, -0.01}, level{10, -0.03}), 0, []int{10, 20}},
		{"the last two sessions", history(level{20, 0}, level{2, -0.02}), 0, []int{20}},
		// At first sight, with the rest for one level, none of these is beyond 0.001.
		{"many levels", history(level{2, 0.010}, level{8, 0.003}, level{7, 0.008}, level{2, 0.001}), 0, []int{2, 10, 17}},
		{"one bad session is no level", history(level{20, 0}, level{1, -0.02}, level{20, 0}), 0, nil},
		{"smaller than asked for", history(level{20, 0}, level{20, -0.004}), 0.005, nil},
		{"as large as asked for", history(level{20, 0}, level{20, -0.006}), 0.005, []int{20}},
		{"short", history(level{2, 0}, level{1, -0.5}), 0, nil},
		{"none", nil, 0, nil},
	}
	for _, tt := range tests {
		changes, err := FindChanges(tt.y, 0.001, tt.least)
		var got []int
		for _, c := range changes {
			got = append(got, c.Index)
		}
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%s: changes %+v, %v, want at %v", tt.name, changes, err, tt.want)
		}
	}
}

func TestFindChangesRefuses(t *testing.T) {
	for _, limit := range []struct{ pMax, least float64 }{{0, 0}, {0.5, 0}, {math.NaN(), 0}, {0.001, -1}, {0.001, math.NaN()}} {
		if got, err := FindChanges(ramp(9), limit.pMax, limit.least); err == nil {
			t.Errorf("%+v: %+v, want an error", limit, got)
		}
	}
}

func TestChangeTellsLevels(t *testing.T) {
	// Levels 0 ± 1 and 10 ± 1 of four values: pooled variance (4 + 4)/6, standard error
	// √(4/3·(1/4 + 1/4)) = √(2/3), t = 10/√(2/3), t² = 150.
	changes, err := FindChanges([]float64{-1, 1, -1, 1, 9, 11, 9, 11}, 0.001, 0)
	if err != nil || len(changes) != 1 {
		t.Fatalf("%+v, %v", changes, err)
	}
	c := changes[0]
	if c.Index != 4 || c.Before != 0 || c.After != 10 {
		t.Errorf("%+v, want 0 to 10 at 4", c)
	}
	near(t, "P", c.P, studentTwoTails(math.Sqrt(150), 6), 1e-15)
}

// Whatever is turned into another unit or upside down has its changes in the
// same places.
func TestChangesFollowData(t *testing.T) {
	random := newRandom(7)
	for range 20 {
		y := sample(40, random.NormFloat64)
		for i := range y[25:] {
			y[25+i] += 4
		}
		changes, err := FindChanges(y, 0.001, 0)
		if err != nil || len(changes) == 0 {
			t.Fatalf("%+v, %v, want the change at 25", changes, err)
		}
		scaled := make([]float64, len(y))
		for i, v := range y {
			scaled[i] = -8 * v
		}
		again, err := FindChanges(scaled, 0.001, 0)
		if err != nil || len(again) != len(changes) {
			t.Fatalf("%+v became %+v, %v", changes, again, err)
		}
		for i := range again {
			if again[i].Index != changes[i].Index {
				t.Errorf("%+v became %+v", changes[i], again[i])
			}
		}
	}
}
