// Scalbench puts load on web servers and tells, from numbers that can be
// believed, how they answered.
//
//	scalbench URL                          load a server that is running
//	scalbench load --scenario respond      load the embedded target
//	scalbench scenarios                    what can be measured here
//	scalbench target                       the embedded target in the foreground
//	scalbench cert DIR                     a CA and a certificate for TLS tests
//	scalbench probe URL                    latency now and then, by phases
//	scalbench merge FILE...                results of several generators as one
//	scalbench run SUITE...                 sessions of scenarios, variants, runs and rounds
//	scalbench resume | repeat | note | status | stop    look after sessions
//	scalbench doctor                       what this host is, and whether it is fit
//	scalbench gate DIR...                  a verdict about what was measured
//	scalbench sweep SUITE...               run, then gate
//	scalbench calibrate SUITE              what the gate says here of a server against itself
//	scalbench import FILE...               results of other tools, for the gate
//
// Reading order: main.go (from arguments to a command), exit.go (how it ends),
// load.go (the main path: options, plan, run, output), messages.go (everything
// that is said on stderr). The other files are one step or one command each.
package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	os.Exit(run(os.Args[1:], streams{in: os.Stdin, out: os.Stdout, err: os.Stderr}))
}

// streams are the standard streams: results go to out, all else to err.
type streams struct {
	in  io.Reader
	out io.Writer
	err io.Writer
}

// run executes one command line and returns its exit code.
func run(args []string, std streams) int {
	// A reader of our output that goes away is an error of writing, no reason to
	// die in the middle of a measurement. The target inherits it.
	signal.Ignore(syscall.SIGPIPE)
	ctx, release := notifyContext()
	defer release()
	root := newRoot(std)
	args, err := completeArgs(root, args)
	if err == nil {
		root.SetArgs(args)
		err = root.ExecuteContext(ctx)
	}
	if err != nil {
		printError(std.err, err)
	}
	return exitCode(err, receivedSignal(ctx))
}

// signalReceived is why a context was cancelled.
type signalReceived struct{ os.Signal }

func (s signalReceived) Error() string { return s.String() }

// notifyContext is cancelled by the first SIGINT or SIGTERM; the second one
// ends the process, as if it were not caught.
func notifyContext() (ctx context.Context, release func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case s := <-signals:
			signal.Stop(signals)
			cancel(signalReceived{s})
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		cancel(nil)
	}
}

// receivedSignal is the signal that cancelled a context of notifyContext, nil
// when none did.
func receivedSignal(ctx context.Context) os.Signal {
	var received signalReceived
	errors.As(context.Cause(ctx), &received)
	return received.Signal
}

func newRoot(std streams) *cobra.Command {
	root := &cobra.Command{
		Use:           "scalbench",
		Short:         "Load generator, benchmark driver and performance gate for web servers",
		Long:          "Load generator, benchmark driver and performance gate for web servers.\n\n`scalbench URL` is short for `scalbench load URL`.",
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetIn(std.in)
	root.SetOut(std.out)
	root.SetErr(std.err)
	root.SetVersionTemplate("scalbench {{.Version}}\n")
	root.Flags().BoolP("version", "V", false, "version for scalbench")
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(newLoad(std), newScenarios(std), newTarget(std), newCert(std), newProbe(std), newAB(std), newCompare(std), newMerge(std))
	root.AddCommand(newGate(std), newImport(std))
	root.AddCommand(newRun(std), newSweep(std), newCalibrate(std), newResume(std), newRepeat(std), newNote(std), newStatus(std), newStop(std), newDoctor(std), newSupervise(std), newStandIn(std), newBurden(std))
	return root
}

// completeArgs puts "load" before arguments that name no command: a URL, or a
// flag of load. A word that is neither is a mistyped command.
func completeArgs(root *cobra.Command, args []string) ([]string, error) {
	if len(args) == 0 {
		return []string{"--help"}, nil
	}
	first := args[0]
	if first == "help" && len(args) > 1 && !slices.Contains(commandNames(root), args[1]) {
		return nil, unknownCommand(args[1], commandNames(root))
	}
	if slices.Contains([]string{"-h", "--help", "-V", "--version"}, first) || slices.Contains(commandNames(root), first) {
		return args, nil
	}
	if !strings.HasPrefix(first, "-") && !strings.ContainsAny(first, ":/.") {
		return nil, unknownCommand(first, commandNames(root))
	}
	return append([]string{"load"}, args...), nil
}

func commandNames(root *cobra.Command) []string {
	names := []string{"help", "completion", cobra.ShellCompRequestCmd, cobra.ShellCompNoDescRequestCmd}
	for _, c := range root.Commands() {
		names = append(names, c.Name())
	}
	return names
}
