package ab

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Line is the answer in one line, with the time that it took:
//
//	B is 1.7 % slower (1.4 to 2.0 %), 22 s
//	no difference above 0.5 %, 31 s
//	cannot tell: would need about 4 min; so far B is between 2.1 % slower and 0.4 % faster, 60 s
//
// With Rule.MaxLoss the answer to that question stands in front.
func (s State) Line() string {
	most := percent(s.Rule.MaxLoss)
	text := s.answer()
	switch s.Loss {
	case LossWithin:
		text = "no loss above " + most + ": " + text
	case LossExceeded:
		text = "a loss above " + most + ": " + text
	case LossCannotTell:
		text = "cannot tell a loss above " + most + s.needsText() + s.soFarText()
	}
	return text + ", " + roughly(s.Elapsed)
}

func (s State) answer() string {
	switch s.Verdict {
	case Slower, Faster:
		return "B is " + s.RPS.change(slowerFaster) + s.totalsText()
	case Same:
		return "no difference above " + s.RPS.largest(s.Rule.Margin) + s.totalsText()
	}
	if s.Decided { // that of the greatest loss
		return s.soFar()
	}
	return "cannot tell" + s.needsText() + s.soFarText()
}

func (s State) needsText() string {
	switch {
	case s.Needs == 0 && s.Rule.Max < firstTime:
		return ": too little was seen, and nothing is said before " + roughly(firstTime)
	case s.Needs == 0:
		return ": too little was seen"
	}
	return ": would need " + about(s.Needs)
}

// about words a forecast.
func about(needs time.Duration) string {
	if needs >= needsMax {
		return "more than a day"
	}
	return "about " + roughly(needs)
}

func (s State) soFarText() string {
	if !s.RPS.Known() {
		return ""
	}
	return "; so far " + s.soFar()
}

func (s State) soFar() string {
	return "B is " + s.RPS.between(slowerFaster) + s.totalsText()
}

// totalsText says what the number is about where it is not the typical slice.
func (s State) totalsText() string {
	if !s.ByTotals {
		return ""
	}
	return " in total, rare slow slices included"
}

// Live is what is known while it is measured: "-1.3 % (-2.9 to +0.4 %)", and how long
// it will take.
func (s State) Live() string {
	if !s.RPS.Known() {
		return "measuring, " + roughly(s.Elapsed)
	}
	decimals := s.RPS.decimals()
	signed := func(ratio float64) string { return fmt.Sprintf("%+.*f", decimals, 100*(ratio-1)) }
	text := fmt.Sprintf("%s %% (%s to %s %%), %s", signed(s.RPS.Ratio), signed(s.RPS.Lo), signed(s.RPS.Hi), roughly(s.Elapsed))
	if s.Needs > 0 {
		text += " of " + about(s.Needs)
	}
	return text
}

// Hopeless is what to say when more time would be needed than there is, as soon as that
// is known; "" otherwise.
func (s State) Hopeless() string {
	if s.Rule.MaxLoss > 0 {
		if s.Decided || s.Needs <= s.Rule.Max {
			return ""
		}
		return fmt.Sprintf("too noisy to tell a loss of %s in %s: would need %s", percent(s.Rule.MaxLoss), roughly(s.Rule.Max), about(s.Needs))
	}
	if s.Decided || s.MarginNeeds <= s.Rule.Max {
		return ""
	}
	return fmt.Sprintf("too noisy for a margin of %s in %s: would need %s; larger differences show earlier", percent(s.Rule.Margin), roughly(s.Rule.Max), about(s.MarginNeeds))
}

// Details has a line for each further metric that was measured, and one for how the
// noise was found.
func (s State) Details() []string {
	var lines []string
	for _, m := range []struct {
		name string
		of   Estimate
	}{{"p50", s.P50}, {"p99", s.P99}, {"CPU/request", s.CPU}} {
		if !math.IsNaN(m.of.Ratio) {
			lines = append(lines, fmt.Sprintf("%-11s  %s%s", m.name, m.of.text(s.Rule.Margin, lowerHigher), m.of.partText(s.RPS)))
		}
	}
	if e := s.RPS; e.Known() {
		lines = append(lines, fmt.Sprintf("%-11s  %d pairs in blocks of %d (%s), as good as %.0f independent ones", "noise", e.Pairs, e.BlockPairs, roughly(e.Block), e.EffectivePairs))
	}
	return lines
}

// text is what is known of a metric beside rps.
func (e Estimate) text(margin float64, w direction) string {
	switch f := e.finding(); verdictOf(f, margin) {
	case Same:
		return "no difference above " + e.largest(margin)
	case Slower, Faster: // below or above 1
		return e.change(w)
	}
	if !e.Known() {
		return "cannot tell"
	}
	return "cannot tell: " + e.between(w)
}

// partText says that a metric is of a part of the pairs: slices with few requests have no
// p99, and they are not like the others.
func (e Estimate) partText(of Estimate) string {
	if e.Pairs == 0 || e.Pairs >= of.Pairs {
		return ""
	}
	return fmt.Sprintf(", in %d of %d pairs", e.Pairs, of.Pairs)
}

// finding is the interval on the ln scale again.
func (e Estimate) finding() finding {
	lo, hi := math.Log(e.Lo), math.Log(e.Hi)
	return finding{value: (lo + hi) / 2, half: (hi - lo) / 2}
}

// direction is what a ratio below and above 1 is called.
type direction struct{ below, above string }

var (
	slowerFaster = direction{"slower", "faster"}
	lowerHigher  = direction{"lower", "higher"}
)

func (w direction) of(ratio float64) string {
	if ratio < 1 {
		return w.below
	}
	return w.above
}

// change writes "1.7 % slower (1.4 to 2.0 %)" of an interval on one side of 1.
func (e Estimate) change(w direction) string {
	near, far := math.Abs(e.Lo-1), math.Abs(e.Hi-1)
	if near > far {
		near, far = far, near
	}
	decimals := e.decimals()
	return fmt.Sprintf("%s %% %s (%s to %s %%)", number(math.Abs(e.Ratio-1), decimals), w.of(e.Ratio), number(near, decimals), number(far, decimals))
}

// between writes "between 2.1 % slower and 0.4 % faster", or "between 2.1 and 0.4 %
// slower".
func (e Estimate) between(w direction) string {
	decimals := e.decimals()
	lo, hi := number(math.Abs(e.Lo-1), decimals), number(math.Abs(e.Hi-1), decimals)
	if w.of(e.Lo) == w.of(e.Hi) {
		return fmt.Sprintf("between %s and %s %% %s", lo, hi, w.of(e.Lo))
	}
	return fmt.Sprintf("between %s %% %s and %s %% %s", lo, w.of(e.Lo), hi, w.of(e.Hi))
}

// largest is the largest difference that an interval inside the margin allows: rounded
// up, but never to more than the margin. Slices that were all equal have no noise, and
// their interval no width.
func (e Estimate) largest(margin float64) string {
	most := math.Max(math.Abs(e.Lo-1), math.Abs(e.Hi-1))
	return percent(math.Min(math.Max(math.Ceil(most*1000-1e-9), 0)/1000, margin))
}

// decimals is as many as it takes that no bound that is not 0 looks like it.
func (e Estimate) decimals() int {
	for decimals := 1; decimals < 3; decimals++ {
		tenth := math.Pow10(-decimals-2) / 2
		if math.Abs(e.Lo-1) >= tenth && math.Abs(e.Hi-1) >= tenth {
			return decimals
		}
	}
	return 3
}

// number writes a fraction as percent, without the sign. Of what is a thousand times as
// much nobody wants to count the digits.
func number(frac float64, decimals int) string {
	if frac >= 1000 {
		return strconv.FormatFloat(100*frac, 'g', 3, 64)
	}
	return strconv.FormatFloat(100*frac, 'f', decimals, 64)
}

// percent writes a limit as it was asked for: "0.5 %", "1 %".
func percent(frac float64) string {
	return strconv.FormatFloat(math.Round(frac*1e6)/1e4, 'f', -1, 64) + " %"
}

// roughly writes a time as people say it: "0.8 s", "22 s", "4 min", "3 h".
func roughly(d time.Duration) string {
	switch s := d.Seconds(); {
	case s < 9.95:
		return strings.TrimSuffix(strconv.FormatFloat(s, 'f', 1, 64), ".0") + " s"
	case s < 89.5:
		return strconv.FormatFloat(s, 'f', 0, 64) + " s"
	case d.Minutes() < 89.5:
		return strconv.FormatFloat(d.Minutes(), 'f', 0, 64) + " min"
	}
	return strconv.FormatFloat(d.Hours(), 'f', 0, 64) + " h"
}
