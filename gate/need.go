package gate

import (
	"math"
	"time"

	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/stat"
)

// Need is what it would take to see a loss nine times in ten.
type Need struct {
	Loss   float64 // fraction: the margin of the row
	Rounds int     // like these; 0: not known
	Pairs  int     // in them
}

// need finds out how many rounds like these would see a loss.
func (p *paired) need(loss, level float64, how Interval) Need {
	n := Need{Loss: loss}
	power := stat.Power{Level: level, Power: mdePower}
	pairs, err := stat.PairsToDetect(p.sigma(), loss, power)
	if err != nil {
		return n
	}
	perRound := float64(len(p.all)) / float64(len(p.rounds))
	rounds := int(math.Ceil(float64(pairs) / perRound))
	if p.takesRounds(how) || how == ByBootstrap && p.check.Rounds > 1 {
		of, err := p.check.RoundsToDetect(loss, power)
		if err != nil {
			return n
		}
		rounds = max(rounds, of)
	}
	n.Rounds, n.Pairs = rounds, int(math.Ceil(float64(rounds)*perRound))
	return n
}

// costs are the times that a round takes besides its pairs, from the end of one to the
// beginning of the next, the shortest such; and that of a pair, in which all
// scenarios are measured once for each variant. Zero where nobody knows.
func (t *Table) costs() (round, pair time.Duration) {
	var before *record.Round
	for _, r := range t.Rounds {
		from, to := began(r), ended(r)
		runs := 0
		for _, m := range r.Measurements {
			runs = max(runs, m.Run)
		}
		if from.IsZero() || runs == 0 {
			return 0, 0
		}
		if took := to.Sub(from) / time.Duration(runs); pair == 0 || took < pair {
			pair = took
		}
		if before != nil && before.Session == r.Session {
			if gap := from.Sub(ended(before)); gap >= 0 && (round == 0 || gap < round) {
				round = gap
			}
		}
		before = r
	}
	return round, pair
}
