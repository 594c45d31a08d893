package session

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/scalws/scalbench/internal/record"
)

// Progress is how far a session is. The zero value is that of one without a plan.
type Progress struct {
	Round   int           `json:"round"` // that is open, or was last; 0: none yet
	Rounds  int           `json:"rounds"`
	Done    int           `json:"done"`  // measurements that are decided
	Total   int           `json:"total"` // of the whole plan; not less than Done
	Invalid int           `json:"invalid"`
	Decided int           `json:"decided,omitempty"` // rows that left the plan
	Rows    int           `json:"rows,omitempty"`    // of which; 0 while none has
	Doing   string        `json:"doing,omitempty"`   // the measurement under way, [Key.String]
	Left    time.Duration `json:"left_ns"`           // warm-up, window and overhead of what is left
}

// OverheadPerMeasurement is what a measurement takes beside its warm-up and its window: to
// start, to check and to stop. The reports' sessions took 2.7 s (270 measurements, 180
// minutes of load, 192 taken) and 2.1 s (240, 160 and 168.2). They started each server once
// a run, and so it is one figure whatever the plan's restart says.
const OverheadPerMeasurement = 2500 * time.Millisecond

// overheadOfTurns is the same of each half of a pair that is measured in turns. The
// embedded target and nginx, which are up within a tenth of a second, took 0.2 to 0.4 s.
const overheadOfTurns = 500 * time.Millisecond

// Overhead is that of a session; turns: both variants of a comparison are up in it.
func Overhead(turns bool) time.Duration {
	if turns {
		return overheadOfTurns
	}
	return OverheadPerMeasurement
}

// ProgressOf tells how far a state is in its plan. A round's own order counts, where it
// has one: it lacks what this host or a variant cannot do. Pairs that were repeated
// make nothing of it longer but the time. What a stopped session did is not under way.
func ProgressOf(plan *record.Plan, s *State) Progress {
	p := Progress{Rounds: plan.Rounds}
	if len(s.Decided) > 0 {
		p.Decided, p.Rows = len(s.Decided), len(plan.Scenarios)
	}
	full, left := 0, 0 // full: of a round that has no order yet
	if s.lacksRounds(plan) {
		full = s.fullRound(plan)
	}
	for n := 1; n <= plan.Rounds; n++ {
		r, keys := s.Rounds[n], s.Keys(n)
		if r.Begun || r.Done {
			p.Round = n
		} else if len(keys) == 0 {
			p.Total += full
			left += full
			continue
		}
		p.Total += len(keys)
		for _, k := range keys {
			switch c := s.Cells[k]; {
			case c.Status == Begun:
				if s.Stopped == "" {
					p.Doing = doing(p.Doing, k)
				}
				left++
			case !c.Status.Decided():
				left++
			case c.Status == Invalid:
				p.Invalid++
			}
		}
	}
	p.Done = p.Total - left
	p.Left = time.Duration(left) * measurementTakes(plan)
	return p
}

// fullRound is how many measurements a round has that has no order yet: as many as the last
// that has one, without the rows that were decided since. Before the first nobody knows what
// the host lacks, or which variant is in which mode.
func (s *State) fullRound(plan *record.Plan) (n int) {
	last := 0
	for k := range s.Cells {
		last = max(last, k.Round)
	}
	if last == 0 {
		return plan.Runs * len(plan.Variants) * len(plan.Scenarios)
	}
	for k := range s.Cells {
		if _, decided := s.Decided[k.Row()]; k.Round == last && !decided {
			n++
		}
	}
	return n
}

// doing adds a measurement to those under way: of a pair that takes turns there are two.
func doing(others string, k Key) string {
	if others == "" {
		return k.String()
	}
	return others + " in turns with " + k.Variant
}

// measurementTakes is the time of one measurement, and runTakes that of a run of all
// variants.
func measurementTakes(plan *record.Plan) time.Duration {
	measure := plan.MeasureSeconds
	if plan.Sliced() { // it is the time of both together
		measure /= 2
	}
	return time.Duration((plan.WarmupSeconds+measure)*float64(time.Second)) + Overhead(plan.Sliced())
}

func runTakes(plan *record.Plan) time.Duration {
	return time.Duration(len(plan.Variants)*len(plan.Scenarios)) * measurementTakes(plan)
}

// String is the progress in one line: round 2 of 3, 41 of 240 measurements, about 2h10m0s left.
func (p Progress) String() string {
	text := fmt.Sprintf("round %d of %d, %d of %d measurements", p.Round, p.Rounds, p.Done, p.Total)
	if p.Invalid > 0 {
		text += fmt.Sprintf(", %d invalid", p.Invalid)
	}
	if p.Decided > 0 {
		text += fmt.Sprintf(", %d of %d rows decided", p.Decided, p.Rows)
	}
	if p.Doing != "" {
		text += ", now " + p.Doing
	}
	return text + fmt.Sprintf(", about %v left", p.Left.Round(time.Second))
}

// Look tells who holds a host, nil for nobody that can be found. It does not try the
// lock: a session that starts at this moment would find it taken.
func Look(place Place) (*Owner, Liveness) { return findOwner(place) }

// ErrEnded says that an owner is not there any more.
var ErrEnded = errors.New("process has ended")

// StopOwner asks an owner to stop, by SIGTERM, and does not wait for it. Another
// process that was given its PID is never signalled: the PID is held fast (pidfd, on
// Linux) before it is looked at. The error wraps [ErrEnded] when it is gone.
func StopOwner(proc string, o *Owner) error {
	process, err := os.FindProcess(o.PID)
	if err != nil {
		return fmt.Errorf("stop pid %d: %w", o.PID, err)
	}
	defer process.Release() // the pidfd alone; it cannot fail in a way that matters here
	switch o.Liveness(proc) {
	case Ended:
		return fmt.Errorf("stop pid %d: %w", o.PID, ErrEnded)
	case Unknown:
		return fmt.Errorf("stop pid %d: it cannot be told whether this is the process that started the session", o.PID)
	}
	err = process.Signal(syscall.SIGTERM)
	if errors.Is(err, os.ErrProcessDone) {
		err = ErrEnded
	}
	if err != nil {
		return fmt.Errorf("stop pid %d: %w", o.PID, err)
	}
	return nil
}

// AddNote appends a person's line to the journal of a session, running or not.
func AddNote(l Layout, now Now, text string) error {
	on, state, err := Read(l)
	if err != nil {
		return err
	}
	j, err := openJournal(filepath.Join(l.SessionDir(), record.JournalFile), now, state)
	if err != nil {
		return fmt.Errorf("add note: %w", err)
	}
	return joinClose(j.write(record.Event{Kind: record.Note, Session: on.Plan.Session, Text: text}), j)
}
