package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/scalws/scalbench/internal/record"
)

// ErrFinished says that there is nothing to resume.
var ErrFinished = errors.New("session is finished")

// Read returns a session as it lies on disk, and the state that its journal leads to.
// It changes nothing and needs no lock.
func Read(l Layout) (*record.Session, State, error) {
	on, err := record.ReadSession(os.DirFS(l.Results), filepath.Base(l.SessionDir()))
	if err != nil {
		return nil, State{}, fmt.Errorf("read session %s: %w", l.SessionDir(), err)
	}
	state, err := Replay(on.Journal.Events)
	if err != nil {
		return nil, State{}, fmt.Errorf("read session %s: %w", l.SessionDir(), err)
	}
	return on, state, nil
}

// Resume goes on with a session that was stopped or killed, in this boot. It is called
// by the holder of the host's lock. What it had to put right is in the [Recovery];
// [ErrFinished] when there is nothing left to do.
//
// It may be killed, too: directories are moved before the journal says so, and one
// that is moved already is left.
func Resume(l Layout, boot Boot, now Now) (*Session, Recovery, error) {
	on, state, err := Read(l)
	if err != nil {
		return nil, Recovery{}, err
	}
	if state.Done {
		return nil, Recovery{}, fmt.Errorf("%s: %w", l.SessionDir(), ErrFinished)
	}
	recovery, err := state.recovery(on.Plan, boot, l.readRow)
	if err != nil {
		return nil, Recovery{}, err
	}
	for _, n := range recovery.Aborted {
		if err := putAside(l, n); err != nil {
			return nil, Recovery{}, fmt.Errorf("abort round %d: %w", n, err)
		}
	}
	j, err := openJournal(filepath.Join(l.SessionDir(), record.JournalFile), now, state)
	if err != nil {
		return nil, Recovery{}, fmt.Errorf("resume session: %w", err)
	}
	if err := j.write(recovery.Events...); err != nil {
		return nil, Recovery{}, errors.Join(fmt.Errorf("resume session: %w", err), j.close())
	}
	return &Session{Layout: l, Plan: on.Plan, Host: on.Host, journal: j}, recovery, nil
}

// putAside renames the directory of a round that is no evidence.
func putAside(l Layout, round int) error {
	there, err := exists(l.RoundDir(round))
	if err != nil || !there {
		return err // moved by one that was killed before it could say so
	}
	to, err := l.abortedDir(round)
	if err != nil {
		return err
	}
	return moveDir(l.RoundDir(round), to)
}

// readRow reads the row of a committed attempt; false when the directory is not there
// or is of an earlier attempt. One without a row is not ours and an error.
func (l Layout) readRow(k Key, attempt int) (record.Measurement, bool, error) {
	row, ok, err := readRowFile(l.MeasurementDir(k))
	return row, ok && row.Attempt == attempt, err
}

// readRowFile reads the row in a directory of a committed attempt; false when there is
// no such directory.
func readRowFile(dir string) (record.Measurement, bool, error) {
	there, err := exists(dir)
	if err != nil || !there {
		return record.Measurement{}, false, err
	}
	row, err := ReadRow(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return record.Measurement{}, false, fmt.Errorf("%s has no %s: no session made it", dir, RowFile)
	}
	return row, err == nil, err
}

// ReadRow reads the row in a directory of a committed attempt. The error is
// [fs.ErrNotExist] when it has none.
func ReadRow(dir string) (record.Measurement, error) {
	f, err := os.Open(filepath.Join(dir, RowFile))
	if err != nil {
		return record.Measurement{}, err
	}
	defer f.Close() // read only
	rows, err := record.ReadSummary(f, f.Name())
	if err != nil {
		return record.Measurement{}, err
	}
	if len(rows) != 1 {
		return record.Measurement{}, fmt.Errorf("%s has %d rows, expected one", f.Name(), len(rows))
	}
	return rows[0], nil
}
