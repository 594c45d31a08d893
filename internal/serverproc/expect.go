package serverproc

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/scalws/scalbench/internal/cpuset"
)

// Expect is what must be true of a running variant. It is data, and each zero field
// expects nothing; that the server lives is always expected. All but Processes, CPUs
// and Ports is about the process that was started, not its workers.
type Expect struct {
	// Exe is the path of the program, without symbolic links, as [Expect.Resolve]
	// makes it. A file that was replaced at that path is a violation.
	Exe        string
	SHA256     string        // of the program, in hexadecimal
	Start      time.Duration // [ProcessFacts.Start] of an earlier observation: it was not restarted
	UID        UIDRule
	Seccomp    *int // the mode: 0 off, 1 strict, 2 filter
	NoNewPrivs *bool

	// Argv is the whole command line. A process that has set a title must have the
	// arguments in it.
	Argv []string

	Processes int        // of the whole tree
	CPUs      cpuset.Set // that every thread of the tree must keep to
	Ports     []Port     // at which the tree, and nobody else, must listen

	// Grace is how long after its start a server may differ: a wrapper needs a moment
	// to execute it, the server one to install its filter.
	Grace time.Duration
}

// Resolve returns the expectation with the path of the program as the kernel will show
// it, and the hash of the file that is there now: what is executed later and differs
// is another program, whatever it is called.
func (e Expect) Resolve() (Expect, error) {
	if e.Exe == "" {
		return e, nil
	}
	path, err := exec.LookPath(e.Exe)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		return Expect{}, fmt.Errorf("expect: exe: %w", err)
	}
	e.Exe = path
	if e.SHA256 == "" {
		var once hashes
		if e.SHA256, err = once.of(path); err != nil {
			return Expect{}, fmt.Errorf("expect: exe: %w", err)
		}
	}
	return e, nil
}

// Validate reports everything that is wrong with the expectation.
func (e Expect) Validate() error {
	var faults []error
	if e.Exe != "" && !filepath.IsAbs(e.Exe) {
		faults = append(faults, fmt.Errorf("expect: exe: %q, expected a path from the root", e.Exe))
	}
	if len(e.SHA256) != 0 && len(e.SHA256) != 64 {
		faults = append(faults, fmt.Errorf("expect: sha256: %q, expected 64 hexadecimal digits", e.SHA256))
	}
	if e.Seccomp != nil && (*e.Seccomp < 0 || *e.Seccomp > 2) {
		faults = append(faults, fmt.Errorf("expect: seccomp: %d, expected 0, 1 or 2", *e.Seccomp))
	}
	if e.Processes < 0 || e.Grace < 0 {
		faults = append(faults, fmt.Errorf("expect: processes %d, grace %s: expected 0 or more", e.Processes, e.Grace))
	}
	for _, p := range e.Ports {
		faults = append(faults, p.Validate())
	}
	return errors.Join(faults...)
}

// Trait is one thing that is expected of a server.
type Trait uint8

const (
	TraitAlive Trait = iota
	TraitStart
	TraitExe
	TraitSHA256
	TraitArgv
	TraitUID
	TraitSeccomp
	TraitNoNewPrivs
	TraitProcesses
	TraitCPUs
	TraitPorts
	traitCount
)

// String returns the word of the records, such as "seccomp".
func (t Trait) String() string {
	words := [traitCount]string{"alive", "start", "exe", "sha256", "argv", "uid", "seccomp", "no_new_privs", "processes", "affinity", "ports"}
	if t >= traitCount {
		return fmt.Sprintf("trait(%d)", uint8(t))
	}
	return words[t]
}

// Describe names a trait with what is expected of it: "seccomp 2", "affinity 0-3".
func (e Expect) Describe(t Trait) string {
	var want string
	switch t {
	case TraitUID:
		want = e.UID.String()
	case TraitSeccomp:
		if e.Seccomp != nil {
			want = strconv.Itoa(*e.Seccomp)
		}
	case TraitNoNewPrivs:
		if e.NoNewPrivs != nil {
			want = strconv.FormatBool(*e.NoNewPrivs)
		}
	case TraitProcesses:
		want = strconv.Itoa(e.Processes)
	case TraitCPUs:
		want = e.CPUs.String()
	}
	return strings.TrimSpace(t.String() + " " + want)
}
