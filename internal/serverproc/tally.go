package serverproc

import (
	"fmt"
	"time"
)

// Tally counts observations: of each trait how often it was as expected. The zero
// Tally is empty. It is owned by one goroutine.
type Tally struct {
	counts [traitCount]traitTally
	// Observations after the grace, and those in which nothing was wrong.
	total, ok int
	first     *Sighting
	early     *Sighting
	errors    int
	err       error
}

// traitTally counts one trait.
type traitTally struct {
	samples, ok, early, earlyOK int
	missed, na                  string
}

// Sighting is a violation and when it was seen.
type Sighting struct {
	Age time.Duration // of the server
	Violation
}

// Count is what became of one trait: "seccomp 2, 253 samples, 253 ok".
type Count struct {
	Trait   Trait
	Expect  string // [Expect.Describe]
	Samples int    // without the early ones, and without those that could not be taken
	OK      int    // of Samples
	Early   int    // taken within the grace
	EarlyOK int    // of Early
	Missed  string // the first violation after the grace; "": none
	NA      string // why it could never be looked at; Samples and Early are 0 then
}

// Add counts an observation. One of a server that is younger than the grace is early:
// a violation in it is counted apart. That the server has ended is never early.
func (t *Tally) Add(e Expect, o Observation) {
	early := !o.Gone && o.Server.Age < e.Grace
	if !early {
		t.total++
		t.ok += count(len(Check(e, o)) == 0)
	}
	for _, f := range Findings(e, o) {
		c := &t.counts[f.Trait]
		ok := f.Wrong == ""
		switch {
		case f.NA != "" && ok:
			c.na = f.NA
			continue
		case early:
			c.early++
			c.earlyOK += count(ok)
		default:
			c.samples++
			c.ok += count(ok)
		}
		if ok {
			continue
		}
		sighting := &Sighting{o.Server.Age, Violation{f.Trait, f.Wrong}}
		if early {
			t.early = first(t.early, sighting)
			continue
		}
		t.first = first(t.first, sighting)
		if c.missed == "" {
			c.missed = f.Wrong
		}
	}
}

// AddError counts a look that failed.
func (t *Tally) AddError(err error) {
	t.errors++
	if t.err == nil {
		t.err = err
	}
}

func count(ok bool) int {
	if ok {
		return 1
	}
	return 0
}

func first(have, next *Sighting) *Sighting {
	if have != nil {
		return have
	}
	return next
}

// First is the first violation after the grace; nil: there was none.
func (t *Tally) First() *Sighting { return t.first }

// FirstEarly is the first violation within the grace, which is told and not held
// against the variant; nil: there was none.
func (t *Tally) FirstEarly() *Sighting { return t.early }

// Err is nil when every look could be taken.
func (t *Tally) Err() error {
	if t.errors == 0 {
		return nil
	}
	return fmt.Errorf("%d samples could not be taken, the first: %w", t.errors, t.err)
}

// Counts returns the traits that were looked at, in their order.
func (t *Tally) Counts(e Expect) []Count {
	var counts []Count
	for i, c := range t.counts {
		looked := c.samples+c.early > 0
		if !looked && c.na == "" {
			continue
		}
		row := Count{
			Trait: Trait(i), Expect: e.Describe(Trait(i)),
			Samples: c.samples, OK: c.ok, Early: c.early, EarlyOK: c.earlyOK, Missed: c.missed,
		}
		if !looked {
			row.NA = c.na
		}
		counts = append(counts, row)
	}
	return counts
}

// Samples returns how many observations after the grace there were, and in how many of
// them nothing was wrong, as far as it could be seen.
func (t *Tally) Samples() (ok, total int) { return t.ok, t.total }
