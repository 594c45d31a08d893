package serverproc

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/scalws/scalbench/internal/procfs"
)

// Orphan is a process that an earlier session has started and that nobody looks after
// any more.
type Orphan struct {
	PID     int
	Start   time.Duration // since boot; with the PID it names the process
	Name    string
	Session string // whose it was
}

// String returns the form "nginx[4121] of session 20261130-2052".
func (o Orphan) String() string { return fmt.Sprintf("%s[%d] of session %s", o.Name, o.PID, o.Session) }

// Orphans finds the processes that carry the token of another session than the current
// one and have no supervisor above them. A session that runs now, under another lock,
// has supervisors, and is left alone.
//
// Of other users' processes only root may read the environment; an ordinary user has
// started none. A program that has written a title over its environment is not found.
func Orphans(currentSession string) ([]Orphan, error) {
	fs := procfs.NewFS(procDir)
	pids, err := fs.PIDs()
	if err != nil {
		return nil, fmt.Errorf("look for orphans: %w", err)
	}
	var orphans []Orphan
	for _, pid := range pids {
		session := variableOf(pid, SessionVariable)
		if session == "" || session == currentSession || pid == os.Getpid() {
			continue
		}
		stat, err := fs.Stat(pid)
		if errors.Is(err, procfs.ErrGone) || err == nil && isZombie(stat) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("look for orphans: %w", err)
		}
		if !supervised(fs, stat) {
			orphans = append(orphans, Orphan{PID: pid, Start: stat.Start, Name: stat.Comm, Session: session})
		}
	}
	return orphans, nil
}

// supervised reports whether a supervisor, or this process, is above a process.
func supervised(fs procfs.FS, stat procfs.Stat) bool {
	// A parent is older than its child, so this ends; the bound is for PIDs that are
	// used again while we look.
	const generationsMax = 1000
	for range generationsMax {
		parent := stat.PPID
		if parent <= 0 {
			return false
		}
		if parent == os.Getpid() || variableOf(parent, supervisorVariable) != "" {
			return true
		}
		var err error
		if stat, err = fs.Stat(parent); err != nil {
			return false // it has ended, and its child is somebody else's
		}
	}
	return false
}

// variableOf reads one variable of a process; "" where there is none, or it may not be
// read.
func variableOf(pid int, key string) string {
	data, err := os.ReadFile(filepath.Join(procDir, strconv.Itoa(pid), "environ"))
	if err != nil {
		return ""
	}
	for _, variable := range splitZero(data) {
		if value, ours := strings.CutPrefix(variable, key+"="); ours {
			return value
		}
	}
	return ""
}
