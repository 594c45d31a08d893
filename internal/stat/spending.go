package stat

import (
	"fmt"
	"math"
	"strings"
)

// Spending says how much of an error level may have been used up when part of
// the planned rounds are in, if a gate may stop early.
type Spending uint8

// The spending functions, by their names in a suite. The zero value is OBF.
const (
	// OBF spends 2·(1 − Φ(z_{1−α/2}/√t)), the O'Brien-Fleming type of Lan and
	// DeMets (1983): next to nothing early, nearly all of it at the end.
	OBF Spending = iota

	// Power2 spends α·t²: it stops earlier when the case is clear and pays with a
	// wider interval at the end.
	Power2
)

// roundsMax is more rounds than a session can have.
const roundsMax = 10_000

var spendingNames = [...]string{OBF: "obf", Power2: "power2"}

// String returns the name that [ParseSpending] reads.
func (s Spending) String() string {
	if int(s) >= len(spendingNames) {
		return fmt.Sprintf("Spending(%d)", uint8(s))
	}
	return spendingNames[s]
}

// ParseSpending reads a name.
func ParseSpending(name string) (Spending, error) {
	for s, known := range spendingNames {
		if name == known {
			return Spending(s), nil
		}
	}
	return 0, fmt.Errorf("spending function %q is none of %s", name, strings.Join(spendingNames[:], ", "))
}

// Spent returns the part of level that may be used up at the fraction t of the
// planned rounds: 0 at t <= 0, level at t >= 1.
func (s Spending) Spent(t, level float64) (float64, error) {
	if err := checkLevel(level); err != nil {
		return 0, fmt.Errorf("spend: %w", err)
	}
	if math.IsNaN(t) {
		return 0, fmt.Errorf("spend: fraction of the rounds: %v: %w", t, ErrNotFinite)
	}
	return s.spent(t, level), nil
}

func (s Spending) spent(t, level float64) float64 {
	switch {
	case t <= 0:
		return 0
	case t >= 1:
		return level
	case s == Power2:
		return level * t * t
	}
	return 2 * normalTail(normalUpper(level/2)/math.Sqrt(t))
}

// LookLevels returns the level at which to test after each round from first to
// last: what the spending function grants up to that look, less what the looks
// before it had. The first look gets all that has come due.
//
// The levels add up to level, so that by the union bound the error over all
// looks is at most level, however the looks depend on each other and whatever the
// noise; each look is an exact test. The usual bounds, which use the correlation
// of normal increments, are a little tighter and hold for normal data only. An
// early level can be too small for any number of pairs, or 0: that look passes.
func (s Spending) LookLevels(level float64, first, last int) ([]float64, error) {
	if err := checkLevel(level); err != nil {
		return nil, fmt.Errorf("levels of looks: %w", err)
	}
	if first < 1 || last < first || last > roundsMax {
		return nil, fmt.Errorf("levels of looks: no looks from round %d to %d, at most %d", first, last, roundsMax)
	}
	levels := make([]float64, 0, last-first+1)
	before := 0.0
	for round := first; round <= last; round++ {
		spent := s.spent(float64(round)/float64(last), level)
		levels = append(levels, spent-before)
		before = spent
	}
	return levels, nil
}
