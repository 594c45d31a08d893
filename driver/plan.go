package driver

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/scalws/scalbench/driver/internal/order"
	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/serverproc"
	"github.com/scalws/scalbench/internal/suite"
)

// planOf says in a record what a suite with an order's changes is going to measure.
// The session's id and time are the caller's.
func planOf(s *suite.Suite, o Order, hostName string) (*record.Plan, error) {
	p := &record.Plan{
		Suite: s.Table(), Host: s.Host, Preset: s.Plan.Preset, RepeatOf: o.RepeatOf,
		Rounds: s.Plan.Rounds, Runs: s.Plan.Runs,
		WarmupSeconds: s.Plan.Warmup.Seconds(), MeasureSeconds: s.Plan.Measure.Seconds(),
		Order: s.Plan.Order.String(), Shuffle: s.Plan.Shuffle, Interleave: s.Plan.Interleave.String(), Restart: s.Plan.Restart.String(), Seed: s.Plan.Seed,
		Gate: gateOf(s.Gate), Varies: s.Varies,
	}
	if s.Profile.When != suite.ProfileNever {
		p.Profile = s.Profile.When.String()
	}
	if p.Rounds = o.mostRounds(s); o.looks(s) {
		p.Gate.LooksFrom, p.Gate.MaxRounds = s.Plan.Rounds, p.Rounds
	}
	if o.StandIn {
		p.StandIn = standInNote
	}
	if p.Host == "" {
		p.Host = asName(hostName)
	}
	for _, param := range s.Params {
		if p.Params == nil {
			p.Params = map[string]string{}
		}
		p.Params[param.Name] = param.Value
	}
	for _, v := range s.Variants {
		planned, err := variantOf(v)
		if err != nil {
			return nil, err
		}
		p.Variants = append(p.Variants, planned)
	}
	for _, row := range order.Rows(s.Variants, s.Scenarios) {
		i := slices.IndexFunc(s.Scenarios, func(sc suite.Scenario) bool { return sc.Name == row.Name && (sc.Mode == "" || sc.Mode == row.Mode) })
		sc := s.Scenarios[i]
		p.Scenarios = append(p.Scenarios, record.PlanScenario{Name: row.Name, Mode: row.Mode, Bound: sc.Bound.String(), Control: sc.Control, Expected: sc.Expected,
			Margin: valueOf(sc.Margin), Needs: sc.Needs, Varies: sc.Varies})
	}
	for _, c := range s.Compare {
		p.Compare = append(p.Compare, record.PlanComparison(c))
	}
	p.Sources = sourcesOf(s)
	return p, nil
}

// gateOf is the rule that the suite asks for.
func gateOf(g suite.Gate) record.PlanGate {
	return record.PlanGate{
		Policy: g.Policy.String(), MaxMarginFrac: valueOf(g.MaxMargin), MinRatio: valueOf(g.MinRatio), MarginFrac: valueOf(g.Margin),
		Alpha: valueOf(g.Alpha), Spend: g.Spend.String(), Interval: g.Interval.String(), Inconclusive: g.OnInconclusive.String(),
		P99Max: valueOf(g.Limits.P99), P999Max: valueOf(g.Limits.P999), RSSMax: valueOf(g.Limits.RSS), CPUMax: valueOf(g.Limits.CPU),
	}
}

// valueOf is a number that a suite says, or none.
func valueOf(x *float64) record.Value {
	if x == nil {
		return record.Value{}
	}
	return record.Of(*x)
}

// variantOf is a variant with the facts of its program.
func variantOf(v suite.Variant) (record.PlanVariant, error) {
	planned := record.PlanVariant{Name: v.Name, Command: v.Command, Provides: v.Provides, About: v.About}
	if len(v.Command) == 0 {
		return planned, nil // it is attached to
	}
	if lacks(suite.Needed{}, programsOf(v)...) != "" {
		return planned, nil // it is not run
	}
	path, err := programOf(v)
	if err != nil {
		return planned, fmt.Errorf("variant %s: %w", v.Name, err)
	}
	b, err := serverproc.ReadBinary(path)
	if err != nil {
		return planned, fmt.Errorf("variant %s: %w", v.Name, err)
	}
	binary := binaryOf(b)
	planned.Binary = &binary
	return planned, nil
}

// binaryOf is what records have of a program.
func binaryOf(b serverproc.Binary) record.Binary {
	return record.Binary{Path: b.Path, SHA256: b.SHA256, Bytes: b.Bytes, Libc: b.Libc, Newest: b.Newest, Linkage: b.Linkage,
		BuildID: b.BuildID, Compiler: b.Compiler}
}

// ownProgram is what a suite calls this program.
const ownProgram = "scalbench"

// programOf is the file of the program that a variant runs: what it is expected to
// be, where the suite says so, for a command may be a wrapper; else the command's.
func programOf(v suite.Variant) (string, error) {
	program := v.Command[0]
	switch {
	case v.Expect.Exe != "":
		program = v.Expect.Exe
	case program == ownProgram:
		return os.Executable()
	}
	return exec.LookPath(program)
}

// sourcesOf are the files of the suite, by their places beside the suite's own, for where
// all of them lie does not matter; and those that commands name.
func sourcesOf(s *suite.Suite) []record.Source {
	var sources []record.Source
	for _, source := range s.Sources {
		place, err := filepath.Rel(filepath.Dir(s.Sources[0].Path), source.Path)
		if err != nil { // one is relative, the other is not
			place = source.Path
		}
		sources = append(sources, record.Source{Path: filepath.ToSlash(place), SHA256: source.SHA256()})
	}
	return append(sources, hashed(namedFiles(s), sources)...)
}

// asName makes a host's name one that directories can have.
func asName(host string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '_', r == '-':
			return r
		}
		return '-'
	}, host)
	if name = strings.TrimLeft(name, "."); name == "" {
		return "host"
	}
	return name
}

// freshName is a name for another session beside that of a table, table-repeat-1 and
// so on: the first that has no directory in results.
func freshName(results, table string) (string, error) {
	for n := 1; ; n++ {
		name := fmt.Sprintf("%s-repeat-%d", table, n)
		_, err := os.Lstat(filepath.Join(results, name+".session"))
		if os.IsNotExist(err) {
			return name, nil
		}
		if err != nil {
			return "", err
		}
	}
}

// planDifference says in what a plan is not the one that it was; "" when it is.
func planDifference(was, is *record.Plan) string {
	if was.Hash == is.ComputeHash() {
		return ""
	}
	now := map[string]string{}
	for _, source := range is.Sources {
		now[source.Path] = source.SHA256
	}
	for _, source := range was.Sources {
		if hash, there := now[source.Path]; !there {
			return source.Path + " is no part of the suite any more"
		} else if hash != source.SHA256 {
			return source.Path + " has changed"
		}
	}
	for i, v := range was.Variants {
		if i >= len(is.Variants) {
			break
		}
		switch before, after := v.Binary, is.Variants[i].Binary; {
		case before == nil && after != nil:
			return "the program of variant " + v.Name + ", " + after.Path + ", was not there when the session began"
		case before != nil && after == nil:
			return "the program of variant " + v.Name + ", " + before.Path + ", is not there any more"
		case before != nil && before.SHA256 != after.SHA256:
			return "the program of variant " + v.Name + ", " + before.Path + ", has changed"
		}
	}
	for _, source := range is.Sources {
		if !slices.ContainsFunc(was.Sources, func(s record.Source) bool { return s.Path == source.Path }) {
			return source.Path + " is a part of the suite that was not there when the session began"
		}
	}
	return "the plan made of the same files is another"
}
