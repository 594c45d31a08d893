package gate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/scalws/scalbench/internal/record"
)

// Evidence is what one table is judged by: rounds, and the sessions they belong to.
type Evidence struct {
	Name string // the table's; "": that of the rounds' directories

	// Sessions may lack those of rounds that were measured elsewhere; such rounds
	// must all be of one session, and nothing is known of how they were made. A
	// session whose plan says what it repeats gives repeats; without the rounds that
	// it repeats it is a table of its own.
	Sessions []*record.Session
	Rounds   []*record.Round // in any order

	// Seconds are the completions in each second of measurements, of which they are
	// known. Rows are flagged for what they show.
	Seconds map[MeasurementKey][]float64

	// Calibrations are those of the host that lie beside the rounds, of any suite and in
	// any order; nil: nobody looked for them, and no row is said to have none.
	Calibrations []*record.Calibration

	// Profiles are those of the sessions, in the order of time; nil: nobody looked for them,
	// and nothing is said of there being none.
	Profiles []*record.Profile
}

// MeasurementKey names a measurement among those of all sessions.
type MeasurementKey struct {
	Session        string
	Round, Run     int
	Variant        string
	Mode, Scenario string
}

// KeyOf returns the key of a measurement.
func KeyOf(m *record.Measurement) MeasurementKey {
	return MeasurementKey{m.Session, m.Round, m.Run, m.Variant, m.Mode, m.Scenario}
}

// body is evidence in order: which rounds form the table, and which repeat it.
type body struct {
	sessions map[string]*record.Session
	rounds   []*record.Round // of the table, in the order of time
	first    *record.Session // of the table; nil: not known
	plan     *record.Plan    // of first; nil: not known
	repeats  []repeat        // in the order of time
	notes    []string        // what a reader has to know about the choice
	faults   []string        // why nothing can be judged; none: it can
	lacks    []string        // rounds that should be here too, in words
	seconds  map[MeasurementKey][]float64

	calibration calibrating
}

// repeat are the rounds of a session that repeats rows of the table, or those that a
// session of the table has added.
type repeat struct {
	plan   *record.Plan
	rounds []*record.Round
	added  int // so many rounds make the repeat whole; 0: it is a session of its own
}

// gather decides which rounds form the table. Rounds of different sessions may when
// their plans, and so their binaries, and their hosts are equal; absolute numbers of
// sessions are never compared, for every ratio is made inside one round.
func gather(e Evidence) body {
	b := body{sessions: map[string]*record.Session{}, seconds: e.Seconds}
	for _, s := range e.Sessions {
		b.sessions[s.Plan.Session] = s
	}
	var ids []string // of the table's sessions, in the order of time
	for _, r := range b.finished(e.Rounds) {
		s := b.sessions[r.Session]
		switch {
		case s != nil && s.Plan.RepeatOf != "":
			b.addRepeat(s.Plan, r)
		default:
			b.rounds = append(b.rounds, r)
			if !slices.Contains(ids, r.Session) {
				ids = append(ids, r.Session)
			}
		}
	}
	if len(b.rounds) == 0 && len(b.repeats) > 0 {
		ids = b.promote()
	}
	if len(b.rounds) == 0 {
		b.fault("no finished round")
		if len(e.Sessions) > 0 {
			b.first = e.Sessions[0]
			b.plan = b.first.Plan // which rows there should be
		}
		return b
	}
	b.checkSessions(ids)
	b.checkRepeats(ids)
	b.checkHoles()
	b.checkChoice(e)
	if len(ids) > 1 {
		b.note("rounds of sessions %s: rates of two sessions are not compared, and stand one after the other", strings.Join(ids, ", "))
	}
	if b.first = b.sessions[ids[0]]; b.first != nil {
		b.plan = b.first.Plan
	}
	return b
}

func (b *body) fault(format string, args ...any) {
	b.faults = append(b.faults, fmt.Sprintf(format, args...))
}
func (b *body) note(format string, args ...any) {
	b.notes = append(b.notes, fmt.Sprintf(format, args...))
}

// finished returns the rounds that have ended, in the order of time.
func (b *body) finished(rounds []*record.Round) []*record.Round {
	sorted := slices.SortedStableFunc(slices.Values(rounds), func(a, c *record.Round) int {
		return cmp.Or(began(a).Compare(began(c)), cmp.Compare(a.Number, c.Number))
	})
	type key struct {
		session string
		number  int
	}
	first := map[key]string{}
	var ended []*record.Round
	for _, r := range sorted {
		k := key{r.Session, r.Number}
		if dir, twice := first[k]; twice {
			b.fault("%s and %s are both round %d of session %s", dir, r.Dir, r.Number, r.Session)
			continue
		}
		first[k] = r.Dir
		if !r.Finished {
			b.note("%s is not finished and was left out", r.Dir)
			continue
		}
		ended = append(ended, r)
	}
	return ended
}

// began is when the first measurement of a round began; the zero time when none says.
func began(r *record.Round) (first time.Time) {
	for _, m := range r.Measurements {
		if !m.StartUTC.IsZero() && (first.IsZero() || m.StartUTC.Before(first)) {
			first = m.StartUTC
		}
	}
	return first
}

func (b *body) addRepeat(plan *record.Plan, r *record.Round) {
	i := slices.IndexFunc(b.repeats, func(known repeat) bool { return known.plan == plan })
	if i < 0 {
		i = len(b.repeats)
		b.repeats = append(b.repeats, repeat{plan: plan})
	}
	b.repeats[i].rounds = append(b.repeats[i].rounds, r)
}

// promote makes the first repeat the table where there is nothing that it repeats, and
// returns its session.
func (b *body) promote() []string {
	first := b.repeats[0]
	b.rounds, b.repeats = first.rounds, b.repeats[1:]
	b.note("session %s repeats %s, which is not here: it is judged alone", first.plan.Session, first.plan.RepeatOf)
	return []string{first.plan.Session}
}

// checkSessions looks whether the table's sessions measured the same thing on the
// same host.
func (b *body) checkSessions(ids []string) {
	first := b.sessions[ids[0]]
	for _, id := range ids[1:] {
		other := b.sessions[id]
		if first == nil || other == nil {
			b.fault("rounds of sessions %s and %s: without both sessions' directories nobody knows whether they measured the same", ids[0], id)
			continue
		}
		if first.Plan.Hash != other.Plan.Hash {
			b.fault("sessions %s and %s have different plans: other variants, binaries, scenarios or settings", ids[0], id)
		}
		if facts := hostsDiffer(first.Host, other.Host); facts != "" {
			b.fault("sessions %s and %s are of different hosts: %s", ids[0], id, facts)
		}
	}
}

// hostsDiffer names the facts in which two hosts differ; "" when their fingerprints
// are equal.
func hostsDiffer(a, b *record.Host) string {
	if a.Fingerprint() == b.Fingerprint() {
		return ""
	}
	var facts []string
	for _, d := range a.Differences(b) {
		facts = append(facts, fmt.Sprintf("%s (%s, %s)", d.What, d.Base, d.New))
	}
	return strings.Join(facts, ", ")
}

// checkRepeats leaves out what repeats other tables, and what was measured otherwise
// than this one. Chains are followed: a repeat may repeat a repeat.
func (b *body) checkRepeats(ids []string) {
	family := slices.Clone(ids)
	var kept []repeat
	for _, r := range b.repeats {
		if why := cmp.Or(b.refuseRepeat(r.plan, family), hole(given(r.rounds)[r.plan.Session])); why != "" {
			b.note("session %s %s, and was left out", r.plan.Session, why)
			continue
		}
		family = append(family, r.plan.Session)
		kept = append(kept, r)
	}
	b.repeats = kept
}

// refuseRepeat tells why a session is no repeat of the sessions of a family, whose
// first is the table's; "" when it is. Its plan has other scenarios, so that hashes
// cannot tell; its binaries are looked at row by row.
func (b *body) refuseRepeat(plan *record.Plan, family []string) string {
	if !slices.Contains(family, plan.RepeatOf) {
		return "repeats " + plan.RepeatOf + ", which is not in this table"
	}
	first := b.sessions[family[0]]
	if first == nil {
		return "repeats " + family[0] + ", of which nothing is known"
	}
	if a, c := first.Plan, plan; a.WarmupSeconds != c.WarmupSeconds || a.MeasureSeconds != c.MeasureSeconds || a.Preset != c.Preset {
		return fmt.Sprintf("was measured otherwise (preset %q, %v s + %v s; not %q, %v s + %v s)",
			c.Preset, c.WarmupSeconds, c.MeasureSeconds, a.Preset, a.WarmupSeconds, a.MeasureSeconds)
	}
	if facts := hostsDiffer(first.Host, b.sessions[plan.Session].Host); facts != "" {
		return "is of another host: " + facts
	}
	return ""
}
