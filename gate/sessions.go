package gate

import (
	"math"
	"slices"
	"strings"

	"github.com/scalws/scalbench/internal/record"
)

// Absolute numbers never cross sessions: a host that is 8 % slower this week is so for
// both variants. Ratios may, for each is made inside one round. So what is made of
// rates, and not of ratios, is made of each session by itself.

// SessionNumbers are the runs of one session.
type SessionNumbers struct {
	Session   string
	Base, New Pooled
	Pooled    float64 // ratio of their rates
}

// Pooled are the runs of one variant over all rounds of a session.
type Pooled struct {
	Runs           int     // so many; 0: not known
	RPS            float64 // median, as the next three
	CPUMicros      float64
	P99Millis      float64
	RSSKiB         float64
	RPSMin, RPSMax float64
	CV             float64 // of rps, a fraction

	CPUAppMicros              float64 // median, as the next two
	ServerBusy, GeneratorBusy float64 // fractions of the CPUs
	AppBusy                   float64
}

// bySession puts together the rounds of each session, both in the order of time.
func bySession(rounds []RoundNumbers) [][]RoundNumbers {
	var all [][]RoundNumbers
	at := map[string]int{}
	for _, r := range rounds {
		i, known := at[r.Session]
		if !known {
			i = len(all)
			at[r.Session] = i
			all = append(all, nil)
		}
		all[i] = append(all[i], r)
	}
	return all
}

// pool computes the numbers of each session.
func (n *Numbers) pool() {
	var ratios []float64
	for _, rounds := range bySession(n.Rounds) {
		base, new := runsOfRounds(rounds)
		s := SessionNumbers{Session: rounds[0].Session, Base: pool(base), New: pool(new)}
		s.Pooled = s.New.RPS / s.Base.RPS
		n.Sessions = append(n.Sessions, s)
		ratios = append(ratios, s.Pooled)
	}
	last := &n.Sessions[len(n.Sessions)-1]
	n.Base, n.New, n.Pooled = last.Base, last.New, median(ratios)
}

// pooledRatio is the ratio of the medians of all runs of what the row is judged by, above 1
// for better, median over the sessions. The rounds are forgotten in it, so that it
// decides nothing.
func (n *Numbers) pooledRatio() float64 {
	if n.Metric == Rate {
		return n.Pooled
	}
	var ratios []float64
	for _, s := range n.Sessions {
		ratios = append(ratios, s.Base.CPUMicros/s.New.CPUMicros)
	}
	return median(ratios)
}

func pool(runs []record.Measurement) Pooled {
	rps := record.Column(runs, rpsOf)
	return Pooled{
		Runs: len(runs),
		RPS:  median(rps), CPUMicros: medianOf(runs, cpuOf), P99Millis: medianOf(runs, p99Of), RSSKiB: medianOf(runs, rssOf),
		RPSMin: slices.Min(rps), RPSMax: slices.Max(rps), CV: cv(rps),
		CPUAppMicros: medianOf(runs, cpuAppOf), ServerBusy: medianOf(runs, serverBusyOf), GeneratorBusy: medianOf(runs, generatorBusyOf), AppBusy: medianOf(runs, appBusyOf),
	}
}

// runsOfRounds returns the runs of both variants.
func runsOfRounds(rounds []RoundNumbers) (base, new []record.Measurement) {
	for _, r := range rounds {
		base, new = append(base, r.Base...), append(new, r.New...)
	}
	return base, new
}

// perSession writes an absolute number of each session: 69 873, or 69 873; 64 310.
func (n *Numbers) perSession(text func(*SessionNumbers) string) string {
	if len(n.Sessions) < 2 {
		return text(&SessionNumbers{Base: n.Base, New: n.New, Pooled: n.Pooled})
	}
	texts := make([]string, len(n.Sessions))
	for i := range n.Sessions {
		texts[i] = text(&n.Sessions[i])
	}
	return strings.Join(texts, "; ")
}

// sideOf writes what the rows of a scenario know of a variant.
func sideOf(rows []*Row, variant string, text func(*Pooled) string) string {
	for _, r := range rows {
		switch variant {
		case r.Base:
			return r.Numbers.perSession(func(s *SessionNumbers) string { return text(&s.Base) })
		case r.New:
			return r.Numbers.perSession(func(s *SessionNumbers) string { return text(&s.New) })
		}
	}
	none := math.NaN()
	return text(&Pooled{RPS: none, CPUMicros: none})
}
