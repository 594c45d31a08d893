package driver

import (
	"os"
	"os/exec"
	"slices"

	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/serverproc"
	"github.com/scalws/scalbench/internal/suite"
)

// A command may be a wrapper, and name a script, a program, a configuration that the
// suite knows nothing of. When one of them changes, the session is another.

// commandsOf are the commands of all variants and helpers, without the programs that
// the plan has the facts of.
func commandsOf(s *suite.Suite) (commands []named) {
	helpers := slices.Clone(s.Helpers)
	for _, sc := range s.Scenarios {
		helpers = append(helpers, sc.Helpers...)
	}
	for _, v := range s.Variants {
		switch {
		case len(v.Command) == 0: // it is attached to
		case v.Expect.Exe == "":
			commands = append(commands, named{arguments: v.Command[1:]})
		default:
			commands = append(commands, named{v.Command[0], v.Command[1:]})
		}
	}
	for _, h := range helpers {
		commands = append(commands, named{h.Command[0], h.Command[1:]})
	}
	return commands
}

// named are the words of a command that may be files.
type named struct {
	program   string // "": not of interest
	arguments []string
}

// files are those that a command names: its program, found as a shell would, and
// arguments that are files. This program is none of them: records have its version.
func (n named) files() []string {
	if n.program == "" || n.program == ownProgram {
		return n.arguments
	}
	path, err := exec.LookPath(n.program)
	if err != nil {
		return n.arguments // it is told elsewhere
	}
	return append([]string{path}, n.arguments...)
}

// hashed are the files among some paths that are not among those known. What cannot be
// read is the server's own affair.
func hashed(paths []string, known []record.Source) (sources []record.Source) {
	for _, path := range paths {
		have := func(s record.Source) bool { return s.Path == path }
		if slices.ContainsFunc(known, have) || slices.ContainsFunc(sources, have) {
			continue
		}
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
			continue
		}
		if hash, err := serverproc.HashFile(path); err == nil {
			sources = append(sources, record.Source{Path: path, SHA256: hash})
		}
	}
	return sources
}
