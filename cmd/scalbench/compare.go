package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/scalws/scalbench/ab"
	"github.com/scalws/scalbench/internal/saved"
	"github.com/scalws/scalbench/loadgen"
)

func newCompare(std streams) *cobra.Command {
	return &cobra.Command{
		Use:   "compare A B",
		Short: "Compare two results: slower, faster, cannot tell",
		Long: "Compare two results: slower, faster, cannot tell.\n\n" +
			"Each is the JSON of scalbench load (-o), that of oha, or a saved result: 16 or #16, as load tells it, or last.\n" +
			"Runs at different times do not cancel drift; scalbench ab does.\n\n" +
			"Exit codes: 0 the rates differ, 4 it cannot be told.",
		Example: "  scalbench compare 16 17\n  scalbench compare before.json after.json\n  scalbench compare oha.json last",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usagef("compare: two results, got %d: %q", len(args), args)
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return compareResults(args, std) },
	}
}

// compareResults is the story of the command: two names to results, results to an answer.
func compareResults(args []string, std streams) error {
	store := saved.Store{Dir: saved.Folder(os.Environ())}
	var runs [2]ab.Run
	var lines [2]string
	var errs []error
	for i, name := range args {
		var err error
		if runs[i], lines[i], err = finishedRun(store, name); err != nil {
			errs = append(errs, err)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	c := ab.Compare(runs[0], runs[1], ab.DefaultAlpha)
	for i, line := range lines {
		fmt.Fprintf(std.out, "%s  %s\n", abNames[i], line)
	}
	_, err := io.WriteString(std.out, strings.Join(c.Lines(), "\n")+"\n")
	if err == nil && c.RPS.Verdict == ab.CannotTell {
		err = errNoVerdict
	}
	return err
}

// finishedRun reads one result by its name, with a line that says what it is.
func finishedRun(store saved.Store, name string) (run ab.Run, line string, err error) {
	var text []byte
	if _, statErr := os.Stat(name); statErr != nil && saved.IsReference(name) {
		entry, err := store.Find(name)
		if err != nil {
			return run, "", err
		}
		name, text = fmt.Sprintf("#%d", entry.Number), entry.Result
	} else if text, err = os.ReadFile(name); err != nil {
		return run, "", fmt.Errorf("%s: %w", name, cause(err))
	}
	var result loadgen.Result
	if err := json.Unmarshal(text, &result); err == nil && result.Schema == loadgen.Schema {
		if result.RPS <= 0 {
			return run, "", usagef("%s: not one request ended ok in it", name)
		}
		return runOf(&result), fmt.Sprintf("%s   %s   %s, %d connections, %s: %s req/s", name, result.Plan.Targets[0].URL, result.Protocol,
			result.Plan.Connections, result.StartedAt.Local().Format("2006-01-02 15:04"), rate(result.RPS)), nil
	} else if err == nil && result.Schema != "" {
		return run, "", usagef("%s: schema %q, want %q or a result of oha", name, result.Schema, loadgen.Schema)
	}
	m, err := ohaMeasurement(name, text)
	if err != nil {
		return run, "", usageError{err}
	}
	rps, known := m.RPS.Get()
	if !known || rps <= 0 {
		return run, "", usagef("%s: not one request ended ok in it", name)
	}
	run.RPS.Whole, run.P50US.Whole, run.P99US.Whole = rps, 1e3*m.P50Millis.OrNaN(), 1e3*m.P99Millis.OrNaN()
	return run, fmt.Sprintf("%s   a result of oha: %s req/s", name, rate(rps)), nil
}
