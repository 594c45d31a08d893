package driver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/scalws/scalbench/driver/internal/measure"
	"github.com/scalws/scalbench/driver/internal/session"
	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/internal/host"
	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/internal/perf"
	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/serverproc"
	"github.com/scalws/scalbench/internal/suite"
)

// ab is a suite of two variants and two scenarios, one pair of runs in one round.
const ab = `
suite: ab
host: lab
plan: {preset: smoke}
variants:
  - {name: base, command: [sh, base], ports: {http: 0}, provides: [http]}
  - {name: new, command: [sh, new], ports: {http: 0}, provides: [http]}
scenarios:
  - {name: small, url: /small, needs: [http]}
  - {name: large, url: /large, needs: [http]}
compare: [{base: base, new: new}]
varies: [argv]
`

// lab is a host without processes, in which nothing takes time.
type lab struct {
	results string
	files   fstest.MapFS
	fake    *fake
	at      mono.Time
	said    []string
	told    []Measured
	rig     rig
	look    func(Files) (Looked, error)
	failed  func(Files) ([]Row, error)
}

// newLab has the suites given, by name.
func newLab(t *testing.T, suites map[string]string) *lab {
	t.Helper()
	l := labIn(t.TempDir(), suites)
	l.rig.place = session.Place{Path: filepath.Join(t.TempDir(), "lock"), Socket: fmt.Sprintf("scalbench-test-%d-%s", os.Getpid(), t.Name())}
	return l
}

// labIn is one with its results below a directory, and no lock yet.
func labIn(dir string, suites map[string]string) *lab {
	l := &lab{results: filepath.Join(dir, "results"), files: fstest.MapFS{}, fake: &fake{}, at: 1e9}
	for name, text := range suites {
		l.files["suites/"+name+".yaml"] = &fstest.MapFile{Data: []byte(text)}
	}
	l.fake.lab = l
	l.rig = rig{
		now: func() (time.Time, mono.Time) {
			l.at += 1e6
			return time.Date(2026, 11, 30, 21, 0, 0, 0, time.UTC).Add(time.Duration(l.at)), l.at
		},
		pause: func(ctx context.Context, d time.Duration) error {
			l.at += mono.Time(d)
			return ctx.Err()
		},
		random: bytes.NewReader(bytes.Repeat([]byte{1, 2, 3, 4, 5}, 100)),
		boot:   session.Boot{ID: "boot-1", Kernel: "6.1"}, owner: session.Owner{PID: os.Getpid(), User: "tester", Command: []string{"scalbench", "run"}},
		facts: func() host.Facts {
			return host.Facts{Name: "lab.example", BootID: "boot-1", Fixed: map[string]string{"cpu": "made up"}, Now: map[string]string{"load": "0"}}
		},
		tools: func(_ context.Context, names []string) map[string]string {
			versions := map[string]string{}
			for _, name := range names {
				versions["tool."+name] = name + " 1.0"
			}
			return versions
		},
		examine: func(context.Context, host.Need) ([]host.Finding, error) { return nil, nil },
		waitQuiet: func(context.Context, host.Condition, func(string)) (host.Wait, error) {
			return host.Wait{Quiet: true}, nil
		},
		orphans: func(string) ([]serverproc.Orphan, error) { return nil, nil },
		reap:    func([]serverproc.Orphan) error { return nil },
		perf: func(context.Context) (perf.Program, func() error, error) {
			l.fake.log = append(l.fake.log, "perf")
			return perf.Program{Events: perf.ByName}, func() error { l.fake.log = append(l.fake.log, "perf is released"); return nil }, nil
		},
		sampler: func(_ context.Context, _ string, hz int) (perf.Sampler, error) {
			l.fake.log = append(l.fake.log, "perf")
			return perf.Sampler{Stacks: true, Hz: hz}, nil
		},
	}
	l.rig.measurer = func(c measure.Config, url string) (measurer, error) {
		l.fake.suite, l.fake.url, l.fake.session = c.Suite, url, c.Session
		return l.fake, nil
	}
	return l
}

// order is one of these suites in this lab.
func (l *lab) order(suites ...string) Order { return Order{Suites: suites, Results: l.results} }

func (l *lab) surroundings() Surroundings {
	return Surroundings{Files: l.files, Look: l.look, Failed: l.failed, Observer: Observer{
		Say:      func(line string) { l.said = append(l.said, line) },
		Measured: func(m Measured) { l.told = append(l.told, m) },
	}}
}

// run does what an order says.
func (l *lab) run(ctx context.Context, o Order) (Outcome, error) {
	return runWith(ctx, o, l.surroundings(), func(Order) (*rig, error) { return &l.rig, nil })
}

// resume goes on with the session ab.
func (l *lab) resume(ctx context.Context, o Order) (Outcome, error) {
	return resumeWith(ctx, l.sessionDir(), o, l.surroundings(), func(Order) (*rig, error) { return &l.rig, nil })
}

func (l *lab) sessionDir() string { return filepath.Join(l.results, "lab-ab.session") }

// round reads a round of ab as a gate would.
func (l *lab) round(t *testing.T, n int) *record.Round {
	t.Helper()
	r, err := record.ReadRound(os.DirFS(l.results), fmt.Sprintf("lab-ab-%d", n))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// state is what the journal of ab says.
func (l *lab) state(t *testing.T) session.State {
	t.Helper()
	_, state, err := session.Read(session.Layout{Results: l.results, Table: "lab-ab"})
	if err != nil {
		t.Fatal(err)
	}
	return state
}

// fake starts and measures nothing. What happens is in log.
type fake struct {
	lab     *lab
	suite   *suite.Suite
	session string // its id
	url     string
	log     []string

	// What differs from the plain case; nil: nothing. nth counts the measurements of
	// this variant and scenario, or the starts of the variant, from 1.
	onStart   func(variant string, nth int) error
	onMeasure func(ctx context.Context, variant, scenario string, nth int, m *record.Measurement) error
	onStop    func(variant string) (reason string, err error)
	onCount   func(ctx context.Context, variant, scenario string) (record.SyscallRow, []measure.File, error)
	onProfile func(ctx context.Context, variant, scenario string) (record.ProfileRow, []measure.File, error)
	facts     func(variant string, nth int) serverproc.Facts
	evidence  func(variant string) measure.Evidence

	loads                []string      // rates of the open loads that were measured, in order
	counted              []perf.Events // with which system calls were counted, in order
	inTheWay             bool          // there is no CPU beside the sets
	starts, measurements map[string]int
	running              string
}

func (f *fake) sets() ([]host.Set, bool) {
	one, _ := cpuset.Of(0)
	return []host.Set{{Name: "server", CPUs: one}}, true
}

func (f *fake) together([]suite.Scenario) bool { return true }
func (f *fake) moveAside() (bool, error)       { return !f.inTheWay, nil }
func (f *fake) close() error                   { return nil }

func (f *fake) start(_ context.Context, v suite.Variant, _ []suite.Scenario) (server, error) {
	count(&f.starts, v.Name)
	f.log = append(f.log, "start "+v.Name)
	if f.running != "" && f.suite.Plan.Interleave != suite.Sliced {
		return nil, fmt.Errorf("%s is still running", f.running)
	}
	if f.onStart != nil {
		if err := f.onStart(v.Name, f.starts[v.Name]); err != nil {
			return nil, err
		}
	}
	f.running = v.Name
	return &fakeServer{f, v.Name}, nil
}

func count(of *map[string]int, key string) {
	if *of == nil {
		*of = map[string]int{}
	}
	(*of)[key]++
}

type fakeServer struct {
	fake *fake
	name string
}

func (s *fakeServer) measure(ctx context.Context, sc suite.Scenario) (record.Measurement, measure.Evidence, error) {
	f, key := s.fake, s.name+" "+sc.Name
	count(&f.measurements, key)
	f.log = append(f.log, "measure "+key)
	if sc.Load.Kind == suite.Open {
		f.loads = append(f.loads, sc.Load.Rate)
	}
	_, at := f.lab.rig.now()
	m := record.Measurement{StartUTC: time.Date(2026, 11, 30, 21, 0, 0, 0, time.UTC), StartMonoNS: int64(at), DurationSeconds: record.Of(0.1),
		Requests: 300, RPS: record.Of(3000), Status2xx: 300, P99Millis: record.Of(1), IdentityOK: 2, IdentityN: 2}
	var err error
	if f.onMeasure != nil {
		err = f.onMeasure(ctx, s.name, sc.Name, f.measurements[key], &m)
	}
	facts := serverproc.Facts{
		Argv: serverproc.Fact[[]string]{Value: []string{"sh", s.name}}, Env: serverproc.Fact[[]string]{Value: []string{}},
		Binary: serverproc.Fact[string]{Value: "aaaa"},
	}
	if f.facts != nil {
		facts = f.facts(s.name, f.measurements[key])
	}
	id, jsonErr := json.Marshal(measure.Identity{Schema: measure.IdentitySchema, Session: f.session, Variant: s.name, Facts: facts,
		Counts: []record.IdentityCount{{Variant: s.name, Check: "exe", Samples: 2, OK: 2}}})
	if jsonErr != nil {
		return m, measure.Evidence{}, jsonErr
	}
	var evidence measure.Evidence
	if f.evidence != nil {
		evidence = f.evidence(s.name)
	}
	evidence.Session = f.session
	evidence.Overhead, evidence.OwnCPUFrac = 1500*time.Millisecond, record.Of(0.005)
	f.lab.at = f.lab.at.Add(f.suite.Plan.Warmup + f.suite.Plan.Measure + evidence.Overhead)
	text, jsonErr := json.Marshal(evidence)
	if jsonErr != nil {
		return m, evidence, jsonErr
	}
	evidence.Files = []measure.File{
		{Name: measure.ResultFile, Data: []byte(strings.Repeat("x", 5000) + "\n")}, {Name: measure.IdentityFile, Data: id},
		{Name: measure.EvidenceFile, Data: text},
	}
	return m, evidence, err
}

// takeTurns measures one after the other, in no time of its own.
func (s *fakeServer) takeTurns(ctx context.Context, new server, sc suite.Scenario, pair string) (rows [2]record.Measurement, evidence [2]measure.Evidence, err error) {
	for i, half := range []*fakeServer{s, new.(*fakeServer)} {
		var halfErr error
		rows[i], evidence[i], halfErr = half.measure(ctx, sc)
		rows[i].Pair = pair
		err = errors.Join(err, halfErr)
	}
	rows[1].SlicePairs, rows[1].RPSRatio, rows[1].RPSRatioSE = 4, record.Of(0.99), record.Of(0.001)
	return rows, evidence, err
}

func (s *fakeServer) countSyscalls(ctx context.Context, sc suite.Scenario, program perf.Program) (record.SyscallRow, []measure.File, error) {
	f := s.fake
	f.log, f.counted = append(f.log, "count "+s.name+" "+sc.Name), append(f.counted, program.Events)
	if f.onCount != nil {
		return f.onCount(ctx, s.name, sc.Name)
	}
	return record.SyscallRow{PerRequest: record.Of(2), Calls: 600, ByName: []record.SyscallCount{{Name: "read", Calls: 600, PerRequest: 2}}},
		[]measure.File{{Name: "perf-stat.csv", Data: []byte(program.Events)}}, nil
}

func (s *fakeServer) profile(ctx context.Context, sc suite.Scenario, how measure.Profiling) (record.ProfileRow, []measure.File, error) {
	f := s.fake
	f.log = append(f.log, "profile "+s.name+" "+sc.Name)
	if f.onProfile != nil {
		return f.onProfile(ctx, s.name, sc.Name)
	}
	return record.ProfileRow{Event: "cycles", Hz: how.Sampler.Hz, Samples: 100, Groups: []record.ProfileGroup{{Name: "copy", Samples: 100}}},
		[]measure.File{{Name: measure.FoldedFile, Data: []byte("sh;memcpy 100\n")}}, nil
}

func (s *fakeServer) stop(context.Context) (string, error) {
	s.fake.log = append(s.fake.log, "stop "+s.name)
	s.fake.running = ""
	if s.fake.onStop != nil {
		return s.fake.onStop(s.name)
	}
	return "", nil
}
