package serverproc

import (
	"errors"
	"fmt"
	"strings"

	"github.com/scalws/scalbench/internal/cpuset"
)

// Spec says how one process tree is started. It is data: nothing in it refers to
// anything alive.
type Spec struct {
	Name string // what messages call it, such as the variant's name

	// Command is the program and its arguments. A program without a slash is looked
	// for in the PATH of this process; one with a slash is relative to the working
	// directory of this process, whatever Dir is.
	Command []string
	// Program is the file that is executed in the place of the command's, whose first
	// word stays what the process is called; "": none. It is for a copy of the program.
	Program string
	Dir     string   // working directory; "": that of this process
	Env     []string // KEY=value, complete; made by [Environment.List]

	// User is a name or a number; "" is the user of this process. Another one can
	// be asked for by root alone.
	User string

	// CPUs is where the server may run, from its first instruction; the empty set
	// is wherever this process may.
	CPUs cpuset.Set

	// Stdout and Stderr are paths of files that do not exist yet. They may be the
	// same; neither may be "".
	Stdout, Stderr string

	// NofileMax is the soft limit of open files (RLIMIT_NOFILE), at least 64; 0 is that
	// of this process. The hard one stays, so that a server may raise its own, and is
	// raised where it is lower, which only root may.
	NofileMax uint64

	// StdinOpen gives the server a standard input that stays open as long as it
	// should run, for programs that end with it; otherwise it is /dev/null.
	StdinOpen bool

	// Ports are those that [Server.Stop] waits for to be free. Of instances that
	// share a port only the one that is stopped last may name it.
	Ports []Port

	// Supervisor is the command that ends up in [Supervise], with its standard
	// streams: a hidden command of this program.
	Supervisor []string
}

// nofileLeast is what the supervisor itself needs to work under the limit that it
// sets for the server.
const nofileLeast = 64

// Validate reports everything that is wrong with the spec, without looking at the
// host.
func (s Spec) Validate() error {
	var faults []error
	need := func(ok bool, format string, args ...any) {
		if !ok {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	need(s.Name != "", "name: nothing, expected what messages call it")
	need(len(s.Command) > 0 && s.Command[0] != "", "command: nothing, expected a program and its arguments")
	need(len(s.Supervisor) > 0, "supervisor: nothing, expected the command that supervises")
	need(s.Stdout != "" && s.Stderr != "", "stdout %q and stderr %q: expected two files, or one twice", s.Stdout, s.Stderr)
	need(s.NofileMax == 0 || s.NofileMax >= nofileLeast, "nofile: %d, expected 0 or at least %d", s.NofileMax, nofileLeast)
	for _, text := range append(append([]string{s.Dir, s.User}, s.Command...), s.Env...) {
		need(!strings.Contains(text, "\x00"), "%q: it has a zero byte, which no argument of a program can have", text)
	}
	for _, variable := range s.Env {
		key, _, assigned := strings.Cut(variable, "=")
		need(assigned && key != "", "env: %q, expected KEY=value", variable)
	}
	for _, p := range s.Ports {
		faults = append(faults, p.Validate())
	}
	if err := errors.Join(faults...); err != nil {
		return fmt.Errorf("server %q: %w", s.Name, err)
	}
	return nil
}
