package driver

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/scalws/scalbench/driver/internal/measure"
	"github.com/scalws/scalbench/driver/internal/order"
	"github.com/scalws/scalbench/driver/loadplan"
	"github.com/scalws/scalbench/internal/host"
	"github.com/scalws/scalbench/internal/suite"
)

// task is one suite of an order, with what the order changes of it.
type task struct {
	name  string // of the suite, as the order has it
	suite *suite.Suite
	twins map[string]measure.Twin // variants that are twins; none in most orders
}

// read reads all suites of the order and returns everything that is wrong with any of
// them. A suite of which Only leaves nothing is no task.
func (o Order) read(files fs.FS) ([]task, error) {
	var tasks []task
	var errs []error
	for _, name := range o.Suites {
		s, err := o.load(files, name)
		if err == nil {
			err = o.change(s)
		}
		t := task{name: name, suite: s}
		if err == nil && o.Twin != nil {
			t.twins, err = twin(s, *o.Twin)
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		tasks = append(tasks, t)
	}
	if len(errs) == 0 {
		errs = append(errs, o.choose(tasks), o.checkAttached(tasks))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	tasks = slices.DeleteFunc(tasks, func(t task) bool { return len(t.suite.Scenarios) == 0 })
	return tasks, sameTable(tasks)
}

// load reads one suite with all that it is made of.
func (o Order) load(files fs.FS, name string) (*suite.Suite, error) {
	parser := suite.Parser{Params: o.Params, CheckRate: loadplan.CheckRate}
	if isPath(name) {
		return parser.Load(name)
	}
	parser.FS = files
	if files != nil {
		s, err := parser.Load(path.Join("suites", name+".yaml"))
		if !errors.Is(err, fs.ErrNotExist) {
			return s, err
		}
	}
	return nil, noSuite(files, name)
}

// noSuite says which names there are.
func noSuite(files fs.FS, name string) error {
	var names []string
	if files != nil {
		found, _ := fs.Glob(files, "suites/*.yaml") // the pattern is right
		for _, file := range found {
			names = append(names, strings.TrimSuffix(path.Base(file), ".yaml"))
		}
	}
	err := faultf("no suite %q among those that come with the program; a file is given by its path, ./%s", name, name)
	if near := suite.Nearest(name, names); near != "" {
		return fmt.Errorf("%w; did you mean %q?", err, near)
	}
	return err
}

// change puts the order's preset and numbers over the suite's plan, and the server
// that runs in the place of its variants.
func (o Order) change(s *suite.Suite) error {
	if o.Preset != "" {
		preset, err := suite.FindPreset(o.Preset)
		if err != nil {
			return orderFault{err}
		}
		s.Plan, s.Quiet = s.Plan.With(preset), s.Quiet.With(preset)
	}
	if e := o.Edit; e != (Edit{}) {
		s.Plan = s.Plan.Edit(suite.PlanEdit{Rounds: e.Rounds, MaxRounds: e.MaxRounds, Runs: e.Runs, Warmup: e.Warmup, Measure: e.Measure})
	}
	if err := s.Plan.Validate(); err != nil {
		return orderFault{err}
	}
	if when, said := suite.ParseProfileWhen(o.Profile); said {
		s.Profile.When = when
	} else if o.Twin != nil {
		s.Profile.When = suite.ProfileNever // a variant has nothing over itself to explain
	}
	if o.Attach != "" {
		attach(s)
	}
	if o.StandIn {
		standIn(s)
	}
	var errs []error
	if len(s.Variants) == 0 {
		errs = append(errs, errors.New("it has no variants, which are what a session measures; scalbench load measures one scenario"))
	}
	if o.UntilDecided && len(s.Compare) == 0 {
		errs = append(errs, errors.New("it compares nothing, so that nothing can be decided"))
	}
	errs = append(errs, o.checkTurns(s))
	for _, r := range s.Require {
		_, err := host.ParseRequirement(r.String())
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return faultf("suite %s: %w", s.Name, err)
	}
	return nil
}

// attachedName is the variant that is a server which runs already.
const attachedName = "attached"

// attach makes the server that runs the only variant.
func attach(s *suite.Suite) {
	s.Variants = []suite.Variant{{Name: attachedName}}
	s.Compare, s.Varies, s.Helpers = nil, nil, nil
	for i := range s.Scenarios {
		s.Scenarios[i].Helpers, s.Scenarios[i].Needed = nil, suite.Needed{}
	}
}

// checkAttached refuses scenarios that would not ask the server that is attached to.
func (o Order) checkAttached(tasks []task) error {
	if o.Attach == "" {
		return nil
	}
	var errs []error
	for _, t := range tasks {
		for _, sc := range t.suite.Scenarios {
			if _, err := loadplan.At(sc, o.Attach); err != nil {
				errs = append(errs, faultf("suite %s: %w", t.suite.Name, err))
			}
		}
	}
	return errors.Join(errs...)
}

// choose keeps of every task the scenarios that the order names, and makes controls of
// those that it wants as such. A name that no suite knows is a fault.
func (o Order) choose(tasks []task) error {
	var errs []error
	for _, name := range slices.Concat(o.Only, o.Controls) {
		var known []string
		found := false
		for _, t := range tasks {
			for _, sc := range t.suite.Scenarios {
				known = append(known, sc.Name)
				found = found || isCalled(t.suite, sc, name)
			}
		}
		if !found {
			errs = append(errs, noScenario(name, known))
		}
	}
	for _, t := range tasks {
		among := func(sc suite.Scenario, names []string) bool {
			return slices.ContainsFunc(names, func(name string) bool { return isCalled(t.suite, sc, name) })
		}
		if len(o.Only) > 0 {
			t.suite.Scenarios = slices.DeleteFunc(t.suite.Scenarios, func(sc suite.Scenario) bool { return !among(sc, o.Only) })
		}
		for i, sc := range t.suite.Scenarios {
			t.suite.Scenarios[i].Control = sc.Control || among(sc, o.Controls)
		}
	}
	return errors.Join(errs...)
}

// isCalled tells whether a scenario has a name, or a row of that name with its mode in
// front. The mode may be that of a variant's instances; the scenario is measured for
// the others as well then.
func isCalled(s *suite.Suite, sc suite.Scenario, name string) bool {
	return name == sc.Name || slices.ContainsFunc(s.Variants, func(v suite.Variant) bool {
		row := order.RowOf(v, sc)
		return row.Mode != "" && name == row.Mode+"/"+row.Name
	})
}

func noScenario(name string, known []string) error {
	if near := suite.Nearest(name, known); near != "" {
		return faultf("no scenario %q; did you mean %q?", name, near)
	}
	slices.Sort(known)
	return faultf("no scenario %q; there are %s", name, strings.Join(slices.Compact(known), ", "))
}

// sameTable refuses suites whose results would go into the same directories.
func sameTable(tasks []task) error {
	seen := map[string]string{}
	for _, t := range tasks {
		table := t.suite.Host + "-" + t.suite.Table()
		if first, twice := seen[table]; twice {
			return faultf("suites %s and %s have the same name, %s: their results would be in the same place", first, t.name, t.suite.Table())
		}
		seen[table] = t.name
	}
	return nil
}
