package main

import (
	"context"
	"encoding/json"
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
	if o.findMax == "" {
		return nil
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
func (o *loadOptions) findCapacity(ctx context.Context, plan loadgen.Plan, f *pflag.FlagSet, std streams) error {
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
		step.Rate = rate
		r, err := o.run(ctx, step, quiet)
		if steps++; err == nil && !o.quiet {
			fmt.Fprintf(std.err, "%5d  %s\n", steps, report.CapacityLine(r, rps))
		}
		return r, err
	})
	if err != nil {
		return err
	}
	if o.format == "json" {
		encoder := json.NewEncoder(std.out)
		encoder.SetIndent("", "  ")
		if err := encoder.Encode(capacity); err != nil {
			return fmt.Errorf("write result: %w", err)
		}
	} else if o.format == "text" {
		if err := report.Capacity(std.out, plan.Targets[0].URL, o.findMax, capacity); err != nil {
			return fmt.Errorf("write result: %w", err)
		}
	}
	if capacity.Reason == loadgen.CapacityNoneHeld {
		return fmt.Errorf("%w: %s", errBroken, capacity.Sure)
	}
	return nil
}

// closedRate is what the server does when every connection asks as soon as it is
// answered: no open loop gets more through them.
func (o *loadOptions) closedRate(ctx context.Context, plan loadgen.Plan, std streams) (float64, error) {
	closed := plan
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
