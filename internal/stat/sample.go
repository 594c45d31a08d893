package stat

import (
	"errors"
	"fmt"
	"math"
)

// magnitudeMax bounds what counts as a finite number. The square of a larger
// one, or a sum of such squares, would overflow and turn into an infinity or a
// NaN further down, where nobody can say which value was to blame.
const magnitudeMax = 1e150

// ErrNotFinite is in every error about a value that is NaN, infinite, or beyond
// 1e150.
var ErrNotFinite = errors.New("not a finite number")

// TooFewError says that a method needs more values than it was given.
type TooFewError struct {
	Of         string // what there is too little of, in the plural
	Have, Need int
}

// Error reads "needs >= 5 pairs, has 3".
func (e *TooFewError) Error() string {
	return fmt.Sprintf("needs >= %d %s, has %d", e.Need, e.Of, e.Have)
}

// checkSample refuses a sample of fewer than need values and values that are not
// finite. They are counted from 1 in the message.
func checkSample(x []float64, of string, need int) error {
	if len(x) < need {
		return &TooFewError{Of: of, Have: len(x), Need: need}
	}
	for i, v := range x {
		if err := checkFinite(v); err != nil {
			return fmt.Errorf("value %d of %d %s: %w", i+1, len(x), of, err)
		}
	}
	return nil
}

func checkFinite(v float64) error {
	if !(math.Abs(v) <= magnitudeMax) { // as it stands, this catches NaN
		return fmt.Errorf("%v: %w", v, ErrNotFinite)
	}
	return nil
}

// checkLevel refuses an error level that is not inside (0, 0.5). At 0.5 the two
// bounds of an interval would meet.
func checkLevel(level float64) error {
	if !(level > 0 && level < 0.5) {
		return fmt.Errorf("error level %v is not between 0 and 0.5", level)
	}
	return nil
}
