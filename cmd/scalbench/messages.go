package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/scalws/scalbench/internal/suite"
	"github.com/scalws/scalbench/loadgen"
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

// cause is the error of a file operation without the name of the file, for a
// sentence that has it already.
func cause(err error) error {
	var operation *fs.PathError
	if errors.As(err, &operation) {
		return operation.Err
	}
	return err
}

func usagef(format string, args ...any) error {
	return usageError{fmt.Errorf(format, args...)}
}

func unknownCommand(word string, known []string) error {
	err := usagef("unknown command %q", word)
	if near := suite.Nearest(word, known); near != "" {
		return hintedError{err, fmt.Sprintf("did you mean: scalbench %s", near)}
	}
	return hintedError{err, "scalbench --help lists the commands; a URL begins with http://"}
}

// flagError words what is wrong with the flags of a command. pflag stops at the
// first that it cannot read; what the flags say is judged later, all at once.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	var missing *pflag.ValueRequiredError
	switch {
	case errors.As(err, &unknown):
		dashes := "--"
		if unknown.GetSpecifiedShortnames() != "" {
			dashes = "-"
		}
		return unknownFlag(cmd, dashes+unknown.GetSpecifiedName())
	case errors.As(err, &invalid):
		return usagef("%s %s: %s", flagName(invalid.GetFlag()), invalid.GetValue(), wanted(invalid))
	case errors.As(err, &missing):
		return usagef("%s: the value is missing", flagName(missing.GetFlag()))
	}
	return usageError{err}
}

// unknownFlag refuses by name what other tools or later versions have; others
// get the nearest flag that there is.
func unknownFlag(cmd *cobra.Command, name string) error {
	if why, ok := unsupportedFlags()[name]; ok && cmd.Name() == "load" {
		return usagef("flag %s is not supported yet (%s)", name, why)
	}
	err := usagef("unknown flag %s of scalbench %s", name, cmd.Name())
	if near := nearestFlag(cmd, name); near != "" {
		return hintedError{err, "did you mean: " + near}
	}
	return hintedError{err, fmt.Sprintf("scalbench %s --help lists them", cmd.Name())}
}

// flagName is a flag as people type it.
func flagName(f *pflag.Flag) string {
	if f.Shorthand != "" {
		return "-" + f.Shorthand
	}
	return "--" + f.Name
}

// wanted says what a flag's value has to be. The texts of Go's own parsers are
// about Go.
func wanted(e *pflag.InvalidValueError) string {
	switch e.GetFlag().Value.Type() {
	case "duration":
		return "want a duration with its unit, such as 10s, 500ms or 1m30s"
	case "int", "int64", "uint64":
		return "want a whole number"
	case "bool":
		return "want true or false"
	}
	return e.Unwrap().Error()
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

// printWarning tells before the run what will have to be known of its result.
func printWarning(out io.Writer, w loadgen.Warning) {
	fmt.Fprintf(out, "scalbench: warning: %s\n", w.Text)
}
