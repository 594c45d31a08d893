package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/internal/procfs"
	"github.com/scalws/scalbench/loadgen"
)

func newLoad(std streams) *cobra.Command {
	var o loadOptions
	cmd := &cobra.Command{
		Use:   "load [URL]",
		Short: "Put load on a URL, or on a scenario of a suite, and measure",
		Example: "  scalbench load http://127.0.0.1:8080/ -c 64 -z 10s\n" +
			"  scalbench load --scenario respond -c 64\n" +
			"  scalbench load http://127.0.0.1:8080/ -n 10k --output-format json\n" +
			"  scalbench load --scenario respond,static-small -n 100k --attach http://127.0.0.1:8080\n" +
			"  scalbench load https://127.0.0.1:8443/ --http2 -p 10 --cacert ca.pem",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("load: one URL, got %d: %q", len(args), args)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return load(cmd, args, &o, std) },
	}
	o.register(cmd.Flags())
	cmd.Version = version()
	cmd.Flags().BoolP("version", "V", false, "version for scalbench")
	return cmd
}

// load is the story of the command: options to a plan, a server if the scenario
// brings its own, the run, the output, the verdict. What can be refused is
// refused before anything is started.
func load(cmd *cobra.Command, args []string, o *loadOptions, std streams) (err error) {
	if o.mix() != nil {
		return o.loadMix(cmd.Context(), args, cmd.Flags(), std)
	}
	plan, needed, err := o.source(args, cmd.Flags(), std.in)
	if err = errors.Join(err, o.checkFormat(), o.parseThresholds(), o.parseCapacity(cmd.Flags())); err != nil {
		return err
	}
	if err := o.checkQlog(plan.Protocol == loadgen.HTTP3); err != nil {
		return err
	}
	file, err := createResultFile(o.outFile)
	if err != nil {
		return err
	}
	defer file.discard()
	ctx := cmd.Context()
	servers, err := o.startServers(ctx, needed, std.err)
	if err != nil {
		return unlessInterrupted(ctx, err)
	}
	defer func() { err = errors.Join(err, servers.Stop()) }()
	if needed.path != "" {
		plan.Targets[0].URL = servers.Named(targetName).URL + needed.path
	}
	if o.findMax != "" {
		return unlessInterrupted(ctx, o.findCapacity(ctx, plan, file, cmd.Flags(), std))
	}
	if plan.Slices.On() {
		return unlessInterrupted(ctx, o.runSliced(ctx, plan, file, std))
	}
	result, err := o.run(ctx, plan, std)
	if err != nil {
		return unlessInterrupted(ctx, err)
	}
	o.checkThresholds(result)
	if err := o.write(result, file, std.out); err != nil {
		return err
	}
	o.remember(plan, needed.path != "", result, std)
	return o.judge(result)
}

// source reads what is to be measured: a whole plan, one for a URL, or one for
// a scenario, with what must run for it. Where that is the embedded target, whose
// address is not known yet, the plan's URL is a placeholder.
func (o *loadOptions) source(args []string, f *pflag.FlagSet, in io.Reader) (plan loadgen.Plan, n needed, err error) {
	which := o.checkSource(args)
	switch {
	case which != nil:
		plan, err = o.planFromURL(placeholderURL, f) // for the faults of the other flags
	case o.plan != "":
		plan, err = o.planFromFile(in, f)
	case o.scenario != "":
		plan, n, err = o.planFromScenario(f)
	default:
		plan, err = o.planFromURL(args[0], f)
	}
	return plan, n, errors.Join(which, err, validatePlan(plan, err))
}

// placeholderURL stands where the address of the server is not known yet.
const placeholderURL = "http://127.0.0.1:1"

// validatePlan adds the faults of a plan to those of the flags, so that all are
// told at once. A plan that could not even be read has none of its own.
func validatePlan(plan loadgen.Plan, err error) error {
	if err != nil && len(plan.Targets) == 0 {
		return nil
	}
	if invalid := plan.Validate(); invalid != nil {
		return usageError{invalid}
	}
	return nil
}

// checkSource wants exactly one of a URL, a scenario and a plan.
func (o *loadOptions) checkSource(args []string) error {
	var given []string
	if len(args) > 0 {
		given = append(given, "the URL "+args[0])
	}
	if o.scenario != "" {
		given = append(given, "--scenario "+o.scenario)
	}
	if o.plan != "" {
		given = append(given, "--plan "+o.plan)
	}
	switch {
	case len(given) > 1:
		return usagef("%s: each says what is measured, want one of them", strings.Join(given, " and "))
	case len(o.attach) > 0 && o.scenario == "":
		return hintedError{usagef("--attach %s: which --scenario to ask there", strings.Join(o.attach, ",")), "a URL alone is asked without --attach"}
	case o.suite != "" && o.scenario == "":
		return hintedError{usagef("--suite %s: which --scenario of it", o.suite), "scalbench scenarios --suite " + o.suite + " lists them"}
	case len(given) == 0:
		return hintedError{usagef("load: no URL and no --scenario"), "scalbench scenarios lists what can be measured here"}
	}
	return nil
}

// formats are what --output-format takes.
const formats = "text, json, ndjson, csv, hgrm or quiet"

// checkFormat refuses formats that we do not write.
func (o *loadOptions) checkFormat() error {
	switch o.format {
	case "text", "json", "ndjson", "csv", "hgrm", "quiet":
		return nil
	case "oha-json", "oha-csv":
		return usagef("--output-format %s is not supported yet, want %s", o.format, formats)
	}
	return usagef("--output-format %q: want %s", o.format, formats)
}

// unlessInterrupted returns err, or, when a signal came first, that alone: what
// else failed then failed because of it.
func unlessInterrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return loadgen.ErrInterrupted
	}
	return err
}

// run measures, with the process arranged around the workers.
func (o *loadOptions) run(ctx context.Context, plan loadgen.Plan, std streams) (*loadgen.Result, error) {
	if err := quietQUIC(plan.Protocol); err != nil {
		return nil, err
	}
	age, ageErr := procfs.NewFS("/proc").Age(os.Getpid())
	progress := newProgress(std.err, plan, o.quiet)
	var arranged error
	result, err := loadgen.Run(ctx, plan, loadgen.Observer{
		Warned: func(w loadgen.Warning) {
			if !o.quiet {
				printWarning(std.err, w)
			}
		},
		Placed:   func(cpus cpuset.Set) { arranged = arrangeProcess(cpus, plan.Protocol) },
		Started:  func(string, int) { progress.start(time.Now()) },
		Timeline: o.announcer(std.err),
		Qlog:     o.qlog(),
		Row: func(w loadgen.Window) {
			if ctx.Err() == nil {
				progress.row(w, time.Now())
			}
		},
	})
	progress.end()
	if err = errors.Join(err, arranged); err != nil {
		if errors.Is(err, loadgen.ErrCertificate) {
			err = hintedError{err, certificateHint}
		}
		return nil, err
	}
	if ageErr == nil { // loadgen counts from Run; here the process is the whole
		result.StartupMS += age.Seconds() * 1e3
	}
	return result, nil
}

// certificateHint is what may be done about a server's certificate.
const certificateHint = "--cacert FILE trusts its authority, --sni NAME wants another name in it, --insecure takes any certificate"

// quietQUIC keeps quic-go from complaining on stderr about buffers that the host does not
// allow; what they lose is in the result (datagrams_dropped).
func quietQUIC(p loadgen.Protocol) error {
	if p != loadgen.HTTP3 {
		return nil
	}
	return os.Setenv("QUIC_GO_DISABLE_RECEIVE_BUFFER_WARNING", "true")
}

// arrangeProcess keeps every thread of this process on the workers' CPUs, so
// that none disturbs the server, and gives the runtime room: a worker occupies
// a thread, and timers, signals and the collector need others.
//
// HTTP/3 is worked on by goroutines that make garbage. There more threads than
// CPUs only pass work around, and a heap of some ten megabytes need not be
// collected whenever it has doubled.
func arrangeProcess(cpus cpuset.Set, p loadgen.Protocol) error {
	if p == loadgen.HTTP3 {
		runtime.GOMAXPROCS(cpus.Count())
		debug.SetGCPercent(quicGCPercent)
		return cpuset.SetProcess(cpus)
	}
	if need := cpus.Count() + 2; runtime.GOMAXPROCS(0) < need {
		runtime.GOMAXPROCS(need)
	}
	return cpuset.SetProcess(cpus)
}

// quicGCPercent is how much garbage there may be to what is in use.
const quicGCPercent = 400

// judge turns a result that was written into how the command ends.
func (o *loadOptions) judge(r *loadgen.Result) error {
	switch {
	case r.Interrupted:
		return errInterrupted
	case r.Ledger.OK == 0 && r.CompletedInWindow == 0:
		return fmt.Errorf("%w: %s", errNothingOK, mainFailure(r))
	case r.Validity == loadgen.Invalid:
		return fmt.Errorf("%w: %s", errInvalid, warnings(r))
	case o.strict && r.Validity == loadgen.Suspect:
		return fmt.Errorf("%w: %s", errSuspect, warnings(r))
	}
	if len(o.attach) > 0 && r.Plan.Requests > 0 {
		return errors.Join(notAllOK(o.scenario, r), broken(r))
	}
	return broken(r)
}
