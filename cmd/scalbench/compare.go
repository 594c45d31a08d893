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
	var both [2]finishedRun
	var errs []error
	for i, name := range args {
		var err error
		both[i], err = readFinished(store, name)
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	c := ab.Compare(both[0].run, both[1].run, ab.DefaultAlpha)
	var text strings.Builder
	for i, r := range both {
		fmt.Fprintf(&text, "%s  %s\n", abNames[i], r.line)
	}
	for _, line := range append(c.Lines(), unlike(both[0], both[1])...) {
		fmt.Fprintln(&text, line)
	}
	_, err := io.WriteString(std.out, text.String())
	if err == nil && c.RPS.Verdict == ab.CannotTell {
		err = errNoVerdict
	}
	return err
}

// finishedRun is one result that is compared.
type finishedRun struct {
	run    ab.Run
	line   string          // what it is
	result *loadgen.Result // nil: of another tool
	doubt  string          // what makes another tool's suspect; "": nothing
}

// readFinished reads one result by its name. An invalid one is refused: its numbers are not
// what they seem.
func readFinished(store saved.Store, name string) (r finishedRun, err error) {
	var text []byte
	if _, statErr := os.Stat(name); statErr != nil && saved.IsReference(name) {
		entry, err := store.Find(name)
		if err != nil {
			return r, err
		}
		name, text = fmt.Sprintf("#%d", entry.Number), entry.Result
	} else if text, err = readWhole(name); err != nil {
		return r, err
	}
	var head struct {
		Schema string `json:"schema"`
	}
	if json.Unmarshal(text, &head) != nil || head.Schema == "" {
		return readFinishedOha(name, text)
	}
	if r.result, err = decodeResultJSON(text); err != nil {
		return r, usagef("%s: %w", name, err)
	}
	switch {
	case r.result.Validity == loadgen.Invalid:
		return r, fmt.Errorf("%s: %w: %s", name, errInvalid, warnings(r.result))
	case r.result.RPS <= 0 || len(r.result.Plan.Targets) == 0:
		return r, usagef("%s: not one request ended ok in it", name)
	}
	r.run = runOf(r.result)
	r.line = fmt.Sprintf("%s   %s   %s, %d connections, %s: %s req/s", name, r.result.Plan.Targets[0].URL, r.result.Protocol,
		r.result.Plan.Connections, r.result.StartedAt.Local().Format("2006-01-02 15:04"), rate(r.result.RPS))
	return r, nil
}

func readFinishedOha(name string, text []byte) (r finishedRun, err error) {
	m, err := ohaMeasurement(name, text)
	if err != nil {
		return r, usageError{err}
	}
	rps, known := m.RPS.Get()
	if !known || rps <= 0 {
		return r, usagef("%s: not one request ended ok in it", name)
	}
	r.run.RPS.Whole, r.run.P50US.Whole, r.run.P99US.Whole = rps, 1e3*m.P50Millis.OrNaN(), 1e3*m.P99Millis.OrNaN()
	r.line, r.doubt = fmt.Sprintf("%s   a result of oha: %s req/s", name, rate(rps)), m.Reason
	return r, nil
}

// unlike has a line for each thing that has to be known before both are compared.
func unlike(first, second finishedRun) (lines []string) {
	note := func(format string, args ...any) {
		lines = append(lines, fmt.Sprintf("%-11s  %s", "note", fmt.Sprintf(format, args...)))
	}
	for i, r := range []finishedRun{first, second} {
		switch {
		case r.doubt != "":
			note("%s is suspect: %s", abNames[i], r.doubt)
		case r.result == nil:
		case r.result.Interrupted:
			note("%s was interrupted, and is of the time until then", abNames[i])
		case r.result.Validity == loadgen.Suspect:
			note("%s is suspect: %s", abNames[i], warnings(r.result))
		}
	}
	a, b := first.result, second.result
	for i, r := range []*loadgen.Result{a, b} {
		if r != nil && r.OfferedRPS != nil {
			note("the rate of %s is the one that was offered, of %s req/s: a server that keeps up is as fast as another one", abNames[i], rate(*r.OfferedRPS))
		}
	}
	if a == nil || b == nil {
		return lines
	}
	for _, d := range []struct {
		what string
		a, b any
	}{
		{"version of scalbench", a.Version, b.Version},
		{"method", a.Plan.Targets[0].Method, b.Plan.Targets[0].Method}, {"bytes of the body", a.Plan.Targets[0].BodyBytes, b.Plan.Targets[0].BodyBytes},
		{"protocol", a.Protocol, b.Protocol}, {"connections", a.Plan.Connections, b.Plan.Connections}, {"streams", a.Plan.Streams, b.Plan.Streams},
		{"requests on a connection", a.Plan.RequestsPerConn, b.Plan.RequestsPerConn}, {"offered rate", a.Plan.Rate.String(), b.Plan.Rate.String()},
		{"CPUs of the generator", a.Plan.CPUs.String(), b.Plan.CPUs.String()},
	} {
		if d.a != d.b {
			note("%s differs: A %v, B %v", d.what, d.a, d.b)
		}
	}
	return lines
}
