package gate

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/scalws/scalbench/internal/stat"
	"github.com/scalws/scalbench/internal/units"
)

// writeEffect writes what the pairs say, in the order in which it was found out: the
// pairs themselves, the bounds that there were to choose from, the one that counts,
// what could have been seen, and what it would have taken.
func (r *Row) writeEffect(line func(format string, args ...any)) {
	e := &r.Effect
	if e.Pairs == 0 {
		return
	}
	line("pairs: %d, ratio %s (Hodges-Lehmann), standard deviation of a pair %s", e.Pairs, ratioText(e.Ratio), percentText(e.Sigma))
	if e.Turns != nil {
		line("  %s", e.Turns.text(e))
	}
	for i, d := range e.differences {
		texts := make([]string, len(d))
		for k, x := range d {
			texts[k] = decimals(math.Exp(x), 4)
		}
		line("  ratio of each pair, round %d: %s", i+1, strings.Join(texts, ", "))
	}
	for _, text := range e.candidateTexts() {
		line("  %s", text)
	}
	if e.Check.Freedom > 0 {
		line("  rounds beside pairs: F %s with %d and %d degrees of freedom, p %s that they add nothing of their own", decimals(e.Check.F, 2), e.Check.Rounds-1, e.Check.Freedom, pText(e.Check.P))
		line("  variance on the ln scale: %s of a pair in its round, %s of the rounds' own", varianceText(e.Check.PairVariance), varianceText(e.Check.RoundVariance))
	}
	if !math.IsNaN(e.Lag1) {
		line("  correlation of pairs with the ones before: %s", decimals(e.Lag1, 2))
	}
	if e.Missing != "" {
		line("  no bounds: %s", e.Missing)
	} else {
		line("  bounds %s, each wrong with a probability of %s at most (%s)", e.boundsText(), shortText(rounded(e.Level, 4)), e.intervalText())
	}
	line("  could have seen %s", e.seenText())
	if text := e.Need.text(e); text != "" {
		line("  %s", text)
	}
	if e.Speeds != nil {
		line("  two speeds: %s", e.Speeds.text(r.spread()))
	}
}

// varianceText writes a variance, which is far below 1.
func varianceText(x float64) string { return fmt.Sprintf("%.2g", x) }

// candidateTexts are the bounds that there were to choose from.
func (e *Effect) candidateTexts() (texts []string) {
	add := func(format string, args ...any) { texts = append(texts, fmt.Sprintf(format, args...)) }
	if e.Signed.known() {
		n := e.Pairs * (e.Pairs + 1) / 2
		add("signed-rank test: critical rank c = %d, so that the bounds are means %d and %d of the %d means of two pairs, %s, each wrong with %s",
			e.Critical, e.Critical+1, n-e.Critical, n, e.Signed.text(), shortText(rounded(e.Signed.Level, 4)))
	}
	if e.Rounds.known() {
		add("means of the rounds: %s on average, %s by Student's t with %d degrees of freedom, each wrong with %s",
			ratioText(math.Exp(e.Check.Mean)), e.Rounds.text(), e.Check.Rounds-1, shortText(rounded(e.Rounds.Level, 4)))
	}
	if e.Drawn.known() {
		text := fmt.Sprintf("bootstrap: %s, percentiles of %s draws of rounds, and of pairs in them", e.Drawn.text(), units.Group(resamples))
		if draws := stat.RoundResamples(e.Check.Rounds); draws > 0 && draws < drawsEnough {
			text += fmt.Sprintf("; of %d rounds there are only %d different draws", e.Check.Rounds, draws)
		}
		add("%s", text)
	}
	return texts
}

// intervalText tells how the bounds that count were chosen.
func (e *Effect) intervalText() string {
	switch {
	case e.Interval == ByBootstrap:
		return "interval bootstrap"
	case e.ByRounds:
		return "interval " + e.Interval.String() + ": on each side the outer one, here that of the rounds"
	case e.Interval == ByRounds && !e.Rounds.known():
		return "signed-rank test; of one round nobody knows what another would add"
	case e.Interval == ByRounds:
		return "interval rounds: on each side the outer one, here that of the signed-rank test"
	}
	return "interval pairs: signed-rank test"
}

// text tells what it would take; "" where nobody knows.
func (n *Need) text(e *Effect) string {
	if n.Rounds == 0 {
		return ""
	}
	text := fmt.Sprintf("to see a loss of %s nine times in ten takes %s", percentText(n.Loss), plural(n.Rounds, "round"))
	if have := len(e.differences); n.Rounds > have {
		return text + fmt.Sprintf(" like these (%s): %d more than there are", plural(n.Pairs, "pair"), n.Rounds-have)
	}
	return text + fmt.Sprintf(" like these (%s), and there are %d", plural(n.Pairs, "pair"), len(e.differences))
}

// splitText tells how pairs are best divided among rounds, by the time that both took
// here; "" where the measurements do not say when they were made.
func (t *Table) splitText(e *Effect) string {
	round, pair := t.costs()
	if pair <= 0 || e.Check.Freedom == 0 {
		return ""
	}
	cost := fmt.Sprintf("a round takes %s besides its pairs, and a pair %s", units.Duration(round.Round(time.Second)), units.Duration(pair.Round(time.Second)))
	pairs, ok := e.Check.BestSplit(round.Seconds(), pair.Seconds())
	if !ok {
		return "best split: rounds showed nothing of their own, so that only their number and that of all pairs count (" + cost + ")"
	}
	return fmt.Sprintf("best split: %s in a round, for the tightest bounds in a given time (%s)", plural(pairs, "pair"), cost)
}
