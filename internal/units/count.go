package units

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// Count reads a number of things: "200", "10k", "2.6k", "1m", "0.001m", with k
// for a thousand and m for a million (either case) and one decimal point. What
// is not a whole number ("0.5", "1.2345k"), is negative or does not fit 63 bits
// is an error.
func Count(text string) (int64, error) {
	factor := int64(1)
	digits := text
	switch {
	case strings.HasSuffix(text, "k"), strings.HasSuffix(text, "K"):
		factor, digits = 1_000, text[:len(text)-1]
	case strings.HasSuffix(text, "m"), strings.HasSuffix(text, "M"):
		factor, digits = 1_000_000, text[:len(text)-1]
	}
	whole, fraction, hasPoint := strings.Cut(digits, ".")
	if whole == "" || (hasPoint && fraction == "") || strings.Trim(whole+fraction, "0123456789") != "" {
		return 0, fmt.Errorf("count %q is not a number such as 200, 10k or 2.6m", text)
	}
	// Exact arithmetic: 2.6 x 1000 in floating point is not always 2600. The
	// text holds only digits and a point, so SetString cannot fail.
	n, _ := new(big.Rat).SetString(digits)
	n.Mul(n, new(big.Rat).SetInt64(factor))
	if !n.IsInt() {
		return 0, fmt.Errorf("count %q is not a whole number", text)
	}
	if !n.Num().IsInt64() {
		return 0, fmt.Errorf("count %q is too large", text)
	}
	return n.Num().Int64(), nil
}

// Group writes a whole number with a space between groups of three digits:
// 12431 is "12 431".
func Group(n int64) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if digits[0] == '-' {
		sign, digits = "-", digits[1:]
	}
	return sign + group(digits)
}

// group inserts the spaces into a run of digits.
func group(digits string) string {
	var out strings.Builder
	for i, digit := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			out.WriteByte(' ')
		}
		out.WriteRune(digit)
	}
	return out.String()
}
