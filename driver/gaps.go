package driver

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/scalws/scalbench/driver/internal/order"
	"github.com/scalws/scalbench/driver/internal/session"
	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/suite"
)

// gapsFile keeps what the host lacked when a session began, beside its plan. What is
// installed or removed later changes nothing of a session: its runs have the same rows, and
// a table has no row that is half measured.
const gapsFile = "gaps.json"

// gapsSchema says what is in it.
const gapsSchema = "scalbench.gaps/v1"

// keptGaps are the rows that are not run. Those that do not apply follow from the suite.
type keptGaps struct {
	Schema string    `json:"schema"`
	NotRun []keptGap `json:"not_run"`
}

// keptGap is one of them.
type keptGap struct {
	Variant  string `json:"variant"`
	Mode     string `json:"mode,omitempty"`
	Scenario string `json:"scenario"`
	Reason   string `json:"reason"`
}

// gapsFileOf is what a session keeps of its gaps.
func gapsFileOf(gaps []order.Gap) (session.File, error) {
	kept := keptGaps{Schema: gapsSchema, NotRun: []keptGap{}}
	for _, g := range gaps {
		if g.State == record.NotRun {
			kept.NotRun = append(kept.NotRun, keptGap{g.Variant, g.Scenario.Mode, g.Scenario.Name, g.Reason})
		}
	}
	text, err := json.MarshalIndent(kept, "", "  ")
	return session.File{Name: gapsFile, Data: append(text, '\n')}, err
}

// findGaps finds out what is not measured.
func (s *sitting) findGaps() {
	s.gaps = s.gapsOf(s.lacking())
}

// gapsOf are those of a host that lacks something, as [order.Gaps] has it. Of two variants that
// take turns a gap of one is one of the other.
func (s *sitting) gapsOf(lacking func(suite.Variant, suite.Scenario) string) []order.Gap {
	gaps := order.Gaps(s.suite.Variants, s.suite.Scenarios, lacking)
	if s.takesTurns() {
		gaps = order.PairGaps(order.PairsOf(s.suite.Compare), order.Rows(s.suite.Variants, s.suite.Scenarios), gaps)
	}
	return gaps
}

// keepGaps takes the gaps with which a session began. It is refused where the host lacks by
// now what it had then. A session without the file has what is found now.
func (s *sitting) keepGaps(l session.Layout) error {
	s.findGaps()
	path := filepath.Join(l.SessionDir(), gapsFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var kept keptGaps
	if err == nil {
		err = json.Unmarshal(text, &kept)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	now := s.gaps
	s.gaps = s.gapsOf(func(v suite.Variant, sc suite.Scenario) string {
		row := order.RowOf(v, sc)
		i := slices.IndexFunc(kept.NotRun, func(g keptGap) bool {
			return g.Variant == v.Name && g.Mode == row.Mode && g.Scenario == row.Name
		})
		if i < 0 {
			return ""
		}
		return kept.NotRun[i].Reason
	})
	var gone []string
	for _, g := range now {
		was := func(k order.Gap) bool { return k.Variant == g.Variant && k.Scenario == g.Scenario }
		if text := g.Variant + ": by now " + g.Reason; !slices.ContainsFunc(s.gaps, was) && !slices.Contains(gone, text) {
			gone = append(gone, text)
		}
	}
	if gone != nil {
		return &RefusedError{gone}
	}
	return nil
}
