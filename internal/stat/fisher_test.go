package stat

import "testing"

func TestFisherExact(t *testing.T) {
	tests := []struct {
		a, b, c, d int
		want       float64
	}{
		// The lady tasting tea: of 70 tables, 16 + 1 are as good or better, and as many
		// on the other side.
		{3, 1, 1, 3, 34.0 / 70},
		{4, 0, 0, 4, 2.0 / 70},
		// Rows of 10 and 14, a column of 12: C(10,k)·C(14,12−k) of C(24,12) = 2 704 156
		// tables for k = 0, 1 and, on the other side, 9, 10: 91 + 3640 + 3640 + 91.
		{1, 9, 11, 3, 7462.0 / 2704156},
		// Rows of 2 and 8, a column of 5: 56 tables with 0, 140 with 1 and 56 with 2, which
		// is exactly as rare as 0.
		{0, 2, 5, 3, 112.0 / 252},
		{2, 2, 2, 2, 1},
		{0, 0, 5, 9, 1},
		{5, 0, 9, 0, 1},
		{0, 0, 0, 0, 1},
		// 15 runs of each variant, all of one in one mode: 2 of C(30,15) tables.
		{15, 0, 0, 15, 2.0 / 155117520},
	}
	for _, tt := range tests {
		got, err := FisherExact(tt.a, tt.b, tt.c, tt.d)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "FisherExact", got/tt.want, 1, 1e-10)
	}
	for _, cell := range []int{-1, countMax + 1} {
		if got, err := FisherExact(1, cell, 1, 1); err == nil {
			t.Errorf("a count of %d: %v, want an error", cell, got)
		}
	}
}
