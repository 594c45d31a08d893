package driver

import (
	"errors"
	"io/fs"
	"math"
	"slices"
	"strings"

	"github.com/scalws/scalbench/driver/internal/measure"
	"github.com/scalws/scalbench/driver/internal/session"
	"github.com/scalws/scalbench/internal/record"
)

// redoMax is how often a pair is measured again. What is wrong a third time is no
// accident: it is kept as it is, and whoever judges sees it.
const redoMax = 2

// redo gives up the pairs of a run whose evidence asks for another try, and tells
// whether there was one. Evidence is that something was not as it had to be: errors,
// another program, somebody else on the CPUs. What was measured is none, so that
// nobody can be measured until the numbers please.
//
// Both halves are redone, so that they lie in one window.
func (s *sitting) redo(round, run int) (again bool, err error) {
	for _, k := range s.ofRun(round, run) {
		state := s.session.State() // a pair that was given up for its other half is not asked again
		if state.Missing(k) || s.redone(&state, k) >= redoMax {
			continue
		}
		row, err := session.ReadRow(s.session.MeasurementDir(k))
		if err != nil {
			return again, err
		}
		evidence, err := readEvidence(s.session, k)
		if err != nil {
			return again, err
		}
		reason := against(row, evidence)
		if reason == "" {
			continue
		}
		voided, err := s.session.Redo(k, reason)
		if err != nil {
			return again, err
		}
		again = true
		s.observer().say(againText(voided, reason))
	}
	return again, nil
}

// againText tells which pair is measured again, and why.
func againText(voided []session.Key, reason string) string {
	text := "measuring again " + voided[0].String()
	for _, partner := range voided[1:] {
		text += " and " + partner.Variant
	}
	return text + ": " + reason
}

// ofRun are the measurements of a run, in their order.
func (s *sitting) ofRun(round, run int) []session.Key {
	state := s.session.State()
	return slices.DeleteFunc(state.Keys(round), func(k session.Key) bool { return k.Run != run })
}

// against says why a measurement should be made again; "": it should not.
func against(m record.Measurement, evidence measure.Evidence) string {
	switch {
	case m.State == record.Invalid && slices.Contains(m.Flags, measure.FlagSaturated) && !m.Interfered:
		return "" // the load was more than the generator can do, and will be again, unless others had its CPUs
	case m.State == record.Invalid:
		return m.Reason
	case m.Interfered && len(evidence.Interference.Reasons) > 0:
		return "interfered: " + record.OneLine(strings.Join(evidence.Interference.Reasons, "; "))
	case m.Interfered:
		return "interfered"
	}
	return ""
}

// redone tells how often a pair was measured again. A half that was cut by a kill was
// begun once more without that, and then so was the other one; the one with fewer tries
// has those that evidence asked for.
func (s *sitting) redone(state *session.State, k session.Key) int {
	fewest := math.MaxInt
	for _, one := range append(session.Partners(s.session.Plan, k), k) {
		if c, known := state.Cell(one); known {
			fewest = min(fewest, c.Attempt-c.Cut-1)
		}
	}
	return fewest
}

// noFile reports whether an error says that a file is not there.
func noFile(err error) bool { return errors.Is(err, fs.ErrNotExist) }
