package driver

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/scalws/scalbench/driver/internal/measure"
	"github.com/scalws/scalbench/driver/internal/session"
)

// complaint is an error that logs of a round tell of and that makes nothing invalid.
type complaint struct {
	text     string // as the first variant told it
	count    int
	variants map[string]bool
}

// complaintsMax is how many are told: each of them is in the evidence.
const complaintsMax = 5

// tellComplaints tells what the logs of a round complained about, each once: what all
// variants have is a fact of the host, such as an expired certificate, and what only
// some have is worth a look.
func (s *sitting) tellComplaints(round int) error {
	found, err := s.complaints(round)
	if err != nil {
		return err
	}
	for i, normal := range slices.Sorted(maps.Keys(found)) {
		if i == complaintsMax {
			s.observer().say(fmt.Sprintf("%d more errors are in the logs of round %d", len(found)-i, round))
			break
		}
		c := found[normal]
		who := strings.Join(slices.Sorted(maps.Keys(c.variants)), ", ") + " alone logged"
		if len(c.variants) == len(s.suite.Variants) {
			who = "shared by all variants, logged"
		}
		s.observer().say(fmt.Sprintf("round %d: %s %d times: %s", round, who, c.count, c.text))
	}
	return nil
}

// complaints collects them from the evidence of the measurements, by their normal form.
func (s *sitting) complaints(round int) (map[string]*complaint, error) {
	found := map[string]*complaint{}
	state := s.session.State()
	for _, k := range state.Keys(round) {
		evidence, err := readEvidence(s.session, k)
		if err != nil {
			return nil, err
		}
		for _, c := range evidence.Complaints {
			if found[c.Normal] == nil {
				found[c.Normal] = &complaint{text: c.First.Text, variants: map[string]bool{}}
			}
			found[c.Normal].count += c.Count
			found[c.Normal].variants[k.Variant] = true
		}
	}
	return found, nil
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
	if err != nil {
		return evidence, fmt.Errorf("read %s: %w", path, err)
	}
	return evidence, nil
}
