package session

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/scalws/scalbench/internal/procfs"
)

// Owner is the process that holds a host, and what it does with it. The lock answers
// with it, and it stands in a file beside the lock: information only, for the lock is
// the kernel's.
type Owner struct {
	PID          int           `json:"pid"`
	Start        time.Duration `json:"start_ns"` // since boot, to 10 ms; with PID and BootID it names the process for good
	BootID       string        `json:"boot_id"`
	PIDNamespace string        `json:"pid_ns,omitempty"` // in which PID means this process; "": could not be read
	User         string        `json:"user"`
	Command      []string      `json:"command"`
	Since        time.Time     `json:"since"` // when it got the lock

	Doing
}

// Doing is what an owner is at. The zero value is an owner that has no session yet.
type Doing struct {
	Session    string   `json:"session,omitempty"`
	SessionDir string   `json:"session_dir,omitempty"` // absolute
	PlanHash   string   `json:"plan_hash,omitempty"`
	Progress   Progress `json:"progress,omitzero"`
}

// Self describes this process; proc is where the proc file system is, command what it
// was started as.
func Self(proc string, command []string) (Owner, error) {
	o := Owner{PID: os.Getpid(), Command: command, User: strconv.Itoa(os.Getuid()), PIDNamespace: pidNamespace(proc)}
	stat, err := procfs.NewFS(proc).Stat(o.PID)
	if err != nil {
		return Owner{}, fmt.Errorf("describe this process: %w", err)
	}
	o.Start = stat.Start
	boot, err := ReadBoot(proc)
	if err != nil {
		return Owner{}, fmt.Errorf("describe this process: %w", err)
	}
	o.BootID = boot.ID
	if u, err := user.Current(); err == nil {
		o.User = u.Username // else the number stays: a container may have no such user
	}
	return o, nil
}

// pidNamespace names the namespace that numbers the processes, "" when it cannot be
// read. Source: pid_namespaces(7).
func pidNamespace(proc string) string {
	link, err := os.Readlink(filepath.Join(proc, "self/ns/pid"))
	if err != nil {
		return ""
	}
	return link
}

// Boot is one boot of one kernel.
type Boot struct {
	ID     string // random, made by the kernel when it starts
	Kernel string // release, such as 6.1.0-28-amd64
}

// String is how events tell it; two boots are the same when their strings are.
func (b Boot) String() string { return "boot " + b.ID + ", kernel " + b.Kernel }

// ReadBoot reads which boot this is. Source: random(4), proc_sys_kernel(5).
func ReadBoot(proc string) (Boot, error) {
	id, err := os.ReadFile(filepath.Join(proc, "sys/kernel/random/boot_id"))
	release, err2 := os.ReadFile(filepath.Join(proc, "sys/kernel/osrelease"))
	if err := errors.Join(err, err2); err != nil {
		return Boot{}, fmt.Errorf("read which boot this is: %w", err)
	}
	return Boot{strings.TrimSpace(string(id)), strings.TrimSpace(string(release))}, nil
}

// Liveness says whether an owner still runs.
type Liveness uint8

const (
	// Unknown: its PID is of another namespace, or could not be looked at.
	Unknown Liveness = iota
	// Running: the very process that wrote its PID down.
	Running
	// Ended: no such process, another one with its PID, or another boot.
	Ended
)

// String returns the word for people.
func (l Liveness) String() string { return [...]string{"unknown", "running", "ended"}[l] }

// Liveness looks whether the owner still runs. A PID alone would not do: it is used
// again.
func (o *Owner) Liveness(proc string) Liveness {
	boot, err := ReadBoot(proc)
	if err != nil {
		return Unknown
	}
	if boot.ID != o.BootID {
		return Ended
	}
	if o.PIDNamespace != pidNamespace(proc) {
		return Unknown
	}
	stat, err := procfs.NewFS(proc).Stat(o.PID)
	switch {
	case errors.Is(err, procfs.ErrGone):
		return Ended
	case err != nil:
		return Unknown
	case stat.Start != o.Start || stat.State == 'Z' || stat.State == 'X':
		return Ended
	}
	return Running
}

// String says who it is in one line.
func (o *Owner) String() string {
	text := fmt.Sprintf("pid %d (%s) since %s", o.PID, o.User, o.Since.UTC().Format(time.RFC3339))
	if o.Session != "" {
		text += ", session " + o.SessionDir
	}
	if o.Progress.Total > 0 {
		text += ", " + o.Progress.String()
	}
	return text + ": " + strings.Join(o.Command, " ")
}
