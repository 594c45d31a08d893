package driver

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/scalws/scalbench/driver/internal/measure"
	"github.com/scalws/scalbench/driver/internal/session"
	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/internal/suite"
	"github.com/scalws/scalbench/loadgen"
)

// Beside says which two servers are to run at the same time, alike, for whoever loads
// them in turns: two variants of a suite, or what two commands start.
type Beside struct {
	Suite     string            // as in [Order]; "": Commands
	Params    map[string]string // of the suite
	Scenario  string
	Base, New string // variants

	// Commands are for the shell, which becomes the last program in them; {port} in them is a
	// free port, another for each.
	Commands [2]string
	// URL is what both are asked, with {port} for the port of each.
	URL string
	// Ready is asked until it answers, likewise; "": a connection is accepted.
	Ready string

	// Generator are the CPUs of whoever loads them; the zero value: those that the suite
	// says, or half of what there is.
	Generator cpuset.Set
}

// portPlaceholder stands for a port of each.
const portPlaceholder = "{port}"

// Validate reports everything that is wrong with it, each fault an [ErrOrder].
func (b Beside) Validate() error {
	var errs []error
	need := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, faultf(format, args...))
		}
	}
	if b.Suite != "" {
		need(b.Scenario != "", "suite %s: which scenario", b.Suite)
		need(b.Base != "" && b.New != "", "suite %s: which variants, base and new", b.Suite)
		need(b.Commands == [2]string{}, "suite %s: its variants have their commands", b.Suite)
		return errors.Join(errs...)
	}
	for i, name := range []string{"base", "new"} {
		need(strings.Contains(b.Commands[i], portPlaceholder), "command of %s: %q, expected %s where its port is", name, b.Commands[i], portPlaceholder)
	}
	u, err := b.url()
	need(err == nil && u.Hostname() == "127.0.0.1" && strings.Contains(b.URL, portPlaceholder), "URL %q: expected http[s]://127.0.0.1:%s/PATH, where they are started", b.URL, portPlaceholder)
	need(b.Ready == "" || strings.Contains(b.Ready, portPlaceholder), "ready %q: expected %s where the port is", b.Ready, portPlaceholder)
	return errors.Join(errs...)
}

// url reads URL as if the port were known.
func (b Beside) url() (*url.URL, error) {
	return url.Parse(strings.Replace(b.URL, portPlaceholder, "1", 1))
}

// suite is the suite that two commands are.
func (b Beside) suite() (*suite.Suite, error) {
	u, err := b.url()
	if err != nil {
		return nil, err
	}
	sc := suite.Scenario{Name: "ab", URL: u.RequestURI(), OfVariants: true, Connections: 1, Streams: 1, Method: "GET"}
	sc.TLS.On = u.Scheme == "https"
	s := &suite.Suite{Name: "ab", Scenarios: []suite.Scenario{sc}}
	for i, name := range []string{b.Base, b.New} {
		s.Variants = append(s.Variants, suite.Variant{
			Name: name, Command: []string{"sh", "-c", inShell(b.Commands[i])},
			Ports: []suite.Port{{Name: u.Scheme}}, Ready: suite.Ready{URL: b.Ready}, Expect: suite.Identity{Grace: time.Second},
		})
	}
	return s, nil
}

// read finds the suite with the one scenario and the two variants.
func (b Beside) read(around Surroundings) (*suite.Suite, error) {
	if err := b.Validate(); err != nil {
		return nil, err
	}
	if b.Suite == "" {
		b.Base, b.New, b.Scenario = "base", "new", "ab"
		return b.suite()
	}
	s, err := Order{Params: b.Params}.load(around.Files, b.Suite)
	if err != nil {
		return nil, err
	}
	sc, err := s.Scenario(b.Scenario)
	if err != nil {
		return nil, orderFault{err}
	}
	if sc.Load.Kind == suite.Open {
		return nil, faultf("scenario %s offers a rate, and two servers in turns are loaded in a closed loop", sc.Name)
	}
	var variants []suite.Variant
	for _, name := range []string{b.Base, b.New} {
		i := slices.IndexFunc(s.Variants, func(v suite.Variant) bool { return v.Name == name })
		if i < 0 {
			return nil, noVariant(s, name)
		}
		if lacks := s.Variants[i].Lacks(sc.Needs); len(lacks) > 0 {
			return nil, faultf("variant %s does not provide %s, which scenario %s needs", name, strings.Join(lacks, ", "), sc.Name)
		}
		variants = append(variants, s.Variants[i])
	}
	for _, p := range variants[0].Ports {
		if p.Number != 0 && slices.Contains(variants[1].Ports, p) {
			return nil, faultf("variants %s and %s both have port %d: side by side each needs its own, %s: 0", b.Base, b.New, p.Number, p.Name)
		}
	}
	s.Scenarios, s.Variants = []suite.Scenario{sc}, variants
	return s, nil
}

func noVariant(s *suite.Suite, name string) error {
	var names []string
	for _, v := range s.Variants {
		names = append(names, v.Name)
	}
	return faultf("suite %s has no variant %q; there are %s", s.Name, name, strings.Join(names, ", "))
}

// SideBySide is two servers that run, on the same CPUs, with nobody else between them.
// Stop must be called.
type SideBySide struct {
	bench    *measure.Bench
	scenario suite.Scenario
	running  []*measure.Running
	work     string
}

// StartSideBySide starts two servers, and returns when both are ready and were seen to be
// what was meant. The error wraps [ErrOrder] when what was asked for cannot be.
func StartSideBySide(ctx context.Context, b Beside, around Surroundings) (_ *SideBySide, err error) {
	s, err := b.read(around)
	if err != nil {
		return nil, err
	}
	if b.Generator != (cpuset.Set{}) {
		s.Placement.Generator = b.Generator
	}
	id, err := session.NewID(time.Now().UTC(), rand.Reader)
	if err != nil {
		return nil, err
	}
	c := measureConfig(task{suite: s}, id, around.Environ)
	if c.Exe, err = os.Executable(); err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	if c.Work, err = makeWork(id); err != nil {
		return nil, fmt.Errorf("make a directory for servers: %w", err)
	}
	side := &SideBySide{scenario: s.Scenarios[0], work: c.Work}
	defer func() {
		if err != nil {
			_, stopErr := side.Stop(context.WithoutCancel(ctx))
			err = errors.Join(err, stopErr)
		}
	}()
	if side.bench, err = measure.NewBench(c); err != nil {
		return nil, err
	}
	helpers, err := measure.Helpers(s, s.Scenarios)
	if err != nil {
		return nil, err
	}
	for _, v := range s.Variants {
		running, err := side.bench.StartVariant(ctx, v, helpers)
		if err != nil {
			return nil, err
		}
		side.running = append(side.running, running)
	}
	return side, nil
}

// Plan is how the scenario is put on both in turns, from the generator's CPUs. Slices and
// times are the caller's. Of two commands it says where to ask and whom to trust, and
// nothing of how.
func (s *SideBySide) Plan() (loadgen.Plan, error) {
	plan, err := s.bench.Plan(s.running[0], s.scenario)
	if err != nil {
		return loadgen.Plan{}, err
	}
	second, err := s.bench.Plan(s.running[1], s.scenario)
	if err != nil {
		return loadgen.Plan{}, err
	}
	plan.Targets = append(plan.Targets, second.Targets...)
	return plan, nil
}

// Stop ends both servers. A reason, "" mostly, says of each why what was measured of it is
// worth nothing: it had ended by itself.
func (s *SideBySide) Stop(ctx context.Context) (reasons [2]string, err error) {
	ctx, cancel := context.WithTimeout(ctx, stopMax)
	defer cancel()
	var errs []error
	for i, r := range s.running {
		reason, err := r.Stop(ctx)
		reasons[i] = reason
		errs = append(errs, err)
	}
	return reasons, errors.Join(append(errs, os.RemoveAll(s.work))...)
}
