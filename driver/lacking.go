package driver

import (
	"errors"
	"os/exec"
	"slices"
	"strings"

	"github.com/scalws/scalbench/internal/suite"
)

// ErrLacks says that this host has not what it takes to measure anything of a suite.
var ErrLacks = errors.New("nothing can be measured on this host")

// lacking says what this host lacks for a scenario of a variant: a program of the
// variant, of the scenario or of a helper.
func (s *sitting) lacking() func(suite.Variant, suite.Scenario) string {
	return func(v suite.Variant, sc suite.Scenario) string {
		if text := lacks(v.Needed, programsOf(v)...); text != "" {
			return text
		}
		if text := lacks(sc.Needed); text != "" {
			return text
		}
		for _, h := range slices.Concat(s.suite.Helpers, sc.Helpers) {
			if text := lacks(h.Needed, h.Command[0]); text != "" {
				return text
			}
		}
		return ""
	}
}

// programsOf are the programs of a variant that are looked up by their names. One with a
// path is the suite's own, and missing it is a fault, which the plan tells.
func programsOf(v suite.Variant) []string {
	programs := []string{v.Expect.Exe}
	if len(v.Command) > 0 { // else it is attached to
		programs = append(programs, v.Command[0])
	}
	return slices.DeleteFunc(programs, func(program string) bool { return program == "" || strings.Contains(program, "/") })
}

// lacks says which programs this host has not, and the line that installs them; "" when
// it has all.
func lacks(needed suite.Needed, programs ...string) string {
	var missing []string
	for _, program := range append(programs, needed.Programs...) {
		if program == ownProgram || slices.Contains(missing, program) {
			continue
		}
		if _, err := exec.LookPath(program); err != nil {
			missing = append(missing, program)
		}
	}
	switch {
	case missing == nil:
		return ""
	case needed.Install == "":
		return "this host has no " + strings.Join(missing, ", no ")
	}
	return "this host has no " + strings.Join(missing, ", no ") + ": " + needed.Install
}
