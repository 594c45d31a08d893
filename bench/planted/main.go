package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := experiment(ctx, os.Args[1:], os.Stdout, os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "planted:", err)
		stop()
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	scalbench string
	only      []string
	tries     int
	losses    []float64
	raw       string
}

// experiment is the whole program: each experiment that was asked for, its tries one after
// the other, and its table.
func experiment(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := parse(args, stderr)
	if err != nil {
		return err
	}
	raw, err := os.OpenFile(o.raw, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer raw.Close()
	lines := json.NewEncoder(raw)
	for _, e := range experiments(o) {
		fmt.Fprintf(stderr, "%s: %d tries\n", e.name, len(e.tries))
		var done []outcome
		for i, t := range e.tries {
			got := t.run(ctx, o.scalbench)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			got.Experiment, got.UTC = e.name, time.Now().UTC().Format(time.RFC3339)
			if err := lines.Encode(got); err != nil {
				return err
			}
			done = append(done, got)
			fmt.Fprintf(stderr, "%s %d/%d: %s\n", e.name, i+1, len(e.tries), got)
		}
		fmt.Fprintf(stdout, "\n%s\n\n%s", e.title, e.table(done))
	}
	return raw.Close()
}

func parse(args []string, stderr io.Writer) (o options, err error) {
	names := []string{"aa", "losses", "fresh", "connections", "slices", "settle", "method"}
	var only, losses string
	flags := flag.NewFlagSet("planted", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.scalbench, "scalbench", "./scalbench", "`path` of the scalbench binary")
	flags.StringVar(&only, "only", strings.Join(names, ","), "experiments, a comma-separated `list`")
	flags.StringVar(&losses, "losses", "0.5,1,2,5", "planted losses in `percent`, a comma-separated list")
	flags.IntVar(&o.tries, "tries", 10, "of each loss; of equal servers four times as many, of two processes and connections twice, of slices and settle half as many")
	flags.StringVar(&o.raw, "raw", "planted.ndjson", "`file` to which each try is added, a line each")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	var faults []error
	if flags.NArg() > 0 {
		faults = append(faults, fmt.Errorf("arguments %q: there are flags alone", flags.Args()))
	}
	if o.tries < 1 {
		faults = append(faults, fmt.Errorf("-tries %d: want 1 or more", o.tries))
	}
	o.only = strings.Split(only, ",")
	for _, name := range o.only {
		if !slices.Contains(names, name) {
			faults = append(faults, fmt.Errorf("-only %q: there are %s", name, strings.Join(names, ", ")))
		}
	}
	for _, text := range strings.Split(losses, ",") {
		var percent float64
		if _, err := fmt.Sscan(text, &percent); err != nil || !(percent > 0 && percent < 50) {
			faults = append(faults, fmt.Errorf("-losses %q: want percent above 0 and below 50", text))
		}
		o.losses = append(o.losses, percent/100)
	}
	if o.scalbench, err = filepath.Abs(o.scalbench); err != nil {
		faults = append(faults, err)
	} else if _, err := os.Stat(o.scalbench); err != nil {
		faults = append(faults, fmt.Errorf("-scalbench: %w (make build)", err))
	}
	return o, errors.Join(faults...)
}
