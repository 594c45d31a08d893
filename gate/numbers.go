package gate

import (
	"math"

	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/stat"
)

// Metric is what a row's verdict is about.
type Metric uint8

const (
	// Rate is requests per second.
	Rate Metric = iota
	// CPU is server CPU time per request, of a row in which an application limits
	// the rate, so that the rate cannot see the server.
	CPU
)

// String returns the metric's column: rps or cpu_us.
func (m Metric) String() string {
	if m == CPU {
		return "cpu_us"
	}
	return "rps"
}

// Numbers are what is known of a row. Ratios are new / base; NaN is "not measured".
type Numbers struct {
	Metric Metric

	// Plan is the hash of the plan they were measured by, and Row the row's name: what
	// a bootstrap is seeded with. Any text does, as long as it is the same again.
	Plan, Row string

	// Turns: the variants took turns in each run, in slices of time, and the ratios of these
	// are what a pair of runs stands for.
	Turns bool

	Rounds []RoundNumbers // in the order of time

	Value  float64 // median over the rounds of their ratio of rps: what the rules are about
	Spread float64 // median over the rounds of their spread, a fraction
	P99    float64 // likewise medians of the rounds' ratios
	P999   float64
	CPU    float64
	RSS    float64

	CPUSpread float64 // as Spread, of cpu_us

	// Sessions are the runs of each session, in the order of time. Base and New are those
	// of the last one, Pooled the ratio of their rates, median over the sessions. They
	// explain; nothing is decided by them.
	Sessions  []SessionNumbers
	Base, New Pooled
	Pooled    float64
}

// RoundNumbers are those of one round.
type RoundNumbers struct {
	Session string // that measured it; "": not known

	// Base and New are the runs, in order; run i of both is a pair. Empty where only
	// ratios are known.
	Base, New []record.Measurement

	BaseRPS, NewRPS float64 // medians of the runs
	Ratio           float64 // of the medians of rps; the next four likewise
	P99, P999       float64
	CPU, RSS        float64
	Spread          float64 // larger CV of rps of the two variants, a fraction
	CPUSpread       float64 // larger CV of cpu_us
}

// The numbers of a measurement that rows are made of.
func rpsOf(m *record.Measurement) record.Value  { return m.RPS }
func cpuOf(m *record.Measurement) record.Value  { return m.CPUMicros }
func p99Of(m *record.Measurement) record.Value  { return m.P99Millis }
func p999Of(m *record.Measurement) record.Value { return m.P999Millis }
func rssOf(m *record.Measurement) record.Value  { return m.RSSKiB }

func cpuAppOf(m *record.Measurement) record.Value        { return m.CPUAppMicros }
func serverBusyOf(m *record.Measurement) record.Value    { return m.ServerBusyFrac }
func appBusyOf(m *record.Measurement) record.Value       { return m.AppBusyFrac }
func generatorBusyOf(m *record.Measurement) record.Value { return m.GeneratorBusyFrac }

// measure computes a row's numbers. p99, cpu_us and RSS have the same shape as the
// rate, a median over rounds of ratios of medians: one slow round of the host moves
// none of them.
func measure(sample []roundSample) Numbers {
	var n Numbers
	for _, s := range sample {
		n.Rounds = append(n.Rounds, measureRound(s))
	}
	n.combine()
	n.pool()
	return n
}

func measureRound(s roundSample) RoundNumbers {
	r := RoundNumbers{Session: s.round.Session, Base: s.base, New: s.new}
	r.BaseRPS, r.NewRPS = medianOf(s.base, rpsOf), medianOf(s.new, rpsOf)
	r.Ratio = r.NewRPS / r.BaseRPS
	r.P99 = ratioOfMedians(s, p99Of)
	r.P999 = ratioOfMedians(s, p999Of)
	r.CPU = ratioOfMedians(s, cpuOf)
	r.RSS = ratioOfMedians(s, rssOf)
	r.Spread = largerCV(s, rpsOf)
	r.CPUSpread = largerCV(s, cpuOf)
	return r
}

// combine makes the row's numbers of those of its rounds.
func (n *Numbers) combine() {
	of := func(number func(RoundNumbers) float64) float64 {
		all := make([]float64, len(n.Rounds))
		for i, r := range n.Rounds {
			all[i] = number(r)
		}
		return median(all)
	}
	n.Value = of(func(r RoundNumbers) float64 { return r.Ratio })
	n.Spread = of(func(r RoundNumbers) float64 { return r.Spread })
	n.P99 = of(func(r RoundNumbers) float64 { return r.P99 })
	n.P999 = of(func(r RoundNumbers) float64 { return r.P999 })
	n.CPU = of(func(r RoundNumbers) float64 { return r.CPU })
	n.RSS = of(func(r RoundNumbers) float64 { return r.RSS })
	n.CPUSpread = of(func(r RoundNumbers) float64 { return r.CPUSpread })
}

// runs returns the runs of both variants over all rounds.
func (n *Numbers) runs() (base, new []record.Measurement) {
	return runsOfRounds(n.Rounds)
}

// judged returns the ratio that decides, above 1 for better, and its spread.
func (n *Numbers) judged() (ratio, spread float64) {
	if n.Metric == CPU {
		return 1 / n.CPU, n.CPUSpread
	}
	return n.Value, n.Spread
}

// spread is that of what the row is judged by.
func (r *Row) spread() float64 {
	_, spread := r.Numbers.judged()
	return spread
}

// ratioOfMedians is NaN where a run lacks the number, and where there is nothing to
// divide by.
func ratioOfMedians(s roundSample, number func(*record.Measurement) record.Value) float64 {
	base, new := medianOf(s.base, number), medianOf(s.new, number)
	if base == 0 {
		return math.NaN()
	}
	return new / base
}

// largerCV is NaN unless both variants have a CV: one alone says nothing about the
// other's noise.
func largerCV(s roundSample, number func(*record.Measurement) record.Value) float64 {
	return math.Max(cv(record.Column(s.base, number)), cv(record.Column(s.new, number)))
}

func medianOf(runs []record.Measurement, number func(*record.Measurement) record.Value) float64 {
	return median(record.Column(runs, number))
}

// median is NaN for no numbers and when one of them is NaN.
func median(x []float64) float64 {
	m, err := stat.Median(x)
	if err != nil {
		return math.NaN()
	}
	return m
}

// cv is the standard deviation with n-1 over the mean; NaN for fewer than two.
func cv(x []float64) float64 {
	c, err := stat.CV(x)
	if err != nil {
		return math.NaN()
	}
	return c
}
