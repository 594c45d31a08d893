package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/scalws/scalbench/internal/report"
	"github.com/scalws/scalbench/internal/units"
	"github.com/scalws/scalbench/loadgen"
)

// Steps of a search for the highest rate are shorter than a run by itself: there
// are some thirty of them.
const (
	capacityWarmUp  = 300 * time.Millisecond
	capacityMeasure = 2 * time.Second
)

// parseCapacity reads --find-max-rps. It needs a plan of its own in which the rate
// is what is looked for.
func (o *loadOptions) parseCapacity(f *pflag.FlagSet) error {
	switch {
	case !f.Changed("find-max-rps"):
		return nil
	case o.findMax == "":
		return usagef("--find-max-rps: what must hold? want a threshold such as p99<5ms")
	}
	for _, name := range []string{"rate", "burst-delay", "requests", "threshold"} {
		if f.Changed(name) {
			return usagef("--find-max-rps and --%s: the rate is what is looked for, and its thresholds say what must hold", name)
		}
	}
	switch o.format {
	case "text", "json", "quiet":
	default:
		return usagef("--find-max-rps: --output-format %s is of one run, want text, json or quiet", o.format)
	}
	o.goal = nil
	for text := range strings.SplitSeq(o.findMax, ",") {
		t, err := loadgen.ParseThreshold(strings.TrimSpace(text))
		if err != nil {
			return usagef("--find-max-rps: %w", err)
		}
		o.goal = append(o.goal, t)
	}
	return nil
}

// findCapacity searches for the highest rate that holds the goal, in open loop,
// and prints the curve and the answer.
func (o *loadOptions) findCapacity(ctx context.Context, plan loadgen.Plan, file *resultFile, f *pflag.FlagSet, std streams) error {
	if !f.Changed("duration") {
		plan.Measure = capacityMeasure
	}
	if !f.Changed("warmup") {
		plan.WarmUp = capacityWarmUp
	}
	start, err := o.closedRate(ctx, plan, std)
	if err != nil {
		return err
	}
	quiet := std
	quiet.err = io.Discard
	steps := 0
	capacity, err := loadgen.FindCapacity(ctx, start/2, loadgen.CapacityOptions{Goal: o.goal}, func(ctx context.Context, rps float64) (*loadgen.Result, error) {
		step := plan
		rate, err := loadgen.ParseRate(fmt.Sprintf("%.6f", rps))
		if err != nil {
			return nil, err
		}
		step.Rate, step.Burst = rate, loadgen.Burst{}
		if step.Measure, err = o.stepLength(plan.Measure, rps); err != nil {
			return nil, err
		}
		r, err := o.run(ctx, step, quiet)
		if steps++; err == nil && !o.quiet {
			fmt.Fprintf(std.err, "%5d  %s\n", steps, report.CapacityLine(r, rps))
		}
		return r, err
	})
	if len(capacity.Steps) > 0 { // also of a search that was cut
		err = errors.Join(err, o.writeCapacity(capacity, plan.Targets[0].URL, file, std.out))
	}
	if err != nil {
		return err
	}
	if capacity.Reason == loadgen.CapacityStepsUsed && capacity.MaxRPS == 0 {
		return fmt.Errorf("%w: no answer, %s", errInvalid, capacity.Sure)
	}
	if capacity.Reason == loadgen.CapacityNoneHeld {
		return fmt.Errorf("%w: %s", errBroken, capacity.Sure)
	}
	return nil
}

// stepLength is how long a step lasts: as long as was asked for, and long enough for
// the percentiles that the goal names.
func (o *loadOptions) stepLength(asked time.Duration, rps float64) (time.Duration, error) {
	const margin = 1.5 // Poisson arrivals, and requests that fail
	needed := time.Duration(margin * float64(o.goal.Samples()) / rps * float64(time.Second))
	if needed > stepMax {
		return 0, fmt.Errorf("%s requests a second would take %v for the percentiles of %q: want a lower one", units.Rate(rps), needed.Round(time.Second), o.findMax)
	}
	return max(asked, needed), nil
}

// stepMax is the longest step that is worth waiting for thirty times.
const stepMax = time.Minute

// writeCapacity puts the curve and the answer where they were asked for.
func (o *loadOptions) writeCapacity(c loadgen.Capacity, url string, file *resultFile, out io.Writer) error {
	err := file.write(c)
	switch o.format {
	case "json":
		err = errors.Join(err, writeJSON(out, c))
	case "text":
		err = errors.Join(err, report.Capacity(out, url, o.findMax, c))
	}
	if err != nil {
		return fmt.Errorf("write result: %w", err)
	}
	return nil
}

// closedRate is what the server does when every connection asks as soon as it is
// answered: no open loop gets more through them.
func (o *loadOptions) closedRate(ctx context.Context, plan loadgen.Plan, std streams) (float64, error) {
	closed := plan
	closed.Rate, closed.Burst, closed.Deadline = loadgen.Rate{}, loadgen.Burst{}, 0 // of a scenario
	closed.Measure = min(plan.Measure, time.Second)
	quiet := std
	quiet.err = io.Discard
	r, err := o.run(ctx, closed, quiet)
	switch {
	case err != nil:
		return 0, err
	case r.Interrupted:
		return 0, errInterrupted
	case r.Ledger.OK == 0:
		return 0, fmt.Errorf("%w: %s", errNothingOK, mainFailure(r))
	}
	if !o.quiet {
		fmt.Fprintf(std.err, "closed loop  %s req/s\n", units.Rate(r.RPS))
	}
	return r.RPS, nil
}
