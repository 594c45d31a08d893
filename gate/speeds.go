package gate

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/stat"
)

// Speeds are what is known of a row whose runs lie in two heaps with nothing between
// them: the rate is one of two, and what one measures is often which.
type Speeds struct {
	Sessions []SessionSpeeds // that have two, in the order of time

	// Host: both variants have both speeds, and alike, so that they are the host's and
	// pairs across them were left out. Otherwise the mix itself may be what differs,
	// and nothing is left out. Where only one variant was seen at both it may be as
	// rare by chance as its own doing: leaving those pairs out would excuse it.
	Host bool
	Both bool    // both variants were seen at both speeds
	P    float64 // of "the mix is the same" (Fisher's exact test)

	Across                 int     // pairs across the speeds
	LowerRatio, UpperRatio float64 // of the pairs within each; NaN: none

	across [][]int // the pairs across in each round, from 0
}

// SessionSpeeds are the two speeds of one session. Rates of two sessions differ for
// other reasons, so that speeds are looked for in each by itself.
type SessionSpeeds struct {
	Session        string
	Lower, Upper   float64 // centre of each, in the unit of the metric
	LowerN, UpperN int     // runs of both variants
	WithinFrac     float64 // spread inside of them
	MValue         float64 // above 3.2 a histogram has two peaks too; 0: too few runs
}

// sameMixP is the p from which the two variants are taken to have the same mix.
const sameMixP = 0.05

// speedsOf looks for two speeds among the runs of a row; nil when there is one. sign is
// -1 where less is better.
func speedsOf(rounds []RoundNumbers, number func(*record.Measurement) record.Value, sign float64) *Speeds {
	var s Speeds
	divided := map[string]stat.Modes{} // of the sessions that have two
	for _, rounds := range bySession(rounds) {
		if modes, two := modesOf(rounds, number); two {
			s.add(rounds[0].Session, modes)
			divided[rounds[0].Session] = modes
		}
	}
	if len(divided) == 0 {
		return nil
	}
	var base, new mix
	var lower, upper []float64 // differences of pairs within each speed
	for _, r := range rounds {
		modes, two := divided[r.Session]
		b, w := logs(r.Base, number), logs(r.New, number)
		strata, err := modes.Stratify(b, w)
		if err != nil {
			return nil
		}
		s.across = append(s.across, strata.Across)
		if two {
			s.Across += len(strata.Across)
			lower, upper = append(lower, strata.Lower...), append(upper, strata.Upper...)
			base.add(modes, b)
			new.add(modes, w)
		}
	}
	s.Both = base.mixed() && new.mixed()
	s.P = mixP(base, new)
	s.Host = s.Both && s.P >= sameMixP
	s.LowerRatio, s.UpperRatio = centreRatio(lower, sign), centreRatio(upper, sign)
	return &s
}

// keep leaves out the pairs across the speeds of a host, whatever was measured of them:
// p99 and cpu_us follow the speed of a run, too. rounds are as many as those looked at.
func (s *Speeds) keep(rounds [][]float64) [][]float64 {
	if s == nil || !s.Host {
		return rounds
	}
	kept := make([][]float64, len(rounds))
	for i, round := range rounds {
		for k, d := range round {
			if !slices.Contains(s.across[i], k) {
				kept[i] = append(kept[i], d)
			}
		}
	}
	return kept
}

// add takes the speeds of a session.
func (s *Speeds) add(session string, modes stat.Modes) {
	s.Sessions = append(s.Sessions, SessionSpeeds{
		Session: session, Lower: math.Exp(modes.Lower.Mean), Upper: math.Exp(modes.Upper.Mean),
		LowerN: modes.Lower.N, UpperN: modes.Upper.N, WithinFrac: modes.WithinSD, MValue: modes.MValue,
	})
}

// modesOf divides the runs of one session that have two speeds. Where all of one
// variant have the one, and all of the other the other, the two heaps are the two
// variants, and what is between them is the ratio.
func modesOf(rounds []RoundNumbers, number func(*record.Measurement) record.Value) (modes stat.Modes, two bool) {
	base, new := runsOfRounds(rounds)
	b, w := logs(base, number), logs(new, number)
	modes, err := stat.FindModes(slices.Concat(b, w))
	if err != nil || !modes.Bimodal() {
		return stat.Modes{}, false
	}
	var ofBase, ofNew mix
	ofBase.add(modes, b)
	ofNew.add(modes, w)
	if !ofBase.mixed() && !ofNew.mixed() {
		return stat.Modes{}, false
	}
	return modes, true
}

// mix counts the runs of a variant at each speed.
type mix struct{ lower, upper int }

func (m *mix) add(modes stat.Modes, runs []float64) {
	for _, x := range runs {
		if modes.InUpper(x) {
			m.upper++
		} else {
			m.lower++
		}
	}
}

// mixed tells whether some runs have the one speed and some the other; one run alone is
// an accident.
func (m mix) mixed() bool { return min(m.lower, m.upper) >= 2 }

// mixP is the p of "which speed a run had has nothing to do with its variant".
func mixP(base, new mix) float64 {
	p, err := stat.FisherExact(base.lower, new.lower, base.upper, new.upper)
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
	var rates []string
	within := 0.0
	for _, of := range s.Sessions {
		text := fmt.Sprintf("%d runs at %s and %d at %s", of.LowerN, rateText(of.Lower), of.UpperN, rateText(of.Upper))
		if of.MValue > 0 {
			text += ", m-value " + decimals(of.MValue, 1)
		}
		if len(s.Sessions) > 1 {
			text = "session " + of.Session + ": " + text
		}
		rates = append(rates, text)
		within = max(within, of.WithinFrac)
	}
	text := strings.Join(rates, "; ")
	switch {
	case s.Host:
		text += fmt.Sprintf(", both variants alike (p %s): the ratio is %s at the lower and %s at the upper one, %d pairs across them were left out of the bounds",
			pText(s.P), ratioText(s.LowerRatio), ratioText(s.UpperRatio), s.Across)
	case s.P < sameMixP:
		text += fmt.Sprintf(", and the variants differ in how often (p %s): that is the effect", pText(s.P))
	default:
		text += fmt.Sprintf(", and only one variant was seen at both, which may be chance (p %s)", pText(s.P))
	}
	return text + fmt.Sprintf("; of a spread of %s, %s is within a speed", percentText(spread), percentText(within))
}
