package session

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/scalws/scalbench/internal/record"
)

// Attempt is one try at a measurement, in a directory of its own that is not yet the
// measurement's. An attempt that is not committed was cut; there is nothing to close.
type Attempt struct {
	Key     Key
	Number  int // from 1
	session *Session
}

// Begin starts the next attempt at a measurement.
func (s *Session) Begin(k Key) (*Attempt, error) {
	cell := s.journal.state.Cells[k]
	earlier := cell.Attempt
	cell.Attempt++
	a := &Attempt{Key: k, Number: cell.Attempt, session: s}
	sealed, err := exists(s.SummaryPath(k.Round, k.Run, k.Variant))
	if err != nil {
		return nil, fmt.Errorf("begin %s: %w", k, err)
	}
	if sealed {
		return nil, fmt.Errorf("begin %s: the run is sealed", k)
	}
	// The event comes first: a directory that is there already belongs to an attempt
	// that the journal knows, and the next one has another number.
	if err := s.journal.write(event(record.Started, k, cell, "")); err != nil {
		return nil, fmt.Errorf("begin %s: %w", k, err)
	}
	if err := s.supersede(k, earlier); err != nil {
		return nil, fmt.Errorf("begin %s: %w", k, err)
	}
	if err := makeDir(filepath.Dir(a.Dir())); err != nil {
		return nil, fmt.Errorf("begin %s: %w", k, err)
	}
	if err := os.Mkdir(a.Dir(), 0o755); err != nil {
		return nil, fmt.Errorf("begin %s: %w", k, err)
	}
	return a, nil
}

// supersede moves a committed attempt out of the way of the next, so that the commit
// of that one is a single rename.
func (s *Session) supersede(k Key, attempt int) error {
	row, there, err := readRowFile(s.MeasurementDir(k))
	if err != nil || !there {
		return err
	}
	if row.Attempt > attempt {
		return fmt.Errorf("%s has attempt %d, of which the journal knows nothing", s.MeasurementDir(k), row.Attempt)
	}
	return moveDir(s.MeasurementDir(k), s.SupersededDir(k, row.Attempt))
}

// Dir is where files and logs of the attempt go until it is committed.
func (a *Attempt) Dir() string { return a.session.partDir(a.Key, a.Number) }

// Write writes one file of the attempt, whole. A name that is there is refused.
func (a *Attempt) Write(name string, data []byte) error {
	return record.WriteFile(filepath.Join(a.Dir(), name), data)
}

// Commit ends the attempt with its row, whose key and attempt it fills in: Valid, or
// Invalid with a reason, also for one that was begun and could not be measured. When it
// returns, the measurement is on disk and the journal says so. Nothing may write into
// Dir any more.
func (a *Attempt) Commit(row record.Measurement) error {
	s, k := a.session, a.Key
	if row.State != record.Valid && row.State != record.Invalid {
		return fmt.Errorf("commit %s: it is %s, expected yes or no", k, row.State)
	}
	cell := s.journal.state.Cells[k]
	if cell.Status != Begun || cell.Attempt != a.Number {
		return fmt.Errorf("commit %s: attempt %d is not under way", k, a.Number)
	}
	row.Session, row.Round, row.Run, row.Slot = s.Plan.Session, k.Round, k.Run, cell.Slot
	row.Variant, row.Mode, row.Scenario, row.Attempt = k.Variant, k.Mode, k.Scenario, a.Number
	var text bytes.Buffer
	if err := record.WriteSummary(&text, []record.Measurement{row}); err != nil {
		return fmt.Errorf("commit %s: %w", k, err)
	}
	if err := a.publish(text.Bytes()); err != nil {
		return fmt.Errorf("commit %s: %w", k, err)
	}
	if err := s.journal.write(event(record.Measured, k, cell, ""), verdict(k, cell, row)); err != nil {
		return fmt.Errorf("commit %s: %w", k, err)
	}
	return nil
}

// publish completes the attempt's directory and makes it the measurement's. The
// rename is the commit.
func (a *Attempt) publish(row []byte) error {
	if err := a.Write(RowFile, row); err != nil {
		return err
	}
	if err := syncTree(a.Dir()); err != nil {
		return err
	}
	return moveDir(a.Dir(), a.session.MeasurementDir(a.Key))
}

// joinClose closes a journal and returns both errors.
func joinClose(err error, j *journal) error { return errors.Join(err, j.close()) }
