package driver

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/internal/host"
	"github.com/scalws/scalbench/internal/procfs"
	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/suite"
)

// flagNoisy is what is measured on a host that did not become quiet.
const flagNoisy = "noisy-host"

// flagDriverOnSets is what is measured where the driver, and what it looks at the host with,
// have no CPU of their own.
const flagDriverOnSets = "driver-on-sets"

// pressureFrac is the share of time in which tasks may wait for a CPU on a quiet host.
const pressureFrac = 0.01

// hastyWatch is how long the host is watched for a session that waits for nothing, as
// those of tests do. What it misses would cost them more than what they measure.
const hastyWatch = 100 * time.Millisecond

// prepare makes what a sitting measures with, and holds the host against what it needs.
func (d *driver) prepare(ctx context.Context, t task, id string) (*sitting, error) {
	if err := d.endOrphans(); err != nil {
		return nil, err
	}
	m, err := d.measurerOf(t, id)
	if err != nil {
		return nil, err
	}
	s := &sitting{driver: d, task: t, measurer: m}
	if err := s.examine(ctx); err != nil {
		return nil, errors.Join(err, m.close())
	}
	return s, nil
}

// measurerOf is that of a session by its id.
func (d *driver) measurerOf(t task, id string) (measurer, error) {
	config := measureConfig(t, id, d.around.Environ)
	if d.order.Attach != "" {
		config.Say = d.around.Observer.say
	}
	return d.rig.measurer(config, d.order.Attach)
}

// endOrphans tells what earlier sessions have left running, and ends it when asked to.
// What is left may load the host, which the examination tells, and may have a port,
// which the start of a server tells. Nothing of the session is running yet, so that what
// has its token was left by an earlier sitting of it.
func (d *driver) endOrphans() error {
	orphans, err := d.rig.orphans("")
	if err != nil {
		return err
	}
	for _, o := range orphans {
		what := " is still running; --reap ends it"
		if d.order.Reap {
			what = " was still running and is ended"
		}
		d.around.Observer.say(o.String() + what)
	}
	if d.order.Reap {
		return d.rig.reap(orphans)
	}
	return nil
}

// examine holds the host against what the suite needs, tells what has to be known, and
// keeps the flags for the rows.
func (s *sitting) examine(ctx context.Context) error {
	sets, shared := s.measurer.sets()
	findings, err := s.rig.examine(ctx, needOf(s.suite, sets, shared, s.order.results()))
	if err != nil {
		return err
	}
	for _, f := range findings {
		if f.Level == host.Warn {
			s.observer().say("warning: " + f.Check + ": " + f.Text)
		}
	}
	s.flags = host.Flags(findings)
	if err := refusedBy(findings); err != nil {
		return err
	}
	moved, err := s.measurer.moveAside()
	if err == nil && !moved {
		s.flags = append(s.flags, flagDriverOnSets)
	}
	return err
}

// needOf is what a suite needs of a host.
func needOf(s *suite.Suite, sets []host.Set, shared bool, results string) host.Need {
	need := host.Need{Sets: sets, MayOverlap: shared, ResultsDir: results}
	if s.Quiet.Timeout == 0 {
		need.Watch = hastyWatch
	}
	for _, sc := range s.Scenarios {
		need.Connections = max(need.Connections, sc.Connections)
	}
	if s.Plan.Interleave == suite.Sliced {
		need.Connections *= 2 // to both servers, which are up
	}
	need.Ports = portsOf(s)
	for _, r := range s.Require {
		need.Require = append(need.Require, r.String())
	}
	return need
}

// portsOf are the ports that the suite fixes for its variants and helpers, each once:
// variants run one after the other, or have different ones.
func portsOf(s *suite.Suite) (ports []host.Port) {
	add := func(network procfs.Network, number int) {
		port := host.Port{Network: network, Number: uint16(number)}
		if number != 0 && !slices.Contains(ports, port) {
			ports = append(ports, port)
		}
	}
	for _, v := range s.Variants {
		for _, p := range v.Ports {
			add(procfs.TCP, p.Number)
			if p.Name == "https" && slices.ContainsFunc(s.Scenarios, func(sc suite.Scenario) bool {
				return sc.HTTP == suite.HTTP3 && strings.HasPrefix(sc.URL, "/") && len(v.Lacks(sc.Needs)) == 0
			}) {
				add(procfs.UDP, p.Number)
			}
		}
	}
	helpers := slices.Clone(s.Helpers)
	for _, sc := range s.Scenarios {
		helpers = append(helpers, sc.Helpers...)
	}
	for _, h := range helpers {
		for _, p := range h.Ports {
			add(procfs.TCP, p.Number)
		}
		if u, err := url.Parse(h.Ready.URL); err == nil && (u.Hostname() == "localhost" || strings.HasPrefix(u.Hostname(), "127.")) {
			number, _ := strconv.Atoi(u.Port()) // a placeholder is one of the ports above
			add(procfs.TCP, number)
		}
	}
	return ports
}

// hostOf is the fingerprint as a session keeps it.
func hostOf(f host.Facts) *record.Host {
	return &record.Host{Name: f.Name, BootID: f.BootID, Fixed: f.Fixed, Now: f.Now}
}

// awaitQuiet waits until the host is quiet, as long as the plan waits. A session that
// gives verdicts of record is refused on a host that does not become quiet; others go
// on, and their rows say so.
func (s *sitting) awaitQuiet(ctx context.Context, round int) error {
	s.noisy = false
	q := s.suite.Quiet
	if q.Timeout == 0 {
		return nil // not at all: one look takes longer than a test
	}
	sets, _ := s.measurer.sets()
	condition := host.Condition{Load1: q.Load1, BusyFrac: q.BusyFrac, PressureFrac: pressureFrac, CPUs: union(sets), Timeout: q.Timeout}
	var noted bool
	var noteErr error
	wait, err := s.rig.waitQuiet(ctx, condition, func(line string) {
		if !noted { // one line in the journal for a wait, whatever it takes
			noted, noteErr = true, s.session.Waiting(round, line)
		}
		s.observer().say(line)
	})
	switch {
	case err != nil:
		return err
	case noteErr != nil:
		return noteErr
	case wait.Quiet:
		return nil
	case s.suite.Plan.OfRecord:
		return &RefusedError{[]string{fmt.Sprintf("it did not become quiet within %v: %s", q.Timeout, wait.Why)}}
	}
	s.noisy = true
	s.observer().say("warning: the host is not quiet, what is measured is flagged " + flagNoisy + ": " + wait.Why)
	return nil
}

func union(sets []host.Set) cpuset.Set {
	var all cpuset.Set
	for _, set := range sets {
		all = all.Union(set.CPUs)
	}
	return all
}

// rowFlags are those of everything that is measured now.
func (s *sitting) rowFlags() []string {
	flags := slices.Clone(s.flags)
	if s.driver.order.StandIn {
		flags = append(flags, standInFlag)
	}
	if s.noisy {
		flags = append(flags, flagNoisy)
	}
	return flags
}
