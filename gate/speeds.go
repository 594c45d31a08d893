package gate

import (
	"fmt"
	"math"
	"slices"

	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/stat"
)

// Speeds are what is known of a row whose runs lie in two heaps with nothing between
// them: the rate is one of two, and what one measures is often which.
type Speeds struct {
	Lower, Upper   float64 // centre of each, in the unit of the metric
	LowerN, UpperN int     // runs of both variants

	// Host: both variants have both speeds, and alike, so that they are the host's and
	// pairs across them were left out. Otherwise the mix itself may be what differs,
	// and nothing is left out. Where only one variant was seen at both it may be as
	// rare by chance as its own doing: leaving those pairs out would excuse it.
	Host bool
	Both bool    // both variants were seen at both speeds
	P    float64 // of "the mix is the same" (Fisher's exact test)

	Across                 int     // pairs across the speeds
	LowerRatio, UpperRatio float64 // of the pairs within each; NaN: none
	WithinFrac             float64 // spread inside of them
	MValue                 float64 // above 3.2 a histogram has two peaks too; 0: too few runs

	within [][]float64 // differences of pairs within, round by round, ln new - ln base
}

// sameMixP is the p from which the two variants are taken to have the same mix.
const sameMixP = 0.05

// speedsOf looks for two speeds among all runs of a row; nil when there is one. sign is
// -1 where less is better.
func speedsOf(rounds []RoundNumbers, number func(*record.Measurement) record.Value, sign float64) *Speeds {
	var base, new []float64
	for _, r := range rounds {
		base, new = append(base, logs(r.Base, number)...), append(new, logs(r.New, number)...)
	}
	modes, err := stat.FindModes(slices.Concat(base, new))
	if err != nil || !modes.Bimodal() || !mixed(modes, base) && !mixed(modes, new) {
		return nil
	}
	s := &Speeds{
		Lower: math.Exp(modes.Lower.Mean), Upper: math.Exp(modes.Upper.Mean), LowerN: modes.Lower.N, UpperN: modes.Upper.N,
		WithinFrac: modes.WithinSD, MValue: modes.MValue,
	}
	s.P = mixP(modes, base, new)
	s.Both = mixed(modes, base) && mixed(modes, new)
	s.Host = s.Both && s.P >= sameMixP
	strata, err := modes.Stratify(base, new)
	if err != nil {
		return nil
	}
	s.Across = strata.Across
	s.LowerRatio, s.UpperRatio = centreRatio(strata.Lower, sign), centreRatio(strata.Upper, sign)
	for _, r := range rounds {
		of, err := modes.Stratify(logs(r.Base, number), logs(r.New, number))
		if err != nil {
			return nil
		}
		s.within = append(s.within, of.Within())
	}
	return s
}

// mixed tells whether some runs of a variant have the one speed and some the other.
// Where all of one have the one, and all of the other the other, the two heaps are the
// two variants, and what is between them is the ratio.
func mixed(modes stat.Modes, runs []float64) bool {
	const least = 2 // one run alone is an accident
	upper := upperRuns(modes, runs)
	return min(upper, len(runs)-upper) >= least
}

func upperRuns(modes stat.Modes, runs []float64) (n int) {
	for _, x := range runs {
		if modes.InUpper(x) {
			n++
		}
	}
	return n
}

// mixP is the p of "which speed a run had has nothing to do with its variant".
func mixP(modes stat.Modes, base, new []float64) float64 {
	b, n := upperRuns(modes, base), upperRuns(modes, new)
	p, err := stat.FisherExact(len(base)-b, len(new)-n, b, n)
	if err != nil {
		return math.NaN()
	}
	return p
}

// centreRatio is the ratio of some pairs; NaN for none.
func centreRatio(d []float64, sign float64) float64 {
	centre, err := stat.HodgesLehmann(d)
	if err != nil {
		return math.NaN()
	}
	return math.Exp(sign * centre)
}

// code is the flag of a row with two speeds.
func (s *Speeds) code() string {
	if s.Host {
		return FlagBimodalHost
	}
	return FlagBimodalVariant
}

// text tells all of it in a sentence.
func (s *Speeds) text(spread float64) string {
	text := fmt.Sprintf("%d runs at %s and %d at %s", s.LowerN, rateText(s.Lower), s.UpperN, rateText(s.Upper))
	switch {
	case s.Host:
		text += fmt.Sprintf(", both variants alike (p %s): the ratio is %s at the lower and %s at the upper one, %d pairs across them were left out of the bounds",
			pText(s.P), ratioText(s.LowerRatio), ratioText(s.UpperRatio), s.Across)
	case s.P < sameMixP:
		text += fmt.Sprintf(", and the variants differ in how often (p %s): that is the effect", pText(s.P))
	default:
		text += fmt.Sprintf(", and only one variant was seen at both, which may be chance (p %s)", pText(s.P))
	}
	return text + fmt.Sprintf("; of a spread of %s, %s is within a speed", percentText(spread), percentText(s.WithinFrac))
}
