package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/scalws/scalbench/ab"
	"github.com/scalws/scalbench/bench"
	"github.com/scalws/scalbench/driver"
	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/loadgen"
)

func newAB(std streams) *cobra.Command {
	var o abOptions
	cmd := &cobra.Command{
		Use:   "ab URL_A URL_B | --base CMD --new CMD [URL] | --suite F --scenario S --base V --new W",
		Short: "Tell whether B is slower than A, in seconds",
		Long: "Tell whether B is slower than A, in seconds.\n\n" +
			"Both servers stay up, with connections to both; one generator loads them in turns, some ten milliseconds each,\n" +
			"so that whatever disturbs the host disturbs both. It ends when the answer is sure, or after --max.\n\n" +
			"Exit codes: 0 an answer, 3 B loses more than --max-loss, 4 it cannot be told, or the generator was the limit,\n" +
			"5 a server was lost or ended, requests failed, or both answer something else.",
		Example: "  scalbench ab http://127.0.0.1:8080/ http://127.0.0.1:8081/\n" +
			"  scalbench ab --base './old --port {port}' --new './new --port {port}' http://127.0.0.1:{port}/api\n" +
			"  scalbench ab --suite nginx-cache --scenario static-small --base cache-off --new cache-on\n" +
			"  scalbench ab http://127.0.0.1:8080/ http://127.0.0.1:8081/ --max-loss 3% --max 20s",
		RunE: func(cmd *cobra.Command, urls []string) error { return o.run(cmd, urls, std) },
	}
	o.register(cmd.Flags())
	return cmd
}

// run is the story of the command: flags to a plan, servers if it starts any, the same
// answer from both, pairs until they decide, the answer, an exit code.
func (o *abOptions) run(cmd *cobra.Command, urls []string, std streams) (err error) {
	ctx, f := cmd.Context(), cmd.Flags()
	plan, err := o.plan(urls, f)
	if err != nil {
		return err
	}
	file, err := createResultFile(o.outFile)
	if err != nil {
		return err
	}
	defer file.discard()
	stop := func() error { return nil }
	if beside, starts := o.beside(urls); starts {
		side, err := driver.StartSideBySide(ctx, beside, driver.Surroundings{Files: bench.Files, Environ: os.Environ()})
		if err != nil {
			return unlessInterrupted(ctx, err)
		}
		stop = sync.OnceValue(func() error { return stopBoth(ctx, side) })
		defer func() {
			if stopErr := stop(); err == nil { // whatever ended it, they do not go on
				err = stopErr
			}
		}()
		if plan, err = o.planOf(side, plan, f); err != nil {
			return err
		}
	}
	if err := o.compareAnswers(ctx, plan, std); err != nil {
		return unlessInterrupted(ctx, err)
	}
	judge, err := ab.NewJudge(o.rule())
	if err != nil {
		return usageError{err}
	}
	pairs, err := o.measure(ctx, plan, judge, std)
	if err != nil {
		return unlessInterrupted(ctx, err)
	}
	result := newABResult(judge.State(), pairs)
	ended := stop()
	if err := o.write(result, file, std.out); err != nil {
		return err
	}
	return errors.Join(ended, o.judge(result))
}

// stopBoth ends the servers that were started. One that had ended by itself makes what was
// measured worth nothing.
func stopBoth(ctx context.Context, side *driver.SideBySide) error {
	reasons, err := side.Stop(context.WithoutCancel(ctx))
	errs := []error{err}
	for i, reason := range reasons {
		if reason != "" {
			errs = append(errs, fmt.Errorf("%w: %s: %s", errInvalid, abNames[i], reason))
		}
	}
	return errors.Join(errs...)
}

// plan is what the flags say, for two servers that run or with placeholders for those
// that are to be started.
func (o *abOptions) plan(urls []string, f *pflag.FlagSet) (loadgen.Plan, error) {
	faults := o.check(urls, f)
	given := [2]string{placeholderURL, placeholderURL}
	if o.base == "" && o.new == "" && len(urls) == 2 {
		given = [2]string(urls)
	}
	plan, err := o.asked.planFromURL(given[0], f)
	second, errSecond := o.asked.planFromURL(given[1], f)
	if err != nil { // it says the same again
		errSecond = nil
	}
	plan.Targets = append(plan.Targets, second.Targets...)
	plan.Connections = int(o.asked.connections)
	o.sliced(&plan)
	return plan, errors.Join(faults, err, errSecond, validatePlan(plan, errors.Join(err, errSecond)))
}

// planOf is the plan for servers that were started: where they are, and what their
// scenario says.
func (o *abOptions) planOf(side *driver.SideBySide, flags loadgen.Plan, f *pflag.FlagSet) (loadgen.Plan, error) {
	plan, err := side.Plan()
	if err != nil {
		return plan, err
	}
	if o.asked.suite == "" { // the flags say how, the servers where
		for i := range flags.Targets {
			flags.Targets[i].URL = plan.Targets[i].URL
		}
		flags.TLS.CAs = append(flags.TLS.CAs, plan.TLS.CAs...)
		flags.CPUs = plan.CPUs
		plan = flags
	} else {
		for name, set := range map[string]func(){
			"connections": func() { plan.Connections = flags.Connections }, "parallel": func() { plan.Streams = flags.Streams },
			"drain": func() { plan.Drain = flags.Drain }, "timeout": func() { plan.Timeout = flags.Timeout },
			"connect-timeout": func() { plan.ConnectTimeout = flags.ConnectTimeout }, "server-pid": func() { plan.ServerPID = flags.ServerPID },
		} {
			if f.Changed(name) {
				set()
			}
		}
	}
	plan.Seed = flags.Seed
	o.sliced(&plan)
	return plan, validatePlan(plan, nil)
}

// compareAnswers asks both once. What answers something else is another program, whose
// speed says nothing; and what does not answer as it should need not be measured.
func (o *abOptions) compareAnswers(ctx context.Context, plan loadgen.Plan, std streams) error {
	var answers [2]loadgen.Answer
	for i := range answers {
		var err error
		if answers[i], err = loadgen.Ask(ctx, plan, i); err != nil {
			return fmt.Errorf("%s: %w", abNames[i], err)
		}
	}
	difference := different(answers[0], answers[1])
	switch {
	case difference != "" && !o.allowDifferent:
		return hintedError{fmt.Errorf("%w: %s", errInvalid, difference), "--allow-different compares them all the same"}
	case difference != "" && !o.quiet:
		fmt.Fprintf(std.err, "scalbench: warning: %s\n", difference)
	}
	for i, a := range answers {
		if !a.OK {
			return fmt.Errorf("%w: %s answers %s with status %d and %d bytes", errNothingOK, abNames[i], plan.Targets[i].URL, a.Status, a.Bytes)
		}
	}
	return nil
}

// abNames are what both are called.
var abNames = [2]string{"A", "B"}

// measure takes pairs until they decide.
func (o *abOptions) measure(ctx context.Context, plan loadgen.Plan, judge *ab.Judge, std streams) (*loadgen.Pairs, error) {
	if err := quietQUIC(plan.Protocol); err != nil {
		return nil, err
	}
	live := newABLive(std.err, o.quiet)
	var arranged, refused error
	pairs, err := loadgen.RunPairs(ctx, plan, loadgen.PairObserver{
		Warned: func(w loadgen.Warning) {
			if !o.quiet {
				printWarning(std.err, w)
			}
		},
		Placed: func(cpus cpuset.Set) { arranged = arrangeProcess(cpus, plan.Protocol) },
		Pair: func(p loadgen.Pair) (enough bool) {
			refused = errors.Join(refused, judge.Add(abPair(p)))
			state := judge.State()
			live.show(state, time.Now())
			return state.Decided
		},
	})
	live.end()
	if err = errors.Join(err, arranged, refused); errors.Is(err, loadgen.ErrCertificate) {
		err = hintedError{err, certificateHint}
	}
	return pairs, err
}

// abPair is a pair as it is judged.
func abPair(p loadgen.Pair) ab.Pair {
	return ab.Pair{A: abSlice(p.A), B: abSlice(p.B), AFirst: !p.BFirst, At: time.Duration(p.EndS * float64(time.Second))}
}

func abSlice(s loadgen.Slice) ab.Slice {
	return ab.Slice{RPS: s.RPS, P50US: known(s.P50US), P99US: known(s.P99US), CPUMicros: known(s.CPUPerRequestUS)}
}
