package main

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/scalws/scalbench/internal/suite"
)

// Everything on stderr is worded here or passed through here: a prefix, lower
// case, no full stop; hints on lines of their own.

// printError says why the command failed, one line for each thing wrong.
func printError(out io.Writer, err error) {
	for _, one := range flatten(err) {
		fmt.Fprintf(out, "scalbench: %s\n", strings.ReplaceAll(strings.TrimSpace(one.Error()), "\n", "\n  "))
	}
	var hinted hintedError
	if errors.As(err, &hinted) {
		fmt.Fprintf(out, "  %s\n", hinted.hint)
	}
}

// flatten takes joined errors apart.
func flatten(err error) []error {
	if usage, ok := err.(usageError); ok {
		return flatten(usage.error)
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	if strings.Count(err.Error(), "\n") == 0 {
		return []error{err} // fmt.Errorf with several %w: one sentence
	}
	var all []error
	for _, e := range joined.Unwrap() {
		all = append(all, flatten(e)...)
	}
	return all
}

// hintedError is an error with something the user may try.
type hintedError struct {
	error
	hint string
}

func (e hintedError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error {
	return usageError{fmt.Errorf(format, args...)}
}

func unknownCommand(word string, known []string) error {
	err := usagef("unknown command %q, and no URL", word)
	if near := suite.Nearest(word, known); near != "" {
		return hintedError{err, fmt.Sprintf("did you mean: scalbench %s", near)}
	}
	return hintedError{err, "scalbench --help lists the commands; a URL begins with http://"}
}

// Texts of pflag that name the flag.
var (
	unknownLong  = regexp.MustCompile(`^unknown flag: --([^ =]+)`)
	unknownShort = regexp.MustCompile(`^unknown shorthand flag: '(.)'`)
)

// flagError words what is wrong with the flags of a command: flags of oha that
// we do not have are refused by name, others get the nearest known one.
func flagError(cmd *cobra.Command, err error) error {
	text := err.Error()
	name := ""
	if m := unknownLong.FindStringSubmatch(text); m != nil {
		name = "--" + m[1]
	} else if m := unknownShort.FindStringSubmatch(text); m != nil {
		name = "-" + m[1]
	}
	if name == "" {
		return usageError{err}
	}
	if why, ok := unsupportedFlags()[name]; ok {
		return usagef("flag %s is not supported yet (%s)", name, why)
	}
	err = usagef("unknown flag %s of scalbench %s", name, cmd.Name())
	if near := nearestFlag(cmd, name); near != "" {
		return hintedError{err, "did you mean: " + near}
	}
	return hintedError{err, fmt.Sprintf("scalbench %s --help lists them", cmd.Name())}
}

func progressLine(seconds float64, rps float64, errors uint64, p99 string) string {
	line := fmt.Sprintf("%5.0f s  %s req/s", seconds, rate(rps))
	if p99 != "" {
		line += "  p99 " + p99
	}
	if errors > 0 {
		line += fmt.Sprintf("  %d failed", errors)
	}
	return line
}

// printScenarios lists a suite's scenarios, names in a column.
func printScenarios(out io.Writer, s *suite.Suite) {
	fmt.Fprintf(out, "%s: %s\n", s.Name, s.About)
	width := 0
	for _, scenario := range s.Scenarios {
		width = max(width, len(scenario.Name))
	}
	for _, scenario := range s.Scenarios {
		fmt.Fprintf(out, "  %-*s  %s\n", width, scenario.Name, scenario.About)
	}
}
