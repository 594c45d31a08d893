package driver

import (
	"io/fs"
	"time"
)

// Surroundings are what an order does not say because it is no data. The zero value
// knows no suite by its name and tells nobody anything.
type Surroundings struct {
	// Files has the suites that have names, as suites/NAME.yaml, and what they are made
	// of; nil: there are none.
	Files fs.FS

	// Environ is the environment of this process, KEY=value: servers get a few of it,
	// and it tells where users have their locks.
	Environ []string

	Observer Observer

	// Look judges the rounds of a session that are done, after each of them: which rows
	// need no more rounds. Judging is not the driver's: whoever may judge gives this
	// function. nil: nothing is ever decided.
	Look func(Files) (Looked, error)

	// Failed judges a session whose rounds are done: the rows that a gate fails, which are
	// profiled where only those are to be. nil: nobody judges, and no row fails.
	Failed func(Files) ([]Row, error)
}

// Looked is what a look at the rounds that are done says of rows. Those of which it says
// nothing go on.
type Looked struct {
	Decided []Verdict // no more rounds are needed
	First   []Row     // the next round measures these before the others
}

// Verdict is what is said of a row that is decided, of all its comparisons.
type Verdict struct {
	Row  Row
	Text string // such as "new/base PASS"; not ""
}

// Row is a line of the tables: a scenario in a mode, which may be "".
type Row struct{ Mode, Scenario string }

// Files are where the results of a session are.
type Files struct {
	Session string   // its directory, NAME.session
	Rounds  []string // the directories of its finished rounds, in order
}

// Observer is told what goes on. Its functions are called by the goroutine that runs
// the session, between measurements; a nil one is not called.
type Observer struct {
	// Say takes a line for people: what is waited for, what could not be done.
	Say func(line string)
	// Began is called when a session has its directory and begins, or goes on.
	Began func(Began)
	// Measured is called for each measurement that is on disk.
	Measured func(Measured)
}

// Began is the beginning of a session, or of its going on.
type Began struct {
	Suite    string
	Dir      string // the session's
	Resumed  bool
	Progress Progress
}

// Progress is how far a session is.
type Progress struct {
	Round, Rounds int // the open round, or the last; 0: none yet
	Done, Total   int // measurements
	Left          time.Duration
}

// Measured is one measurement that was made.
type Measured struct {
	Round, Run     int
	Variant        string
	Mode, Scenario string // Mode may be ""
	Attempt        int    // from 1

	Valid      bool
	Reason     string // of one that is not valid
	Interfered bool
	RPS        float64 // the numbers are 0 where they are not known
	P99Millis  float64
	CPUMicros  float64 // of the server, for each request

	// Ratios are those of the comparisons of which both halves are there.
	Ratios   []Ratio
	Progress Progress
}

// Ratio is new / base of requests per second, of one run.
type Ratio struct {
	Base, New string
	RPS       float64
	SE        float64 // standard error within the run, a fraction; of two that took turns alone, else 0
}

// say tells a line.
func (o Observer) say(line string) {
	if o.Say != nil {
		o.Say(line)
	}
}

// began tells that a session begins.
func (o Observer) began(b Began) {
	if o.Began != nil {
		o.Began(b)
	}
}

// measured tells a measurement.
func (o Observer) measured(m Measured) {
	if o.Measured != nil {
		o.Measured(m)
	}
}
