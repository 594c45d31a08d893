package serverproc

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/internal/procfs"
)

// ProcessFacts is what was seen of the server's process.
type ProcessFacts struct {
	PID   int
	Start time.Duration // since boot, in steps of 10 ms; with the PID it names the process
	Age   time.Duration // since Start, at the time of the observation

	Exe      Fact[string] // path of the program that runs
	Replaced bool         // there is another file at that path since, or none
	SHA256   Fact[string] // of the program that runs, in hexadecimal

	// Argv and Env are what the process has in their place: a program that sets a
	// title has written over them. Env is n/a then.
	Argv Fact[[]string]
	Env  Fact[[]string]

	RealUID, EffectiveUID int
	Security              Security
	Limits                Fact[[]Limit]
}

// Member is what was seen of any process of the tree.
type Member struct {
	PID    int
	Parent int
	Name   string
	Exe    Fact[string]
	CPUs   cpuset.Set // that any of its threads may run on
}

// processFacts reads one process; procfs.ErrGone when it has ended.
func (o *Observer) processFacts(pid int) (ProcessFacts, error) {
	stat, err := o.fs.Stat(pid)
	if err != nil {
		return ProcessFacts{}, err
	}
	status, err := o.fs.Status(pid)
	if err != nil {
		return ProcessFacts{}, err
	}
	f := ProcessFacts{PID: pid, Start: stat.Start, RealUID: status.RealUID, EffectiveUID: status.EffectiveUID}
	if f.Age, err = o.fs.Age(pid); err != nil {
		return ProcessFacts{}, err
	}
	f.Exe, f.Replaced = o.exe(pid)
	f.SHA256 = unknown[string](f.Exe.NA)
	if f.Exe.Known() {
		sum, err := o.sums.of(o.file(pid, "exe"))
		f.SHA256 = fact(sum, err, "executable", pid)
	}
	argv, err := os.ReadFile(o.file(pid, "cmdline"))
	f.Argv = fact(splitZero(argv), err, "arguments", pid)
	f.Env = o.env(pid)
	limits, err := os.ReadFile(o.file(pid, "limits"))
	f.Limits = fact([]Limit(nil), err, "limits", pid)
	if err == nil {
		parsed, err := parseLimits(limits)
		f.Limits = fact(parsed, err, "limits", pid)
	}
	text, err := os.ReadFile(o.file(pid, "status"))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ESRCH) { // opened before it ended, read after
		return ProcessFacts{}, procfs.ErrGone
	}
	if err != nil {
		return ProcessFacts{}, fmt.Errorf("read status of process %d: %w", pid, err)
	}
	if f.Security, err = parseSecurity(text); err != nil {
		return ProcessFacts{}, fmt.Errorf("read status of process %d: %w", pid, err)
	}
	return f, nil
}

// exe reads the link to the program. The kernel marks a file that is no longer at its
// path.
func (o *Observer) exe(pid int) (path Fact[string], replaced bool) {
	link, err := os.Readlink(o.file(pid, "exe"))
	if err != nil {
		return fact("", err, "executable", pid), false
	}
	link, replaced = strings.CutSuffix(link, " (deleted)")
	return known(link), replaced
}

// env reads the environment that the program was executed with. Some programs (nginx)
// write a title over it; then the session's token is gone, and what is left is no
// environment.
func (o *Observer) env(pid int) Fact[[]string] {
	data, err := os.ReadFile(o.file(pid, "environ"))
	if err != nil {
		return fact([]string(nil), err, "environment", pid)
	}
	env := splitZero(data)
	for _, variable := range env {
		if strings.HasPrefix(variable, SessionVariable+"=") {
			return known(env)
		}
	}
	return unknown[[]string](fmt.Sprintf("process %d has no %s in its environment: it has written over it, or was not started by a session", pid, SessionVariable))
}

// member reads what is looked at of every process of the tree; procfs.ErrGone when it
// has ended, or is a zombie.
func (o *Observer) member(pid int) (Member, error) {
	stat, err := o.fs.Stat(pid)
	if err != nil {
		return Member{}, err
	}
	if isZombie(stat) {
		return Member{}, procfs.ErrGone
	}
	m := Member{PID: pid, Parent: stat.PPID, Name: stat.Comm}
	m.Exe, _ = o.exe(pid)
	m.CPUs, err = o.fs.Allowed(pid)
	return m, err
}

// file names a file of a process.
func (o *Observer) file(pid int, name string) string {
	return filepath.Join(o.proc, strconv.Itoa(pid), name)
}
