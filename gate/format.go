package gate

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/scalws/scalbench/internal/units"
)

// Numbers are printed as in the published reports. What was not measured is absent,
// never a 0.

// absent stands for a number that there is not.
const absent = units.NotAvailable

func decimals(x float64, n int) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return absent
	}
	return strconv.FormatFloat(x, 'f', n, 64)
}

// ratioText writes 0.998.
func ratioText(x float64) string { return decimals(x, 3) }

// shortText writes a limit as it was given: 0.98, 1.15.
func shortText(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// spreadText writes a fraction as a percentage without its sign: 1.1.
func spreadText(fraction float64) string { return decimals(100*fraction, 1) }

// percentText writes 1.1 %.
func percentText(fraction float64) string {
	if math.IsNaN(fraction) || math.IsInf(fraction, 0) {
		return absent
	}
	return spreadText(fraction) + " %"
}

// rateText writes 69 873.
func rateText(rps float64) string {
	if math.IsNaN(rps) {
		return absent
	}
	return units.Group(int64(math.Round(rps)))
}

// slashed joins what belongs to rounds, or to variants: 0.998 / 1.002 / 1.001.
func slashed(texts ...string) string { return strings.Join(texts, " / ") }

// perRound writes a number of each round.
func perRound(rounds []RoundNumbers, text func(RoundNumbers) string) string {
	texts := make([]string, len(rounds))
	for i, r := range rounds {
		texts[i] = text(r)
	}
	return slashed(texts...)
}

// ratiosText writes the ratio of each round.
func ratiosText(rounds []RoundNumbers) string {
	return perRound(rounds, func(r RoundNumbers) string { return ratioText(r.Ratio) })
}

// plural writes 1 round, 2 rounds.
func plural(n int, of string) string {
	if n == 1 {
		return "1 " + of
	}
	return fmt.Sprintf("%d %ss", n, of)
}
