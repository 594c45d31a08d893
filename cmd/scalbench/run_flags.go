package main

import (
	"errors"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/scalws/scalbench/driver"
)

// runOptions is what the flags of `scalbench run` say.
type runOptions struct {
	preset          string
	rounds, runs    int
	warmUp, measure time.Duration
	only, params    []string

	results, name string
	attach        string
	standIn       bool
	untilDecided  int
	dryRun        bool
	syscalls      bool
	profile       string
	sitting       sittingOptions
}

// sittingOptions are the flags about one sitting of a session, which run, resume and
// repeat have in common.
type sittingOptions struct {
	lock, lockSocket string
	wait, reap       bool
	startAt, until   string
	quiet            bool
}

// registerPlan adds the flags that say what a session measures, and where it goes.
func (o *runOptions) registerPlan(f *pflag.FlagSet) {
	f.SortFlags = false
	f.StringVar(&o.preset, "preset", "", "`name` of a plan to put over the suite's: release, instances, estimate, quick or smoke")
	f.IntVar(&o.rounds, "rounds", 0, "windows of time, each with all variants")
	f.IntVar(&o.runs, "runs", 0, "of each variant in a round")
	f.DurationVar(&o.warmUp, "warmup", 0, "load before each window that is not counted")
	f.DurationVar(&o.measure, "measure", 0, "length of each window")
	f.StringSliceVar(&o.only, "only", nil, "measure these `scenarios` alone: NAME, or MODE/NAME; repeatable")
	f.StringArrayVar(&o.params, "param", nil, "a suite's param, `NAME=VALUE`; repeatable")
	f.StringVar(&o.results, "results", "results", "`directory` of results")
	f.BoolVar(&o.dryRun, "dry-run", false, "print the order, the number of measurements and the time, and measure nothing")
}

func (o *runOptions) register(f *pflag.FlagSet) {
	o.registerPlan(f)
	f.StringVar(&o.attach, "attach", "", "load the server that runs at a `URL` (http://HOST:PORT) instead of starting variants")
	f.BoolVar(&o.standIn, "stand-in", false, "try the suite out with the embedded target in the place of every server")
	f.StringVar(&o.name, "name", "", "what the `name` of each directory begins with (default HOST-SUITE)")
	f.IntVar(&o.untilDecided, "until-decided", 0, "add `rounds`, until there are so many, of rows that the gate cannot decide (default the suite's max_rounds)")
	f.Lookup("until-decided").NoOptDefVal = suitesMost
	f.BoolVar(&o.syscalls, "syscalls", false, "count system calls for each request with perf, in a pass of its own after the rounds")
	registerProfile(f, &o.profile)
	o.sitting.register(f)
}

func (o *sittingOptions) register(f *pflag.FlagSet) {
	f.BoolVar(&o.wait, "wait", false, "wait for the host when another session holds it")
	f.StringVar(&o.startAt, "start-at", "", "begin at a `time`: 22:00, or 2026-12-01T22:00")
	f.StringVar(&o.until, "until", "", "begin no run that would not be over by a `time`")
	f.BoolVar(&o.reap, "reap", false, "end what killed sessions have left running")
	f.StringVar(&o.lock, "lock", "", "`file` of the host's lock, for containers that share a host (default /run/lock/scalbench.lock, or where the user may)")
	f.StringVar(&o.lockSocket, "lock-socket", "", "")
	hide(f, "lock-socket") // of tests, which must not wait for each other
	f.BoolVar(&o.quiet, "quiet", false, "no progress on standard error")
}

// registerProfile adds the flag that asks for profiles.
func registerProfile(f *pflag.FlagSet, when *string) {
	f.StringVar(when, "profile", "", "sample the server's CPUs with perf, in a pass of its own after the rounds, in which `rows`: always, on-fail (those that the gate fails) or never (default as the suite says)")
	f.Lookup("profile").NoOptDefVal = "always"
}

// suitesMost is what --until-decided says without a number.
const suitesMost = "0"

// hide keeps a flag out of the help.
func hide(f *pflag.FlagSet, name string) { f.Lookup(name).Hidden = true }

// order is what the flags say, with everything that is wrong with them.
func (o *runOptions) order(f *pflag.FlagSet, suites []string, now time.Time) (driver.Order, error) {
	order := driver.Order{Suites: suites, Preset: o.preset, Only: o.only, Attach: o.attach, Results: o.results, Name: o.name,
		UntilDecided: f.Changed("until-decided"), StandIn: o.standIn, Syscalls: o.syscalls, Profile: o.profile}
	if f.Changed("rounds") {
		order.Edit.Rounds = &o.rounds
	}
	if o.untilDecided != 0 {
		order.Edit.MaxRounds = &o.untilDecided
	}
	if f.Changed("runs") {
		order.Edit.Runs = &o.runs
	}
	if f.Changed("warmup") {
		order.Edit.Warmup = &o.warmUp
	}
	if f.Changed("measure") {
		order.Edit.Measure = &o.measure
	}
	var faults []error
	for _, text := range o.params {
		name, value, found := strings.Cut(text, "=")
		if !found || name == "" {
			faults = append(faults, usagef("--param %s: want NAME=VALUE", text))
			continue
		}
		if order.Params == nil {
			order.Params = map[string]string{}
		}
		order.Params[name] = value
	}
	faults = append(faults, o.sitting.apply(&order, now))
	return order, errors.Join(faults...)
}

// apply puts what the flags say about a sitting into an order.
func (o *sittingOptions) apply(order *driver.Order, now time.Time) error {
	order.LockPath, order.LockSocket, order.Wait, order.Reap, order.Command = o.lock, o.lockSocket, o.wait, o.reap, os.Args
	var startErr, untilErr error
	order.StartAt, startErr = timeFlag("--start-at", o.startAt, now)
	if !order.StartAt.IsZero() {
		now = order.StartAt
	}
	order.Until, untilErr = timeFlag("--until", o.until, now)
	return errors.Join(startErr, untilErr)
}

// timeFlag reads a time of day, the next after now, or a day with it; "" is none.
func timeFlag(flag, text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{"2006-01-02T15:04", "2006-01-02 15:04", time.RFC3339} {
		if t, err := time.ParseInLocation(layout, text, now.Location()); err == nil {
			return t, nil
		}
	}
	t, err := time.ParseInLocation("15:04", text, now.Location())
	if err != nil {
		return time.Time{}, usagef("%s %s: want a time such as 22:00, or 2026-12-01T22:00", flag, text)
	}
	t = time.Date(now.Year(), now.Month(), now.Day(), t.Hour(), t.Minute(), 0, 0, now.Location())
	if !t.After(now) {
		t = t.AddDate(0, 0, 1)
	}
	return t, nil
}
