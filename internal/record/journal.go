package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// JournalFile is the file of what happened in a session.
const JournalFile = "journal.ndjson"

// EventKind is what happened.
type EventKind string

// The kinds of events. The first block is about the session, the second about a
// round, the third about a row, the last about one measurement, in the order in which
// it passes through them: planned, started, measured, then valid or invalid; an invalid
// one may start again as the next attempt.
const (
	SessionStarted EventKind = "session_started"
	SessionResumed EventKind = "session_resumed" // after a crash or a stop
	SessionStopped EventKind = "session_stopped" // by a signal or `stop`; Text says which
	SessionDone    EventKind = "session_done"    // Text: that its rows were decided before the last round
	Note           EventKind = "note"            // a line that a person added; Text

	RoundWaiting EventKind = "round_waiting" // for a quiet host; Text says for what
	RoundStarted EventKind = "round_started" // Text: what was not as wished, such as noisy-host
	RoundDone    EventKind = "round_done"
	RoundAborted EventKind = "round_aborted" // Text says why

	// RowDecided: after this round the row was decided and left the plan, so that later
	// rounds lack it; Text says as what.
	RowDecided EventKind = "decided"

	Planned  EventKind = "planned"
	Started  EventKind = "started"
	Measured EventKind = "measured"
	Accepted EventKind = "valid"
	Rejected EventKind = "invalid" // Text is the reason
)

// What an event must name.
const (
	ofSession = iota
	ofRound
	ofRow
	ofMeasurement
)

// eventKinds says what each kind must name, and whether it must have a text.
var eventKinds = map[EventKind]struct {
	of       int
	needText bool
}{
	SessionStarted: {ofSession, false}, SessionResumed: {ofSession, false},
	SessionStopped: {ofSession, true}, SessionDone: {ofSession, false}, Note: {ofSession, true},
	RoundWaiting: {ofRound, true}, RoundStarted: {ofRound, false}, RoundDone: {ofRound, false}, RoundAborted: {ofRound, true},
	RowDecided: {ofRow, true},
	Planned:    {ofMeasurement, false}, Started: {ofMeasurement, false}, Measured: {ofMeasurement, false},
	Accepted: {ofMeasurement, false}, Rejected: {ofMeasurement, true},
}

// Event is one line of a journal.
type Event struct {
	UTC     time.Time `json:"utc"`
	MonoNS  int64     `json:"mono_ns"` // CLOCK_MONOTONIC
	Session string    `json:"session"`
	Kind    EventKind `json:"event"`

	Round    int    `json:"round,omitempty"` // from 1; 0: about the session
	Run      int    `json:"run,omitempty"`   // from here on: of a measurement, or as far as they name it of a row
	Slot     int    `json:"slot,omitempty"`
	Variant  string `json:"variant,omitempty"`
	Mode     string `json:"mode,omitempty"`
	Scenario string `json:"scenario,omitempty"`
	Attempt  int    `json:"attempt,omitempty"` // from 1

	Text string `json:"text,omitempty"`
}

// faults tells what an event lacks.
func (e *Event) faults() []string {
	kind, known := eventKinds[e.Kind]
	if !known {
		return []string{fmt.Sprintf("unknown event %q", e.Kind)}
	}
	var texts []string
	if !IsName(e.Session) {
		texts = append(texts, fmt.Sprintf("session %q, %s", e.Session, nameRule))
	}
	if kind.of >= ofRound && e.Round < 1 {
		texts = append(texts, fmt.Sprintf("%s without a round", e.Kind))
	}
	if kind.of == ofRow && !IsName(e.Scenario) {
		texts = append(texts, fmt.Sprintf("%s without a scenario", e.Kind))
	}
	if kind.of == ofMeasurement && (e.Run < 1 || e.Attempt < 1 || !IsName(e.Variant) || !IsName(e.Scenario)) {
		texts = append(texts, fmt.Sprintf("%s without run, attempt, variant or scenario", e.Kind))
	}
	if kind.needText && e.Text == "" {
		texts = append(texts, fmt.Sprintf("%s without a text", e.Kind))
	}
	return texts
}

// AppendEvent writes one event as a line, in one Write: what a crash leaves is
// whole lines and at most the beginning of one. The caller syncs.
func AppendEvent(out io.Writer, e Event) error {
	if texts := e.faults(); len(texts) > 0 {
		return fmt.Errorf("write an event that cannot be read back: %s", strings.Join(texts, "; "))
	}
	line, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("write event: %w", err)
	}
	if _, err := out.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("write event: %w", err)
	}
	return nil
}

// Journal is what happened in a session, in order.
type Journal struct {
	Events []Event

	// Torn tells that the last line has no end: the driver died while it wrote it.
	// What it said did not happen, and a resumed session cuts it off.
	Torn bool
}

// ReadJournal reads a journal.ndjson; name is the file's, for faults. The error is a
// [Faults] with everything that is wrong; a torn last line is no fault.
func ReadJournal(in io.Reader, name string) (*Journal, error) {
	faults := &faultList{file: name}
	text, ok := readText(in, faults)
	if !ok {
		return nil, faults.err()
	}
	lines, whole := splitLines(text)
	j := &Journal{Torn: !whole}
	if j.Torn {
		lines = lines[:len(lines)-1]
	}
	for i, line := range lines {
		var e Event
		decoder := json.NewDecoder(bytes.NewReader([]byte(line)))
		if err := decoder.Decode(&e); err != nil {
			faults.at(i+1, "no JSON as expected: %s", jsonText(err))
			continue
		}
		for _, text := range e.faults() {
			faults.at(i+1, "%s", text)
		}
		if len(j.Events) > 0 && e.Session != j.Events[0].Session {
			faults.at(i+1, "session %s, but the first line has %s: two sessions wrote into one file", e.Session, j.Events[0].Session)
		}
		j.Events = append(j.Events, e)
	}
	if err := faults.err(); err != nil {
		return nil, err
	}
	return j, nil
}

// Of returns the events of one kind, in order.
func (j *Journal) Of(kind EventKind) (of []Event) {
	for i := range j.Events { // a journal of a night has thousands, and is asked for each row
		if j.Events[i].Kind == kind {
			of = append(of, j.Events[i])
		}
	}
	return of
}

// EndedDecided tells whether the session ended because its rounds had decided what was
// asked, before the last of its plan.
func (j *Journal) EndedDecided() bool {
	return slices.ContainsFunc(j.Events, func(e Event) bool { return e.Kind == SessionDone && e.Text != "" })
}

// DecidedAfter returns the round after which a row was decided; 0: it was not. An event
// counts where it can stand: after the end of its round, and before the next begins.
func (j *Journal) DecidedAfter(mode, scenario string) int {
	done, open := 0, false
	for _, e := range j.Events {
		switch e.Kind {
		case RoundStarted:
			open = true
		case RoundAborted:
			open = false
		case RoundDone:
			done, open = e.Round, false
		case RowDecided:
			if !open && e.Round == done && e.Mode == mode && e.Scenario == scenario {
				return done
			}
		}
	}
	return 0
}
