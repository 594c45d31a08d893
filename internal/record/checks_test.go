package record

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// What contradicts itself is neither written nor read.
func TestChecks(t *testing.T) {
	identity := func(change func(id *Identity)) func(out io.Writer) error {
		return func(out io.Writer) error {
			id := Identity{Session: "s1", Round: 1, Counts: []IdentityCount{{Variant: "on", Check: "seccomp 2", Samples: 3, OK: 3}}}
			change(&id)
			return WriteIdentity(out, &id)
		}
	}
	plan := func(change func(p *Plan)) func(out io.Writer) error {
		return func(out io.Writer) error {
			p := aPlan()
			change(p)
			return WritePlan(out, p)
		}
	}
	host := func(change func(h *Host)) func(out io.Writer) error {
		return func(out io.Writer) error {
			h := aHost()
			change(h)
			return WriteHost(out, h)
		}
	}
	event := func(change func(e *Event)) func(out io.Writer) error {
		return func(out io.Writer) error {
			e := anEvent(RoundAborted)
			change(&e)
			return AppendEvent(out, e)
		}
	}
	tests := []struct {
		name  string
		write func(out io.Writer) error
		want  string // "": written
	}{
		{"identity", identity(func(*Identity) {}), ""},
		{"identity with more hits than samples", identity(func(id *Identity) { id.Counts[0].OK = 4 }), "on, seccomp 2: 4 of 3 samples"},
		{"identity with samples of what could not be seen", identity(func(id *Identity) { id.Counts[0].NA = "not root" }), "3 samples of what could not be looked at"},
		{"identity of no round", identity(func(id *Identity) { id.Round = 0 }), "round 0"},
		{"identity with a comparison twice", identity(func(id *Identity) { id.Differs = []Differs{{Base: "a", New: "b"}, {Base: "a", New: "b"}} }), "a and b are there twice"},
		{"identity of no session", identity(func(id *Identity) { id.Session = "" }), `session ""`},
		{"plan", plan(func(*Plan) {}), ""},
		{"plan of no rounds", plan(func(p *Plan) { p.Rounds = 0 }), "rounds 0, runs 5"},
		{"plan with a variant twice", plan(func(p *Plan) { p.Variants[1].Name = "rc1-11" }), "variant rc1-11 is there twice"},
		{"plan with a scenario twice", plan(func(p *Plan) { p.Scenarios[1].Mode = "multi" }), "scenario multi/php is there twice"},
		{"plan with another bound", plan(func(p *Plan) { p.Scenarios[1].Bound = "disk" }), `scenario single/php: bound "disk"`},
		{"plan that compares what it has not", plan(func(p *Plan) { p.Compare[0].Base = "rc2" }), `compare: no variant "rc2"`},
		{"plan with a path for a suite", plan(func(p *Plan) { p.Suite = "a/b" }), `suite "a/b"`},
		{"host", host(func(*Host) {}), ""},
		{"host without a name", host(func(h *Host) { h.Name = "" }), "name: nothing"},
		{"event", event(func(*Event) {}), ""},
		{"event of no session", event(func(e *Event) { e.Session = "" }), `session ""`},
		{"event of no round", event(func(e *Event) { e.Round = 0 }), "round_aborted without a round"},
		{"event of no kind", event(func(e *Event) { e.Kind = "" }), `unknown event ""`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var out bytes.Buffer
			err := test.write(&out)
			switch {
			case test.want == "" && (err != nil || out.Len() == 0):
				t.Errorf("%v, %d bytes written", err, out.Len())
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want) || out.Len() != 0):
				t.Errorf("%v, want %q; %d bytes written", err, test.want, out.Len())
			}
		})
	}
}

// A disk that fails while it is read is no shorter file.
func TestReadFails(t *testing.T) {
	broken := errors.New("input/output error")
	in := func() io.Reader {
		return io.MultiReader(strings.NewReader("session,round\n"), iotest.ErrReader(broken))
	}
	for name, read := range map[string]func() error{
		"summary":   func() error { _, err := ReadSummary(in(), "f"); return err },
		"aggregate": func() error { _, err := ReadAggregate(in(), "f"); return err },
		"gate":      func() error { _, err := ReadGate(in(), "f"); return err },
		"journal":   func() error { _, err := ReadJournal(in(), "f"); return err },
		"plan":      func() error { _, err := ReadPlan(in(), "f"); return err },
		"rulings":   func() error { _, err := ReadRulings(in(), "f"); return err },
	} {
		t.Run(name, func(t *testing.T) { wantFaults(t, read(), "f: read: input/output error") })
	}
}
