package driver

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/serverproc"
	"github.com/scalws/scalbench/internal/suite"
)

// A command may be a wrapper, and name a script, a program, a configuration that the
// suite knows nothing of. When one of them changes, the session is another. What it names
// may as well be what the server writes: a log, a pid file. That changes with every
// session, and must not make another of it.

// namedFiles are what the commands of all variants and helpers are made of: programs, without
// those that the plan has the facts of, and arguments that are of what a server reads.
func namedFiles(s *suite.Suite) (paths []string) {
	var outputs []string
	arguments := func(words []string, log suite.LogRules) {
		outputs = append(outputs, log.Files...)
		paths = append(paths, slices.DeleteFunc(slices.Clone(words), func(word string) bool { return !isInput(word) })...)
	}
	for _, v := range s.Variants {
		if len(v.Command) == 0 { // it is attached to
			continue
		}
		if v.Expect.Exe != "" {
			paths = append(paths, programFile(v.Command[0])...)
		}
		arguments(v.Command[1:], v.Log)
	}
	helpers := slices.Clone(s.Helpers)
	for _, sc := range s.Scenarios {
		helpers = append(helpers, sc.Helpers...)
	}
	for _, h := range helpers {
		paths = append(paths, programFile(h.Command[0])...)
		arguments(h.Command[1:], h.Log)
	}
	return slices.DeleteFunc(paths, func(path string) bool { return slices.Contains(outputs, path) })
}

// programFile is that of a command, found as a shell would; none where it is not there, which
// is told elsewhere, and of this program: records have its version.
func programFile(program string) []string {
	path, err := exec.LookPath(program)
	if program == ownProgram || err != nil {
		return nil
	}
	return []string{path}
}

// inputSuffixes are of files that servers read and do not write: programs that others
// interpret, configurations, certificates.
func inputSuffixes() []string {
	return []string{".sh", ".py", ".rb", ".pl", ".php", ".js", ".mjs", ".cjs", ".lua", ".jar", ".so",
		".conf", ".cfg", ".ini", ".json", ".toml", ".yaml", ".yml", ".xml", ".pem", ".crt", ".key"}
}

// isInput tells whether an argument is a file that the server reads: by its name, or, where
// it is a path and no mere word, because it can be executed or is a script.
func isInput(argument string) bool {
	info, err := os.Stat(argument)
	switch {
	case err != nil || !info.Mode().IsRegular():
		return false
	case slices.Contains(inputSuffixes(), filepath.Ext(argument)):
		return true
	}
	return strings.Contains(argument, "/") && (info.Mode().Perm()&0o111 != 0 || isScript(argument))
}

// sourceBytesMax is what is read of a file that a command names. A larger one is taken for
// data and left out.
const sourceBytesMax = 256 << 20

// hashed are the files among some paths that are not among those known. What cannot be
// read is the server's own affair.
func hashed(paths []string, known []record.Source) (sources []record.Source) {
	for _, path := range paths {
		have := func(s record.Source) bool { return s.Path == path }
		if slices.ContainsFunc(known, have) || slices.ContainsFunc(sources, have) {
			continue
		}
		if info, err := os.Stat(path); err != nil || info.Size() > sourceBytesMax {
			continue
		}
		if hash, err := serverproc.HashFile(path); err == nil {
			sources = append(sources, record.Source{Path: path, SHA256: hash})
		}
	}
	return sources
}
