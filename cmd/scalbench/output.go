package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/scalws/scalbench/internal/report"
	"github.com/scalws/scalbench/internal/units"
	"github.com/scalws/scalbench/loadgen"
)

// write puts the result where it was asked for: the JSON into the file of -o,
// the chosen format to stdout.
func (o *loadOptions) write(r *loadgen.Result, out io.Writer) error {
	if o.outFile != "" {
		if err := writeJSONFile(o.outFile, r); err != nil {
			return err
		}
	}
	switch o.format {
	case "json":
		return writeJSON(out, r)
	case "text":
		return report.Load(out, r, o.verbose)
	}
	return nil // quiet
}

func writeJSON(out io.Writer, r *loadgen.Result) error {
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(r); err != nil {
		return fmt.Errorf("write result: %w", err)
	}
	return nil
}

// writeJSONFile writes beside the file and renames, so that a reader never sees
// half a result and a failure leaves an older one alone.
func writeJSONFile(name string, r *loadgen.Result) (err error) {
	file, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return fmt.Errorf("write result: %w", err)
	}
	defer func() {
		if err != nil {
			os.Remove(file.Name())
		}
	}()
	if err := writeJSON(file, r); err != nil {
		file.Close()
		return err
	}
	if err := file.Chmod(0o644); err != nil {
		file.Close()
		return fmt.Errorf("write result: %w", err)
	}
	if err := file.Close(); err != nil {
		return fmt.Errorf("write result: %w", err)
	}
	if err := os.Rename(file.Name(), name); err != nil {
		return fmt.Errorf("write result: %w", err)
	}
	return nil
}

// firstError is the most frequent kind of error with its text, for one sentence.
func firstError(r *loadgen.Result) string {
	worst := ""
	for _, kind := range slices.Sorted(maps.Keys(r.FirstErrors)) {
		if worst == "" || r.Ledger.Errors[kind].Total() > r.Ledger.Errors[worst].Total() {
			worst = kind
		}
	}
	if worst == "" {
		return ""
	}
	return fmt.Sprintf(": %s, %s", worst, r.FirstErrors[worst])
}

func rate(rps float64) string { return units.Rate(rps) }
