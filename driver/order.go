package driver

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/scalws/scalbench/driver/loadplan"
	"github.com/scalws/scalbench/internal/suite"
)

// ErrOrder says that an order asks for what cannot be: it is wrong whatever the host
// is like.
var ErrOrder = errors.New("invalid order")

// orderFault is one thing that is wrong with an order.
type orderFault struct{ error }

// Is makes errors.Is find [ErrOrder].
func (f orderFault) Is(target error) bool { return target == ErrOrder }

// Unwrap returns what it is made of.
func (f orderFault) Unwrap() error { return f.error }

func faultf(format string, args ...any) error { return orderFault{fmt.Errorf(format, args...)} }

// Order says what to measure, and with which changes to what the suites say. It is
// plain data: the same after a round trip through JSON, which is how a session keeps
// it. The zero value of a field leaves it to the suites.
type Order struct {
	// Suites are paths of files, or names of suites in [Surroundings].Files, which have
	// neither a dot nor a slash. All are measured under one lock, in this order.
	Suites []string          `json:"suites"`
	Params map[string]string `json:"params,omitempty"` // values of the suites' params

	Preset string `json:"preset,omitempty"` // put over the suites' plans
	Edit   Edit   `json:"edit,omitzero"`    // put over that

	// Only are the scenarios to measure, as SCENARIO, of all modes, or MODE/SCENARIO;
	// none: all.
	Only []string `json:"only,omitempty"`

	// Controls are scenarios, named likewise, that are controls in this session, whatever the
	// suite says: they are expected to show no difference.
	Controls []string `json:"controls,omitempty"`

	// Attach is the URL of a server that runs already, http or https and no path: it is
	// the only variant, nothing is started, and nothing is known of it.
	Attach string `json:"attach,omitempty"`

	// StandIn has the embedded target play the server of every variant: what is measured
	// is this program and the host, and says nothing about those servers.
	StandIn bool `json:"stand_in,omitempty"`

	// Twin measures one variant against itself instead of what the suite compares; nil:
	// it does not.
	Twin *Twin `json:"twin,omitempty"`

	Results  string `json:"results,omitempty"`   // directory of results; "": results
	Name     string `json:"name,omitempty"`      // what its directories begin with; "": HOST-SUITE. One suite only
	LockPath string `json:"lock_path,omitempty"` // "": the host's
	// LockSocket is the name of the second guard of the lock, in the abstract namespace;
	// "": the host's. Only who takes another lock altogether has another.
	LockSocket string `json:"lock_socket,omitempty"`
	RepeatOf   string `json:"repeat_of,omitempty"` // id of the session whose rows it measures again
	// Rates are what session RatesOf has found of loads that are a share of what a server can
	// do, whose rows are measured once more. What is not among them is measured.
	Rates   []Rate `json:"rates,omitempty"`
	RatesOf string `json:"rates_of,omitempty"`

	Wait         bool      `json:"wait,omitempty"`    // for the lock, rather than to fail when another has it
	StartAt      time.Time `json:"start_at,omitzero"` // nothing begins before; zero: at once
	Until        time.Time `json:"until,omitzero"`    // no run begins that would not be over by then; zero: no end
	Reap         bool      `json:"reap,omitempty"`    // end what earlier sessions have left running
	UntilDecided bool      `json:"decided,omitempty"` // rows leave once [Surroundings].Look says so, after the plan's rounds at the earliest
	Command      []string  `json:"command,omitempty"` // what others are told who find the host busy

	Syscalls bool `json:"syscalls,omitempty"` // count system calls in a pass of their own after the rounds

	// Profile is which rows are profiled in a pass of its own after the rounds: always,
	// on-fail or never; "": as the suites say.
	Profile string `json:"profile,omitempty"`
}

// Twin is the order of a calibration: a variant, and its twin under a second name, that
// runs from a copy of its program at another path.
type Twin struct {
	Of       string `json:"of,omitempty"`        // variant; "": the base of the suite's first comparison, or its first variant
	SameFile bool   `json:"same_file,omitempty"` // no copy, for programs that must lie where they lie

	// BurdenFrac is the share of each of the server's CPUs that a spin loop takes while
	// the twin is measured, below 1; 0: none. With one it is a positive control: a gate that
	// does not fail the twin would not see such a loss.
	BurdenFrac float64 `json:"burden,omitempty"`
}

// Edit changes the numbers of a plan; nil: as it is.
type Edit struct {
	Rounds    *int           `json:"rounds,omitempty"`
	MaxRounds *int           `json:"max_rounds,omitempty"` // rounds of a session until all is decided
	Runs      *int           `json:"runs,omitempty"`       // of each variant in a round
	Warmup    *time.Duration `json:"warmup_ns,omitempty"`
	Measure   *time.Duration `json:"measure_ns,omitempty"`
}

// defaultResults is where results go.
const defaultResults = "results"

// Validate returns everything that is wrong with the order by itself, joined;
// errors.Is finds [ErrOrder]. What only the suites can tell is told when they are read.
func (o Order) Validate() error {
	var faults []error
	wrong := func(format string, args ...any) {
		faults = append(faults, faultf(format, args...))
	}
	if len(o.Suites) == 0 {
		wrong("no suite")
	}
	seen := map[string]bool{}
	for _, name := range o.Suites {
		if clean := filepath.Clean(name); seen[clean] {
			wrong("suite %s is there twice", name)
		} else {
			seen[clean] = true
		}
	}
	if o.Name != "" && len(o.Suites) > 1 {
		wrong("name %s: one name for %d suites", o.Name, len(o.Suites))
	}
	if !o.Until.IsZero() && !o.StartAt.IsZero() && !o.Until.After(o.StartAt) {
		wrong("until %s, which is not after the start at %s", clockText(o.Until), clockText(o.StartAt))
	}
	if o.Twin != nil && !(o.Twin.BurdenFrac >= 0 && o.Twin.BurdenFrac < 1) {
		wrong("burden %v, expected a share of a CPU below 1, or 0 for none", o.Twin.BurdenFrac)
	}
	if o.Twin != nil && o.Attach != "" {
		wrong("attach %s: a server that runs already has no twin", o.Attach)
	}
	faults = append(faults, o.checkProfile())
	if o.Attach != "" {
		if err := loadplan.CheckBase(o.Attach); err != nil {
			wrong("%w", err)
		}
	}
	if o.Attach != "" && o.StandIn {
		wrong("attach %q and a stand-in: a server that runs needs nobody to play it", o.Attach)
	}
	return errors.Join(faults...)
}

// checkProfile refuses what is no word for which rows are profiled.
func (o Order) checkProfile() error {
	if _, known := suite.ParseProfileWhen(o.Profile); !known && o.Profile != "" {
		return faultf("profile %q, expected always, on-fail or never", o.Profile)
	}
	return nil
}

// clockText is a time of the next day or two.
func clockText(t time.Time) string { return t.Format("2006-01-02 15:04") }

// results is where results go.
func (o Order) results() string {
	if o.Results == "" {
		return defaultResults
	}
	return o.Results
}

// kept is the order of one suite as its session keeps it, to be resumed from
// anywhere: of itself alone, with a path that any working directory finds. Times are
// of the night in which it was given.
func (o Order) kept(suite string) (Order, error) {
	o.Suites = []string{suite}
	o.Name, o.Results, o.StartAt, o.Until, o.Wait, o.Reap, o.Command = "", "", time.Time{}, time.Time{}, false, false, nil
	if isPath(suite) {
		path, err := filepath.Abs(suite)
		if err != nil {
			return Order{}, err
		}
		o.Suites[0] = path
	}
	return o, nil
}

// text is the form in which a session keeps the order.
func (o Order) text() ([]byte, error) {
	text, err := json.MarshalIndent(o, "", "  ")
	return append(text, '\n'), err
}

// isPath tells a path from the name of a suite.
func isPath(suite string) bool { return strings.ContainsAny(suite, "./") }
