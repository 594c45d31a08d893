package stat

import (
	"fmt"
	"math"
)

// What the position in a pair has to matter before [Position] is flagged.
const (
	PositionEffect = 0.005 // on the ln scale: 0.5 %
	PositionP      = 0.05
)

// Position is what it matters which variant of a pair runs first. As long as
// both orders are equally frequent it cancels in the centre.
type Position struct {
	Effect float64 // mean of d with new first, less that with new second
	P      float64 // Welch's t test, two-sided
}

// Flagged reports whether the effect is both large and not by chance.
func (p Position) Flagged() bool { return math.Abs(p.Effect) > PositionEffect && p.P < PositionP }

// PositionTest compares the differences of pairs in which the new variant ran
// first with those of pairs in which it ran second. It needs two of each.
func PositionTest(newFirst, newSecond []float64) (Position, error) {
	if err := checkSample(newFirst, "pairs with new first", 2); err != nil {
		return Position{}, fmt.Errorf("position effect: %w", err)
	}
	if err := checkSample(newSecond, "pairs with new second", 2); err != nil {
		return Position{}, fmt.Errorf("position effect: %w", err)
	}
	return Position{Effect: mean(newFirst) - mean(newSecond), P: welchP(newFirst, newSecond)}, nil
}
