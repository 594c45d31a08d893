package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/scalws/scalbench/internal/probe"
)

func newProbe(std streams) *cobra.Command {
	var o probeOptions
	cmd := &cobra.Command{
		Use:   "probe URL",
		Short: "Ask a URL a few times a second, and tell where the time goes",
		Long: "Ask a URL a few times a second, and tell where the time goes: DNS, TCP, TLS or QUIC, first byte, last byte.\n\n" +
			"Probes begin on a fixed schedule; one that is slow does not delay the next. Each has a connection of its own\n" +
			"unless --keepalive is given. Without -n and -z it goes on until Ctrl-C, and then ends like any other.",
		Example: "  scalbench probe http://127.0.0.1:8080/\n" +
			"  scalbench probe https://127.0.0.1:8443/ --http2 --keepalive -q 0.5\n" +
			"  scalbench probe https://127.0.0.1:8443/ --http3 -n 100 -v\n" +
			"  scalbench probe http://127.0.0.1:8080/ -z 1h --output-format ndjson > probes.ndjson",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("probe: one URL, got %d: %q", len(args), args)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return runProbe(cmd, args[0], &o, std) },
	}
	o.register(cmd.Flags())
	return cmd
}

// runProbe is the story of the command: options to a configuration, the probes,
// the output, the verdict.
func runProbe(cmd *cobra.Command, url string, o *probeOptions, std streams) error {
	config, err := o.config(url, cmd.Flags())
	if err = errors.Join(err, o.checkFormat()); err != nil {
		return err
	}
	file, err := createResultFile(o.outFile)
	if err != nil {
		return err
	}
	defer file.discard()
	// What net/http and quic-go would write to stderr is in the outcomes.
	defer log.SetOutput(log.Writer())
	log.SetOutput(io.Discard)
	ctx, release := endOfProbes(cmd.Context(), cmd.Flags())
	defer release()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	output := &probeOutput{options: o, std: std, stop: stop}
	summary, err := probe.Run(ctx, config, probe.Observer{Probe: output.probe, Row: output.row})
	if err != nil {
		return err
	}
	summary.Version = version()
	if err := errors.Join(output.failure, output.summary(summary, file)); err != nil {
		return err
	}
	return judgeProbes(summary)
}

// endOfProbes returns the context that ends the probes. Without -n and -z Ctrl-C
// is how they are meant to end: nothing is partial then, and the exit code is
// about what was measured, as ping's is. SIGINT is taken from the command's own
// context for that. With -n or -z it interrupts, and so does SIGTERM always,
// which is somebody else's decision. A second Ctrl-C ends the process at once.
func endOfProbes(parent context.Context, f *pflag.FlagSet) (ctx context.Context, release func()) {
	if f.Changed("requests") || f.Changed("duration") {
		return parent, func() {}
	}
	ctx, end := context.WithCancelCause(parent)
	signal.Reset(os.Interrupt)
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	go func() {
		select {
		case <-interrupts:
			signal.Stop(interrupts)
			end(probe.ErrEnd)
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(interrupts)
		end(nil)
	}
}

// judgeProbes turns a summary that was written into how the command ends.
func judgeProbes(s *probe.Summary) error {
	switch {
	case s.Interrupted:
		return errInterrupted
	case s.Ledger.OK > 0:
		return nil
	case s.Ledger.Scheduled == s.Ledger.Unfinished:
		return fmt.Errorf("%w: it was ended before there was an answer", errNothingOK)
	}
	return fmt.Errorf("%w: %s", errNothingOK, s.MainFailure())
}
