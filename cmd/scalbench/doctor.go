package main

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/scalws/scalbench/driver"
)

func newDoctor(std streams) *cobra.Command {
	var preset, suite string
	verbose := false
	cmd := &cobra.Command{
		Use:   "doctor [SUITE...]",
		Short: "Say what this host is, and whether it is fit to measure on",
		Long: "Say what this host is, and whether it is fit to measure on, or to measure suites on. What a host lacks, such as\n" +
			"the governor of a virtual machine, is n/a.\n\nExit code 7 when a session would be refused.",
		RunE: func(cmd *cobra.Command, suites []string) error {
			if suite != "" {
				suites = append(suites, suite)
			}
			around := (&sittingOptions{quiet: true}).around(std)
			e, err := driver.Examine(cmd.Context(), driver.Order{Suites: suites, Preset: preset}, around)
			if err != nil {
				return unlessInterrupted(cmd.Context(), err)
			}
			printExamination(std.out, e, verbose)
			return e.Refused()
		},
	}
	cmd.Flags().StringVar(&suite, "suite", "", "the `file` of a suite, or the name of an embedded one")
	cmd.Flags().StringVar(&preset, "preset", "", "`name` of a plan to put over the suite's")
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "print every fact of the host")
	return cmd
}

// printExamination writes the findings, one a line, and with verbose the facts.
func printExamination(out io.Writer, e driver.Examination, verbose bool) {
	width := 0
	for _, f := range e.Findings {
		width = max(width, len(f.Check))
	}
	for _, f := range e.Findings {
		fmt.Fprintf(out, "%-6s  %-*s  %s\n", f.Level, width, f.Check, f.Text)
	}
	if !verbose {
		return
	}
	for _, facts := range []map[string]string{e.Fixed, e.Now} {
		fmt.Fprintln(out)
		for _, name := range slices.Sorted(maps.Keys(facts)) {
			fmt.Fprintf(out, "%s = %s\n", name, facts[name])
		}
	}
}
