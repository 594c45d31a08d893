package driver

import (
	"os/exec"

	"github.com/scalws/scalbench/internal/suite"
)

// lacking says what this host lacks for a scenario: a program of a helper. The programs
// of the variants are looked up when the plan is made; without one there is no session.
func (s *sitting) lacking() func(suite.Variant, suite.Scenario) string {
	return func(_ suite.Variant, sc suite.Scenario) string {
		for _, h := range append(s.suite.Helpers[:len(s.suite.Helpers):len(s.suite.Helpers)], sc.Helpers...) {
			if program := h.Command[0]; program != ownProgram {
				if _, err := exec.LookPath(program); err != nil {
					return "this host has no " + program
				}
			}
		}
		return ""
	}
}
