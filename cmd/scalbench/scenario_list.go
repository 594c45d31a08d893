package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/scalws/scalbench/driver/loadplan"
	"github.com/scalws/scalbench/internal/suite"
)

func newScenarios(std streams) *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "scenarios",
		Short: "List what can be measured here, with a sentence each",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			names := embeddedSuites()
			if file != "" {
				names = []string{file}
			}
			for _, name := range names {
				s, err := readSuite(name)
				if err != nil {
					return err
				}
				listScenarios(std.out, s)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&file, "suite", "", "the `file` of a suite, or the name of an embedded one (default all embedded)")
	return cmd
}

// listScenarios writes a suite's scenarios: name, protocol, and what each does.
func listScenarios(out io.Writer, s *suite.Suite) {
	fmt.Fprintf(out, "%s: %s\n", s.Name, s.About)
	nameWidth, protocolWidth := 0, 0
	for _, scenario := range s.Scenarios {
		nameWidth = max(nameWidth, len(scenario.Name))
		protocolWidth = max(protocolWidth, len(protocolText(scenario)))
	}
	for _, scenario := range s.Scenarios {
		fmt.Fprintf(out, "  %-*s  %-*s  %s\n", nameWidth, scenario.Name, protocolWidth, protocolText(scenario), scenario.About)
	}
}

// protocolText is how a scenario's requests travel, in the words of results:
// h1, or h2 TLS, 10 streams. h3 is never without TLS.
func protocolText(s suite.Scenario) string {
	text := loadplan.Protocol(s).String()
	if s.TLS.On && s.HTTP != suite.HTTP3 {
		text += " TLS"
	}
	if s.Streams > 1 {
		text += fmt.Sprintf(", %d streams", s.Streams)
	}
	return text
}
