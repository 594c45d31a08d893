package main

import (
	"math"
	"time"

	"github.com/spf13/pflag"

	"github.com/scalws/scalbench/loadgen"
)

// rateOptions is what the flags about an open loop say.
type rateOptions struct {
	rate       string
	arrival    string
	burstRate  count
	burstDelay time.Duration
	deadline   time.Duration
}

func (o *rateOptions) register(f *pflag.FlagSet) {
	o.burstRate = 1
	f.StringVarP(&o.rate, "rate", "q", "", "requests a second, whatever the server does: `1000`, a ramp 1000..20000, steps 1000@10s,5000@10s")
	f.StringVar(&o.arrival, "arrival", "constant", "how they lie in time: constant or poisson (see --seed)")
	f.Var(&o.burstRate, "burst-rate", "with --burst-delay: how many requests at once")
	f.DurationVar(&o.burstDelay, "burst-delay", 0, "instead of a rate: bursts this long apart")
	f.DurationVar(&o.deadline, "deadline", 0, "do not send what has waited this long since it was due; 0: send it however late")
}

// apply writes those that were given into a plan. A rate that comes to an end says
// how long the window is, unless something else does.
func (o *rateOptions) apply(plan *loadgen.Plan, f *pflag.FlagSet) []error {
	var faults []error
	if f.Changed("rate") || f.Changed("burst-delay") { // what a scenario offers does not count any more
		plan.Rate, plan.Burst = loadgen.Rate{}, loadgen.Burst{}
	}
	if f.Changed("rate") && o.rate != "0" { // which is oha's word for no limit
		rate, err := loadgen.ParseRate(o.rate)
		if err != nil {
			faults = append(faults, usagef("--rate: %w", err))
		}
		plan.Rate = rate
		if length, open := rate.Length(); !open && length > 0 && !f.Changed("duration") && !f.Changed("requests") {
			plan.Measure = length
		}
	}
	if f.Changed("arrival") {
		if err := plan.Arrival.UnmarshalText([]byte(o.arrival)); err != nil {
			faults = append(faults, usagef("--arrival: %w", err))
		}
	}
	switch {
	case f.Changed("burst-delay"):
		plan.Burst = loadgen.Burst{Requests: int(min(o.burstRate, math.MaxInt32)), Every: o.burstDelay}
	case f.Changed("burst-rate"):
		faults = append(faults, usagef("--burst-rate %d: how often? want --burst-delay with it", o.burstRate))
	}
	plan.Deadline = o.deadline
	if len(faults) == 0 && !plan.IsOpen() {
		for _, name := range []string{"arrival", "deadline"} {
			if f.Changed(name) {
				faults = append(faults, usagef("--%s: want --rate with it", name))
			}
		}
		plan.Deadline = 0
	}
	return faults
}
