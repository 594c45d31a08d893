package session

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/scalws/scalbench/internal/record"
)

// SealRun writes the summary.csv of each variant of a run, in the order of the plan's
// scenarios, when every measurement of the run is decided. others are the rows of what
// was not measured: not_run and na, with their reasons; session, round and run are
// filled in. Rows that left before this round have no line. From then on the run cannot
// change.
//
// Sealing again what a kill left half sealed writes what is missing; a file that is
// there and would be another now is an error.
func (s *Session) SealRun(round, run int, others []record.Measurement) error {
	files := make([][]byte, len(s.Plan.Variants))
	var errs []error
	for i, v := range s.Plan.Variants {
		rows, err := s.rowsOf(round, run, v.Name, others)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		var text bytes.Buffer
		errs = append(errs, record.WriteSummary(&text, rows))
		files[i] = text.Bytes()
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("seal run %d of round %d: %w", run, round, err)
	}
	for i, v := range s.Plan.Variants {
		path := s.SummaryPath(round, run, v.Name)
		if err := makeDir(filepath.Dir(path)); err != nil {
			return fmt.Errorf("seal run %d of round %d: %w", run, round, err)
		}
		if err := writeOnce(path, files[i]); err != nil {
			return fmt.Errorf("seal run %d of round %d: %w", run, round, err)
		}
	}
	return nil
}

// rowsOf collects the rows of one variant in one run; all that are missing are told.
func (s *Session) rowsOf(round, run int, variant string, others []record.Measurement) ([]record.Measurement, error) {
	var rows []record.Measurement
	var missing []string
	for _, scenario := range s.Plan.Scenarios {
		k := Key{round, run, variant, scenario.Mode, scenario.Name}
		if s.journal.state.Left(k.Row(), round) {
			continue
		}
		cell, known := s.journal.state.Cells[k]
		i := slices.IndexFunc(others, func(m record.Measurement) bool {
			return m.Variant == variant && m.Mode == scenario.Mode && m.Scenario == scenario.Name
		})
		switch {
		case known && i >= 0:
			return nil, fmt.Errorf("%s is %s and cannot be %s", k, cell.Status, others[i].State)
		case i >= 0:
			row := others[i]
			row.Session, row.Round, row.Run = s.Plan.Session, round, run
			rows = append(rows, row)
			continue
		case !cell.Status.Decided():
			missing = append(missing, k.String())
			continue
		}
		row, ok, err := s.readRow(k, cell.Attempt)
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, fmt.Errorf("attempt %d of %s is not in %s", cell.Attempt, k, s.MeasurementDir(k))
		}
		if at := row.StartMonoNS; at != 0 && (at < cell.BegunNS || at > cell.MeasuredNS) {
			return nil, fmt.Errorf("%s says that the window of %s began at %d ns, but by the journal it was made from %d to %d ns", s.MeasurementDir(k), k, at, cell.BegunNS, cell.MeasuredNS)
		}
		rows = append(rows, row)
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("not measured: %s", strings.Join(missing, "; "))
	}
	return rows, nil
}

// FinishRound writes identity.json, aggregate.csv and aggregate.txt of a round whose
// runs are all sealed, in this order, and notes that it is done. After a kill in
// between it is called again: identity.json stays as it is, the rest is made of the
// files that are there.
func (s *Session) FinishRound(round int, identity *record.Identity) error {
	if err := s.finishRound(round, identity); err != nil {
		return fmt.Errorf("finish round %d: %w", round, err)
	}
	return s.journal.write(record.Event{Kind: record.RoundDone, Round: round})
}

func (s *Session) finishRound(round int, identity *record.Identity) error {
	for run := 1; run <= s.Plan.Runs; run++ {
		for _, v := range s.Plan.Variants {
			if there, err := exists(s.SummaryPath(round, run, v.Name)); err != nil {
				return err
			} else if !there {
				return fmt.Errorf("run %d of %s is not sealed", run, v.Name)
			}
		}
	}
	identity.Session, identity.Round = s.Plan.Session, round
	var identityText, aggregate, aggregateText bytes.Buffer
	if err := record.WriteIdentity(&identityText, identity); err != nil {
		return err
	}
	dir := s.RoundDir(round)
	err := record.WriteFile(filepath.Join(dir, record.IdentityFile), identityText.Bytes())
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	made, err := record.ReadRound(os.DirFS(s.Results), filepath.Base(dir))
	if err != nil {
		return err
	}
	lines := record.Summarize(made.Measurements)
	if err := errors.Join(record.WriteAggregate(&aggregate, lines), record.WriteAggregateText(&aggregateText, lines)); err != nil {
		return err
	}
	if err := writeOnce(filepath.Join(dir, record.AggregateFile), aggregate.Bytes()); err != nil {
		return err
	}
	return writeOnce(filepath.Join(dir, record.AggregateTextFile), aggregateText.Bytes())
}

// writeOnce writes a file, or finds it there with the same content.
func writeOnce(path string, data []byte) error {
	err := record.WriteFile(path, data)
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	there, readErr := os.ReadFile(path)
	if readErr != nil {
		return readErr
	}
	if !bytes.Equal(there, data) {
		return fmt.Errorf("%w, and has another content than it would have now", err)
	}
	return nil
}
