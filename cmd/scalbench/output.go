package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/scalws/scalbench/internal/report"
	"github.com/scalws/scalbench/internal/units"
	"github.com/scalws/scalbench/loadgen"
)

// write puts the result where it was asked for: the JSON into the file of -o,
// the chosen format to stdout. A file that fails does not cost the text.
func (o *loadOptions) write(r *loadgen.Result, file *resultFile, out io.Writer) error {
	err := file.write(r)
	if failure := o.print(r, out); failure != nil {
		err = errors.Join(err, fmt.Errorf("write result: %w", failure))
	}
	return err
}

func (o *loadOptions) print(r *loadgen.Result, out io.Writer) error {
	switch o.format {
	case "json":
		return writeJSON(out, r)
	case "ndjson":
		return report.NDJSON(out, r.Windows)
	case "csv":
		return report.CSV(out, r.Windows)
	case "hgrm":
		return report.HGRM(out, r)
	case "text":
		return report.Load(out, r, o.verbose)
	}
	return nil // quiet
}

func writeJSON(out io.Writer, r any) error {
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(r)
}

// mainFailure words the most frequent way in which requests did not end ok.
func mainFailure(r *loadgen.Result) string {
	worst := ""
	for _, kind := range slices.Sorted(maps.Keys(r.FirstErrors)) {
		if worst == "" || r.Ledger.Errors[kind].Total() > r.Ledger.Errors[worst].Total() {
			worst = kind
		}
	}
	switch {
	case worst != "":
		return worst + ", " + r.FirstErrors[worst]
	case r.Ledger.Unfinished > 0:
		return "no response before the drain ended"
	case r.Ledger.NeverSent > 0:
		return "none could be sent, for want of a connection"
	}
	return "none was begun in the window"
}

// warnings are the texts of the warnings in one line that make a result what it is.
func warnings(r *loadgen.Result) string {
	var texts []string
	for _, w := range r.Warnings {
		if w.Bearing() == r.Validity {
			texts = append(texts, w.Text)
		}
	}
	return strings.Join(texts, "; ")
}

func rate(rps float64) string { return units.Rate(rps) }
