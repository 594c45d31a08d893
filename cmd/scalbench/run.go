package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/scalws/scalbench/bench"
	"github.com/scalws/scalbench/driver"
)

func newRun(std streams) *cobra.Command {
	var o runOptions
	cmd := &cobra.Command{
		Use:   "run SUITE...",
		Short: "Measure the variants of suites in sessions",
		Long: "Measure the variants of suites in sessions: scenarios x variants x runs x rounds, into files that gate judges.\n\n" +
			"A SUITE is a file, or the name of an embedded suite (scalbench scenarios lists them). All are measured under\n" +
			"one lock of the host. Whatever ends a session, it can be resumed, and nothing that was measured is lost.\n\n" +
			"Exit codes: 0 measured, 4 stopped at --until, 5 measurements that stay invalid, or a variant that is not what was\n" +
			"meant, 6 another session holds the host, 7 the host is not fit or did not become quiet.",
		Example: "  scalbench run gate1.yaml\n" +
			"  scalbench run target-ab --preset quick\n" +
			"  scalbench run gate1.yaml gate2.yaml --start-at 22:00 --until 06:00\n" +
			"  scalbench run gate1.yaml --dry-run",
		Args: someSuites,
		RunE: func(cmd *cobra.Command, suites []string) error { return o.run(cmd, suites, std) },
	}
	o.register(cmd.Flags())
	return cmd
}

func someSuites(cmd *cobra.Command, suites []string) error {
	if len(suites) == 0 {
		return hintedError{usagef("%s: no suite", cmd.Name()), "embedded suites: " + strings.Join(embeddedSuites(), ", ") + "; a file is given by its path"}
	}
	return nil
}

// run is the story of the command: flags to an order, the order to sessions on disk,
// what became of them, an exit code.
func (o *runOptions) run(cmd *cobra.Command, suites []string, std streams) error {
	order, err := o.order(cmd.Flags(), suites, time.Now())
	if err != nil {
		return err
	}
	around := o.sitting.around(std)
	if o.dryRun {
		return foresee(order, around, std)
	}
	outcome, err := driver.Run(cmd.Context(), order, around)
	return concluded(cmd.Context(), outcome, err, std)
}

// foresee says what would be measured, and measures nothing.
func foresee(order driver.Order, around driver.Surroundings, std streams) error {
	previews, err := driver.Foresee(order, around)
	if err != nil {
		return err
	}
	printPreviews(std.out, previews)
	return nil
}

// around is what a session needs beside its order.
func (o *sittingOptions) around(std streams) driver.Surroundings {
	around := driver.Surroundings{Files: bench.Files, Environ: os.Environ(), Look: look, Failed: failed}
	if !o.quiet {
		around.Observer = runProgress{std.err}.observer()
	}
	return around
}

// Verdicts over sessions that are on disk.
var (
	errInvalidRows = fmt.Errorf("%w: measurements stay invalid after every try", errInvalid)
	errUnfinished  = fmt.Errorf("%w: not everything was measured by the time at which to stop", errNoVerdict)
)

// concluded prints what became of an order, and what comes next, and makes it an error.
func concluded(ctx context.Context, outcome driver.Outcome, err error, std streams) error {
	for _, s := range outcome.Sessions {
		printSession(std.out, s)
		if gateable(s) {
			fmt.Fprintf(std.out, "%-9sscalbench gate %s\n", "next", s.Files.Session)
		}
	}
	return outcomeError(ctx, outcome, err)
}

// gateable tells whether a session is over and has something to compare.
func gateable(s driver.SessionOutcome) bool {
	return s.Stopped == "" && len(s.Variants) > 1
}

// outcomeError makes an error of what became of an order; nil: all was measured.
func outcomeError(ctx context.Context, outcome driver.Outcome, err error) error {
	var errs []error
	if err != nil {
		errs = append(errs, hinted(err))
	}
	if receivedSignal(ctx) != nil {
		if len(outcome.Sessions) == 0 {
			return errors.New("interrupted: nothing was measured")
		}
		if last := outcome.Sessions[len(outcome.Sessions)-1]; last.Stopped == "" {
			return fmt.Errorf("interrupted: the rounds are done; scalbench resume %s --syscalls counts system calls, --profile takes profiles", last.Files.Session)
		}
		return errors.New("interrupted: scalbench resume goes on where the session stopped")
	}
	if outcome.Invalid() {
		errs = append(errs, errInvalidRows)
	}
	for _, s := range outcome.Sessions {
		if s.OutOfTime {
			errs = append(errs, hintedError{errUnfinished, "scalbench resume " + s.Files.Session + " goes on"})
		}
	}
	return errors.Join(errs...)
}

// hinted adds what the user may do about an error of a session.
func hinted(err error) error {
	var copied *driver.CopyError
	switch {
	case errors.As(err, &copied):
		return hintedError{err, "scalbench resume " + copied.SessionDir}
	case errors.Is(err, driver.ErrTaken):
		return hintedError{err, "--name gives another; nothing measured is overwritten"}
	case errors.Is(err, driver.ErrBusy):
		return hintedError{err, "--wait waits for it; scalbench status tells how far it is, scalbench stop stops it"}
	}
	return err
}
