package suite

import (
	"regexp"
	"strconv"
	"strings"
)

// No exponent, no sign, and no leading zero: what people write of ratios.
var plainNumber = regexp.MustCompile(`^(0|[1-9][0-9]{0,8})(\.[0-9]{1,9})?$`)

// number reads a number from low to high.
func (r *reader) number(f field, low, high float64) float64 {
	text, ok := r.text(f, "a number such as 1.15")
	if !ok {
		return 0
	}
	n, err := strconv.ParseFloat(text, 64)
	if !plainNumber.MatchString(text) || err != nil || n < low || n > high {
		r.fault(f.val, "%s: %q, expected a number from %g to %g such as 1.15", f.key, text, low, high)
		return 0
	}
	return n
}

// share reads a part of a whole, 5% or 0.05, as a fraction from low to high.
func (r *reader) share(f field, low, high float64) float64 {
	text, ok := r.text(f, "a share such as 5%")
	if !ok {
		return 0
	}
	digits, percent := strings.CutSuffix(text, "%")
	valid := plainNumber.MatchString(digits)
	if percent {
		digits += "e-2" // rounded once, unlike a division
	}
	n, err := strconv.ParseFloat(digits, 64)
	if !valid || err != nil || n < low || n > high {
		r.fault(f.val, "%s: %q, expected a share from %g%% to %g%% such as 5%% or 0.05", f.key, text, 100*low, 100*high)
		return 0
	}
	return n
}
