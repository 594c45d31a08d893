package driver

import (
	"os"
	"path/filepath"

	"github.com/scalws/scalbench/driver/internal/order"
	"github.com/scalws/scalbench/driver/internal/session"
	"github.com/scalws/scalbench/internal/record"
)

// progress is how far the session is. What is measured before its rounds takes time too.
func (s *sitting) progress() Progress {
	state := s.session.State()
	p := session.ProgressOf(s.session.Plan, &state)
	if len(state.Cells) == 0 { // here it is known which there will be
		p.Total, p.Left = 0, 0
		for n := 1; n <= s.session.Plan.Rounds; n++ {
			keys := s.keys(n)
			p.Total += len(keys)
			p.Left += order.Estimate(s.suite.Plan, keys)
		}
	}
	return Progress{Round: p.Round, Rounds: p.Rounds, Done: p.Done, Total: p.Total, Left: p.Left + s.ratesTake()}
}

// toldOf is what is told of a measurement.
func (s *sitting) toldOf(m *made) Measured {
	k, number := m.attempt.Key, func(v record.Value) float64 { x, _ := v.Get(); return x }
	return Measured{
		Round: k.Round, Run: k.Run, Variant: k.Variant, Mode: k.Mode, Scenario: k.Scenario, Attempt: m.attempt.Number,
		Valid: m.row.State == record.Valid, Reason: m.row.Reason, Interfered: m.row.Interfered,
		RPS: number(m.row.RPS), P99Millis: number(m.row.P99Millis), CPUMicros: number(m.row.CPUMicros),
		Ratios: s.ratiosOf(k), Progress: s.progress(),
	}
}

// ratiosOf are those of the comparisons that a measurement belongs to, where the other
// half of the pair is there too.
func (s *sitting) ratiosOf(k session.Key) []Ratio {
	var ratios []Ratio
	for _, pair := range s.session.Plan.Compare {
		if k.Variant != pair.Base && k.Variant != pair.New {
			continue
		}
		if s.takesTurns() {
			if r, known := s.turnsRatio(k, pair); known {
				ratios = append(ratios, r)
			}
			continue
		}
		base, baseKnown := s.rpsOf(k, pair.Base)
		new, newKnown := s.rpsOf(k, pair.New)
		if baseKnown && newKnown {
			ratios = append(ratios, Ratio{Base: pair.Base, New: pair.New, RPS: new / base})
		}
	}
	return ratios
}

// turnsRatio is that of a pair whose variants took turns; false until both halves are there.
func (s *sitting) turnsRatio(k session.Key, pair record.PlanComparison) (Ratio, bool) {
	if _, known := s.validRow(k, pair.Base); !known {
		return Ratio{}, false
	}
	row, known := s.validRow(k, pair.New)
	if !known || !row.RPSRatio.Known() {
		return Ratio{}, false
	}
	se, _ := row.RPSRatioSE.Get()
	return Ratio{Base: pair.Base, New: pair.New, RPS: row.RPSRatio.OrNaN(), SE: se}, true
}

// rpsOf reads what a variant had in the run and scenario of a measurement; false when
// that is not there, or not valid.
func (s *sitting) rpsOf(k session.Key, variant string) (float64, bool) {
	row, known := s.validRow(k, variant)
	if !known {
		return 0, false
	}
	rps, known := row.RPS.Get()
	return rps, known && rps > 0
}

// validRow reads the line of a variant in the run and scenario of a measurement.
func (s *sitting) validRow(k session.Key, variant string) (record.Measurement, bool) {
	k.Variant = variant
	state := s.session.State()
	if c, known := state.Cell(k); !known || c.Status != session.Valid {
		return record.Measurement{}, false
	}
	row, err := session.ReadRow(s.session.MeasurementDir(k))
	return row, err == nil // what cannot be read is told where it matters
}

// files are where the results of the session are.
func (s *sitting) files() Files {
	files := Files{Session: s.session.SessionDir()}
	state := s.session.State()
	for n := 1; n <= s.session.Plan.Rounds; n++ {
		if state.Rounds[n].Done {
			files.Rounds = append(files.Rounds, s.session.RoundDir(n))
		}
	}
	return files
}

// count fills in what the finished rounds hold.
func (s *sitting) count(outcome *SessionOutcome) error {
	outcome.Files = s.files()
	for _, v := range s.suite.Variants {
		outcome.Variants = append(outcome.Variants, v.Name)
	}
	var counts []record.IdentityCount
	for _, dir := range outcome.Files.Rounds {
		r, err := record.ReadRound(os.DirFS(filepath.Dir(dir)), filepath.Base(dir))
		if err != nil {
			return err
		}
		if r.Identity != nil {
			counts = record.AddCounts(counts, r.Identity.Counts)
		}
		for _, m := range r.Measurements {
			switch m.State {
			case record.Valid:
				outcome.Valid++
				if m.Interfered {
					outcome.Interfered++
				}
			case record.Invalid:
				outcome.Invalid++
			case record.NotRun:
				outcome.NotRun++
			case record.NotApplicable:
				outcome.NotApplicable++
			}
		}
	}
	outcome.Identity = record.IdentityLines(counts)
	return nil
}
