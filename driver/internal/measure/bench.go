package measure

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/scalws/scalbench/internal/certs"
	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/internal/serverproc"
	"github.com/scalws/scalbench/internal/suite"
)

// Config is what a session says of all its measurements. It is plain data but for Say.
type Config struct {
	Session string       // id
	Suite   *suite.Suite // of the variants and scenarios, with the sources of their configurations
	Seed    uint64       // of what is random: ports, and the length of the pad

	// Exe is this program: what the command "scalbench" stands for, the generator (with
	// "load") and the supervisor of servers (with "supervise").
	Exe string
	// Work is a directory for what servers need while they run. It exists, nothing else
	// is in it, and every user that a variant runs as can reach it: results often lie
	// where only their owner can go.
	Work string
	// Twins are how variants run that are twins of another; of others there is nothing.
	Twins map[string]Twin
	// Environ is the environment of this process, KEY=value, of which servers get a few.
	Environ []string

	// Say is told in a line what goes on, from the caller's goroutine; nil: nobody.
	Say func(line string)
}

// Validate reports everything that is wrong with the configuration, without looking at
// the host.
func (c Config) Validate() error {
	var faults []error
	need := func(ok bool, text string) {
		if !ok {
			faults = append(faults, errors.New(text))
		}
	}
	need(c.Session != "", "session: no id")
	need(c.Suite != nil, "suite: none")
	need(filepath.IsAbs(c.Exe), fmt.Sprintf("exe: %q, expected a path from the root", c.Exe))
	need(filepath.IsAbs(c.Work), fmt.Sprintf("work: %q, expected a path from the root", c.Work))
	return errors.Join(faults...)
}

// Bench is what is the same for all measurements of a session. One goroutine uses it.
type Bench struct {
	config    Config
	placement Placement
	allowed   cpuset.Set // CPUs that this process may use
	aside     bool       // it has only some of them for now
	clock     mono.Clock
	observer  *serverproc.Observer

	certs *certs.Set // of all servers; nil: none has asked for it yet
	// expects are the resolved expectations by variant: what is executed later must be
	// the file that was there at first.
	expects map[string]serverproc.Expect
	copies  map[string]string // of the programs of twins, by variant; their paths
	starts  uint64            // how many servers were started, which names their directories
	draws   uint64            // how often ports were drawn
}

// NewBench makes the bench of a session. The error is that of the configuration, or that
// the suite's CPUs are not those that this process may use.
func NewBench(c Config) (*Bench, error) {
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	allowed, err := cpuset.Allowed()
	if err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	placement, err := ChoosePlacement(c.Suite.Placement, allowed, needsUpstream(c.Suite))
	if err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	clock, err := mono.NewClock()
	if err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	if err := os.Chmod(c.Work, 0o711); err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	copies, err := copyPrograms(c.Twins, c.Work)
	if err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	return &Bench{config: c, placement: placement, allowed: allowed, clock: clock, observer: serverproc.NewObserver(procDir), expects: map[string]serverproc.Expect{}, copies: copies}, nil
}

// procDir is where the kernel tells about processes.
const procDir = "/proc"

// Placement returns which CPUs are whose.
func (b *Bench) Placement() Placement { return b.placement }

// say tells what goes on.
func (b *Bench) say(format string, args ...any) {
	if b.config.Say != nil {
		b.config.Say(fmt.Sprintf(format, args...))
	}
}
