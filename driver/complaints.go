package driver

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/scalws/scalbench/driver/internal/measure"
	"github.com/scalws/scalbench/driver/internal/session"
	"github.com/scalws/scalbench/internal/record"
)

// complaintsMax is how many are told: each of them is in the evidence.
const complaintsMax = 5

// tellComplaints tells what the logs of a round complained about, each once.
func (s *sitting) tellComplaints(round int, found []record.LogError) {
	for i, c := range found {
		if i == complaintsMax {
			s.observer().say(fmt.Sprintf("%d more errors are in the logs of round %d", len(found)-i, round))
			break
		}
		s.observer().say(fmt.Sprintf("round %d: %s", round, c))
	}
}

// complaints are the errors that the logs of a round tell of and that make nothing
// invalid, from the evidence of the measurements, in the order of their normal forms.
// What all variants have is a fact of the host, such as an expired certificate, and what
// only some have is worth a look.
func (s *sitting) complaints(round int) ([]record.LogError, error) {
	found := map[string]*record.LogError{}
	state := s.session.State()
	for _, k := range state.Keys(round) {
		evidence, err := readEvidence(s.session, k)
		if err != nil {
			return nil, err
		}
		for _, c := range evidence.Complaints {
			one := found[c.Normal]
			if one == nil {
				one = &record.LogError{Normal: c.Normal, Text: record.OneLine(c.First.Text)}
				found[c.Normal] = one
			}
			one.Count += c.Count
			if !slices.Contains(one.Variants, k.Variant) {
				one.Variants = append(one.Variants, k.Variant)
			}
		}
	}
	var all []record.LogError
	for _, normal := range slices.Sorted(maps.Keys(found)) {
		one := found[normal]
		slices.Sort(one.Variants)
		one.Shared = len(one.Variants) == len(s.suite.Variants)
		all = append(all, *one)
	}
	return all, nil
}

// readEvidence reads what a measurement is believed by; the zero Evidence where there is
// none, since the server never ran.
func readEvidence(s *session.Session, k session.Key) (measure.Evidence, error) {
	var evidence measure.Evidence
	path := filepath.Join(s.MeasurementDir(k), measure.EvidenceFile)
	text, err := os.ReadFile(path)
	if noFile(err) {
		return evidence, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &evidence)
	}
	if err == nil {
		err = sameSession(s, evidence.Session)
	}
	if err != nil {
		return evidence, fmt.Errorf("read %s: %w", path, err)
	}
	return evidence, nil
}

// sameSession refuses a file of another session: somebody has moved it here. Those of
// earlier versions have no id.
func sameSession(s *session.Session, id string) error {
	if id != "" && id != s.Plan.Session {
		return fmt.Errorf("it is of session %q, expected %s", id, s.Plan.Session)
	}
	return nil
}
