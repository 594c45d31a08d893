package loadgen

import (
	"fmt"
	"strings"

	"github.com/scalws/scalbench/internal/units"
)

// capacityVote is what one measurement says of its rate.
type capacityVote uint8

const (
	voteNone   capacityVote = iota // nothing: the measurement is void
	voteHeld                       // the goal was met at the rate
	voteBroken                     // it was not, by the server
	voteMissed                     // the rate was not put on the server
)

// achievedMin is the share of the scheduled requests that has to complete ok for
// a rate to have been offered. The schedule is asked and not the nominal rate,
// from which random arrivals differ.
const achievedMin = 0.98

// judge says what a result means. A rate was not offered when the generator was
// late or, with a broken goal, saturated: then it may have been what was slow.
// Neither was it when the goal held and less than 98 % of what was scheduled
// completed: all connections were busy, so the server had less than the rate.
// Where the rest failed instead, the goal counts as broken although it does not
// ask for success.
func (g CapacityGoal) judge(rps float64, r *Result) (CapacityStep, capacityVote) {
	step := CapacityStep{OfferedRPS: rps, AchievedRPS: r.RPS}
	if d := r.Latency.Response; d != nil {
		step.P50US, step.P99US, step.P999US = d.P50US, d.P99US, d.P999US
	}
	held, unknown, why := g.check(r)
	late, isLate := r.warned(LateSends)
	busy, isBusy := r.warned(GeneratorSaturated)
	scheduled := float64(r.Ledger.Scheduled)
	missing := scheduled - r.RPS*r.MeasuredS
	const byChance = 3 // requests more are under way at the window's end than at its beginning
	vote := voteHeld
	switch {
	case isLate && r.Busiest() < lateBusy: // the host's doing, and no sign of the rate
		vote, why = voteNone, "the generator had no CPU: "+late
	case isLate:
		vote, why = voteMissed, "the generator was the limit: "+late
	case r.Validity == Invalid:
		vote, why = voteNone, "the measurement is invalid: "+r.invalidText()
	case unknown && r.Ledger.NotOK() == 0: // nothing speaks against the rate
		vote, why = voteNone, "the step was too short: "+why
	case !held && isBusy:
		vote, why = voteMissed, fmt.Sprintf("the generator may have been the limit: %s (%s)", busy, why)
	case !held:
		vote = voteBroken
	case missing <= (1-achievedMin)*scheduled+byChance:
	case float64(r.Ledger.ErrorsTotal()) > missing/2:
		vote, why = voteBroken, fmt.Sprintf("%s of %s requests failed (%s)", grouped(r.Ledger.ErrorsTotal()), grouped(r.Ledger.Scheduled), why)
	default:
		vote, why = voteMissed, fmt.Sprintf("%s; %s a second were achieved (%s)", r.limitSentence(), units.Rate(r.RPS), why)
	}
	step.Held, step.Valid, step.Why = vote == voteHeld, vote == voteHeld || vote == voteBroken, why
	return step, vote
}

// lateBusy is how busy a generator is that is late by its own work.
const lateBusy = 0.5

// check compares all thresholds: the texts of those that did not hold, or of all.
// unknown says that the result lacks a metric, and breaks none.
func (g CapacityGoal) check(r *Result) (held, unknown bool, why string) {
	var all, broken, absent []string
	for _, t := range g {
		v := t.Check(r)
		all = append(all, v.Text)
		switch v.State {
		case ThresholdUnknown:
			absent = append(absent, v.Text)
		case ThresholdBroken:
			broken = append(broken, v.Text)
		}
	}
	switch {
	case len(broken) > 0:
		return false, false, strings.Join(append(broken, absent...), "; ")
	case len(absent) > 0:
		return false, true, strings.Join(absent, "; ")
	}
	return true, false, strings.Join(all, "; ")
}

// Samples is how many requests a step must have for every threshold to be known.
func (g CapacityGoal) Samples() int {
	most := 1
	for _, t := range g {
		for _, s := range statistics { // the metric is the statistic's name, or ends with it
			if t.Metric == s.name || strings.HasSuffix(t.Metric, "."+s.name) {
				most = max(most, s.samplesMin)
			}
		}
	}
	return most
}

// warned returns the text of a warning.
func (r *Result) warned(code WarningCode) (text string, found bool) {
	for _, w := range r.Warnings {
		if w.Code == code {
			return w.Text, true
		}
	}
	return "", false
}

// invalidText is the text of the first warning that makes the result invalid.
func (r *Result) invalidText() string {
	for _, w := range r.Warnings {
		if bearing[w.Code] == Invalid {
			return w.Text
		}
	}
	return "no reason was given"
}

// limitSentence says who kept the rate from being offered, as far as is known.
func (r *Result) limitSentence() string {
	who, why := r.Limit()
	switch who {
	case LimitGenerator:
		return "the generator was the limit (" + why + ")"
	case LimitServer, LimitServerCPUs:
		return "the server's closed-loop capacity was the limit, with all connections busy (" + why + ")"
	}
	return "all connections were busy: more of them, or a faster answer, would carry more (" + why + ")"
}

// capacityLevel is one rate and the votes of its repeats.
type capacityLevel struct {
	rps                  float64
	held, broken, missed int    // missed: it could not be offered
	visits               int    // votes, and measurements that were none
	whyNot               string // of the last that did not hold
	afterLower           tally  // of the votes that came after a lower rate
	afterHigher          tally
}

type tally struct{ held, votes int }

func (l *capacityLevel) votes() int   { return l.held + l.notHeld() }
func (l *capacityLevel) notHeld() int { return l.broken + l.missed }

// count adds a vote to the level; last is the rate that was measured before.
func (l *capacityLevel) count(vote capacityVote, why string, last float64) {
	l.visits++
	switch vote {
	case voteNone:
		return
	case voteHeld:
		l.held++
	case voteBroken:
		l.broken++
		l.whyNot = why
	case voteMissed:
		l.missed++
		l.whyNot = why
	}
	side := &l.afterLower
	switch {
	case last == 0 || last == l.rps:
		return
	case last > l.rps:
		side = &l.afterHigher
	}
	side.votes++
	if vote == voteHeld {
		side.held++
	}
}
