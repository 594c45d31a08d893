package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/scalws/scalbench/gate"
	"github.com/scalws/scalbench/internal/record"
)

// gateFormats are what --format takes.
func gateFormats() []string {
	return []string{"text", "md", "csv", "json", "benchfmt", "junit", "github"}
}

// gateOut is one --out: a file in a format, or "github".
type gateOut struct{ file, format string }

// outGitHub is the --out that is no file: annotations on standard output, and the
// Markdown in the summary of the step, whose file GitHub names.
const (
	outGitHub   = "github"
	summaryFile = "GITHUB_STEP_SUMMARY"
)

// gateOuts reads the --out flags.
func gateOuts(names []string) (outs []gateOut, err error) {
	kinds := map[string]string{
		".txt": "text", ".md": "md", ".csv": "csv", ".json": "json", ".bench": "benchfmt", ".xml": "junit",
	}
	var faults []error
	for _, name := range names {
		format, known := kinds[strings.ToLower(filepath.Ext(name))]
		switch {
		case name == outGitHub:
			outs = append(outs, gateOut{name, outGitHub})
		case known:
			outs = append(outs, gateOut{name, format})
		default:
			faults = append(faults, usagef("--out %s: want a name that ends in .txt, .md, .csv, .json, .bench or .xml, or github", name))
		}
	}
	return outs, errors.Join(faults...)
}

// writeGate writes a gate in one of the formats.
func writeGate(out io.Writer, g gate.Gate, format string, colour bool) error {
	switch format {
	case "md":
		return gate.WriteMarkdown(out, g)
	case "csv":
		var rows []record.GateRow
		for i := range g {
			rows = append(rows, g[i].Records("", g[i].Name)...)
		}
		return record.WriteGate(out, rows)
	case "json":
		return gate.WriteJSON(out, g, version())
	case "benchfmt":
		return gate.WriteBenchfmt(out, g)
	case "junit":
		return gate.WriteJUnit(out, g)
	case "github":
		return gate.WriteGitHub(out, g)
	}
	return gate.WriteText(out, g, colour)
}

// print writes what standard output gets: the gate, or why one of its rows is what it
// is.
func (o *gateOptions) print(g gate.Gate, std streams) error {
	if o.why == "" {
		return writeGate(std.out, g, o.format, takesColour(std.out))
	}
	var known []string
	printed := 0
	for i := range g {
		for j := range g[i].Rows {
			row := &g[i].Rows[j]
			known = append(known, row.ID())
			if !row.Is(o.why) {
				continue
			}
			if printed++; printed > 1 {
				fmt.Fprintln(std.out)
			}
			if err := gate.WriteWhy(std.out, &g[i], row); err != nil {
				return err
			}
		}
	}
	if printed == 0 {
		return hintedError{usagef("--why %q: no such row", o.why), "there are: " + strings.Join(known, ", ")}
	}
	return nil
}

// takesColour tells whether escape sequences are understood and wanted: a terminal, and
// no NO_COLOR (no-color.org).
func takesColour(out io.Writer) bool {
	file, is := out.(*os.File)
	if !is || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return false
	}
	return isTerminal(file)
}

// writeOuts writes all files, whether or not one of them fails.
func writeOuts(outs []gateOut, g gate.Gate, std streams) error {
	var faults []error
	for _, o := range outs {
		if o.format == outGitHub {
			faults = append(faults, writeGitHub(g, std.out))
			continue
		}
		var page bytes.Buffer
		err := writeGate(&page, g, o.format, false)
		if err == nil {
			err = replaceFile(o.file, page.Bytes())
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("--out %s: %w", o.file, cause(err)))
		}
	}
	return errors.Join(faults...)
}

// writeGitHub annotates, and adds to the summary of the step where there is one.
func writeGitHub(g gate.Gate, out io.Writer) error {
	if err := gate.WriteGitHub(out, g); err != nil {
		return err
	}
	name := os.Getenv(summaryFile)
	if name == "" {
		return nil
	}
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return fmt.Errorf("%s %s: %w", summaryFile, name, cause(err))
	}
	return errors.Join(gate.WriteMarkdown(file, g), file.Close())
}
