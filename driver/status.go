package driver

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/scalws/scalbench/driver/internal/session"
	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/serverproc"
)

// Place is where the host's lock is, as in an [Order]. The zero value is the host's.
type Place struct {
	LockPath, LockSocket string
	Environ              []string // KEY=value of this process
}

// Holder is who holds the host.
type Holder struct {
	Text    string // in one line: who, since when, how far
	Ended   bool   // it is not there any more, and did not give the host free itself
	PID     int
	Session string // directory of its session, from the root; "": it has none yet
	owner   *session.Owner
}

// Look tells who holds the host; nil: nobody that can be found.
func Look(p Place) (*Holder, error) {
	place, err := placeOf(p.LockPath, p.LockSocket, p.Environ)
	if err != nil {
		return nil, err
	}
	owner, live := session.Look(place)
	if owner == nil {
		return nil, nil
	}
	return &Holder{Text: owner.String(), Ended: live == session.Ended, PID: owner.PID, Session: owner.SessionDir, owner: owner}, nil
}

// Stop asks who holds the host to stop, and does not wait for it: it ends its servers
// and leaves a session that can be resumed.
func (h *Holder) Stop() error { return session.StopOwner(filepath.Join(hostRoot, "proc"), h.owner) }

// awaitEvery is the time between two looks at a process that is to end.
const awaitEvery = 50 * time.Millisecond

// Await waits until who holds the host has ended, or the context is over. The error is
// the context's cause, or says that it cannot be told whether it has.
func (h *Holder) Await(ctx context.Context) error {
	ticker := time.NewTicker(awaitEvery)
	defer ticker.Stop()
	for {
		switch h.owner.Liveness(filepath.Join(hostRoot, "proc")) {
		case session.Ended:
			return nil
		case session.Unknown:
			return fmt.Errorf("wait for pid %d: it cannot be told whether it has ended", h.PID)
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// SessionStatus is how far a session is that lies on disk.
type SessionStatus struct {
	Dir      string
	Progress string // in one line
	Done     bool
	DoneAs   string // "decided after round 3 of 6"; "": it is not done, or had all its rounds
	Stopped  string // why it was stopped; "": it was not, or was resumed since
}

// IsOf tells whether a session is the one that a holder is at.
func (s SessionStatus) IsOf(h *Holder) bool {
	return h != nil && !h.Ended && h.Session != "" && absolute(s.Dir) == h.Session
}

// Unfinished returns the sessions in a directory of results that are not done, those of
// calibrations too. What cannot be read is told, for it may be one of them.
func Unfinished(results string) (sessions []SessionStatus, notes []string) {
	dirs, err := filepath.Glob(filepath.Join(results, "*.session"))
	calibrations, _ := filepath.Glob(filepath.Join(results, "*"+record.CalibrationDir, "*", "*.session")) // the same signs
	dirs = append(dirs, calibrations...)
	if err != nil {
		return nil, []string{fmt.Sprintf("%s: %v", results, err)}
	}
	for _, dir := range dirs {
		s, err := StatusOf(dir)
		switch {
		case err != nil:
			notes = append(notes, err.Error())
		case !s.Done:
			sessions = append(sessions, s)
		}
	}
	return sessions, notes
}

// StatusOf tells how far a session is, by its directory or that of one of its rounds.
func StatusOf(dir string) (SessionStatus, error) {
	layout, err := layoutOf(dir)
	if err != nil {
		return SessionStatus{}, err
	}
	on, state, err := session.Read(layout)
	if err != nil {
		return SessionStatus{}, err
	}
	progress := session.ProgressOf(on.Plan, &state)
	return SessionStatus{Dir: layout.SessionDir(), Progress: progress.String(), Done: state.Done, DoneAs: state.DoneAs, Stopped: state.Stopped}, nil
}

// Note adds a line of a person's to a session, by its directory or that of one of its
// rounds. Reports print it.
func Note(dir, text string) error {
	if text = strings.TrimSpace(text); text == "" || record.OneLine(text) != text {
		return faultf("note %q, expected a text on one line", text)
	}
	layout, err := layoutOf(dir)
	if err != nil {
		return err
	}
	clock, err := mono.NewClock()
	if err != nil {
		return fmt.Errorf("read the clock: %w", err)
	}
	if _, err := os.Stat(layout.SessionDir()); err != nil {
		return err
	}
	return session.AddNote(layout, session.ClockNow(clock), text)
}

// Supervise is what a supervisor of servers does: a hidden command of the program that
// calls [Run], named supervise, ends with it. It takes over the process.
func Supervise(in io.Reader, out io.Writer) error { return serverproc.Supervise(in, out) }
