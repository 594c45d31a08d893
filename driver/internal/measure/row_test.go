package measure

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/scalws/scalbench/internal/host"
	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/serverproc"
	"github.com/scalws/scalbench/internal/suite"
	"github.com/scalws/scalbench/loadgen"
)

// cleanResult is one to which nothing is wrong: 2000 requests in 2 s.
func cleanResult() *loadgen.Result {
	p99 := 12000.0
	return &loadgen.Result{
		MeasuredS: 2, RPS: 1000, CompletedInWindow: 2000, BodyBytesIn: 4000, Validity: loadgen.Valid,
		Status: map[string]uint64{"200": 1999, "204": 1},
		Ledger: loadgen.Ledger{Scheduled: 2000, OK: 2000, Errors: map[string]loadgen.Split{}},
		Latency: loadgen.Latency{
			Service:  &loadgen.Distribution{MeanUS: 6000},
			Response: &loadgen.Distribution{P99US: &p99, MaxUS: 20000},
		},
		Workers: []loadgen.WorkerResult{{Busy: 0.25}, {Busy: 0.5}},
	}
}

// measured is a measurement with a result and what the server used: 1 s of CPU time between
// readings 2.5 s apart, on two CPUs.
func measured(t *testing.T, r *loadgen.Result) *measurement {
	t.Helper()
	running := &Running{instances: []*instance{{name: "server", seat: seat{cpus: cpus(t, "0-1")}}}}
	m := &measurement{bench: &Bench{clock: clock(t)}, running: running, result: r}
	m.plan.Connections, m.plan.Streams = 4, 2
	m.evidence.From = 1
	m.evidence.Server = &serverproc.Usage{CPU: time.Second, Elapsed: 2500 * time.Millisecond, PeakRSSBytes: 3 << 20, PeakMethod: serverproc.PeakResetSum}
	m.seen = seen{ok: 2, n: 2}
	return m
}

func TestRow(t *testing.T) {
	row := measured(t, cleanResult()).row()
	if row.StartMonoNS != 1 || row.StartUTC.IsZero() {
		t.Errorf("begins at %d, %s", row.StartMonoNS, row.StartUTC)
	}
	row.StartUTC = time.Time{}
	want := record.Measurement{
		StartMonoNS: 1, DurationSeconds: record.Of(2), Requests: 2000, RPS: record.Of(1000), Status2xx: 2000, Bytes: 4000,
		P99Millis: record.Of(12), MaxMillis: record.Of(20),
		CPUMicros:         record.Of(400), // 1 s / 2.5 s = 0.4 CPUs; 0.4 s a second / 1000 requests a second
		ServerBusyFrac:    record.Of(0.2), // 0.4 of 2 CPUs
		GeneratorBusyFrac: record.Of(0.5), // the busiest worker
		RSSKiB:            record.Of(3072), RSSMethod: "vmhwm_sum",
		LittleRatio: record.Of(0.75), // 1000/s x 6 ms = 6 requests out, of 4 x 2
		IdentityOK:  2, IdentityN: 2,
	}
	equal := cmp.Comparer(func(a, b record.Value) bool {
		x, y := a.OrNaN(), b.OrNaN()
		return math.IsNaN(x) && math.IsNaN(y) || math.Abs(x-y) < 1e-9
	})
	if diff := cmp.Diff(want, row, equal); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// Nothing that was not measured is a number.
func TestRowWithoutResult(t *testing.T) {
	m := measured(t, nil)
	m.evidence = Evidence{}
	if diff := cmp.Diff(record.Measurement{IdentityOK: 2, IdentityN: 2}, m.row(), cmp.Comparer(func(a, b record.Value) bool { return a.Known() == b.Known() })); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// An open loop has no slots that could wait.
func TestLittleOfOpenLoop(t *testing.T) {
	plan := loadgen.DefaultPlan("http://h/")
	var err error
	if plan.Rate, err = loadgen.ParseRate("1000"); err != nil {
		t.Fatal(err)
	}
	if v := little(plan, cleanResult()); v.Known() {
		t.Errorf("%v", v)
	}
}

// Of 1000 requests that were due 15 were not sent: 10 for want of a connection, 2 shed, 3 as
// their connection was refused.
func TestSchedule(t *testing.T) {
	late := 700.0
	r := cleanResult()
	r.Ledger = loadgen.Ledger{Scheduled: 1000, NeverSent: 10, Shed: 2, Errors: map[string]loadgen.Split{"connect_failed": {Sent: 1, Unsent: 3}}}
	r.Latency.Lateness = &loadgen.Distribution{P999US: &late}
	m := measured(t, r)
	if row := m.row(); row.SentFrac.Known() || row.LateP999Millis.Known() {
		t.Errorf("a closed loop: %v sent, %v late", row.SentFrac, row.LateP999Millis)
	}
	var err error
	if m.plan.Rate, err = loadgen.ParseRate("500"); err != nil {
		t.Fatal(err)
	}
	row := m.row()
	if row.SentFrac.OrNaN() != 0.985 || row.LateP999Millis.OrNaN() != 0.7 {
		t.Errorf("%v sent, %v late", row.SentFrac, row.LateP999Millis)
	}
}

// Helpers that used 1.5 s of CPU time in 2.5 s had 0.3 of two CPUs; those that share CPUs with
// the server do not have them to themselves.
func TestAppBusy(t *testing.T) {
	for where, want := range map[string]float64{"2-3": 0.3, "1-2": math.NaN()} {
		m := measured(t, cleanResult())
		m.running.helpers = []*helper{{cpus: cpus(t, where)}}
		m.evidence.App = &serverproc.Usage{CPU: 1500 * time.Millisecond, Elapsed: 2500 * time.Millisecond}
		if have := m.row().AppBusyFrac.OrNaN(); have != want && !(math.IsNaN(have) && math.IsNaN(want)) {
			t.Errorf("on %s: %v, want %v", where, have, want)
		}
	}
}

func TestJudge(t *testing.T) {
	warn := func(r *loadgen.Result, code loadgen.WarningCode, text string) {
		r.Warnings = append(r.Warnings, loadgen.Warning{Code: code, Text: text})
	}
	late := func(m *measurement) {
		m.plan.Rate, _ = loadgen.ParseRate("1000")
		ms := 3000.0
		m.result.Latency.Lateness = &loadgen.Distribution{P999US: &ms}
	}
	for _, test := range []struct {
		name   string
		break_ func(m *measurement)
		reason string // in the row's; "": valid
		flags  string
	}{
		{"clean", func(m *measurement) {}, "", "generator-idles"}, // 0.75 is below 0.9
		{"busy", func(m *measurement) { m.result.RPS = 1300 }, "", ""},
		{"errors", func(m *measurement) {
			m.result.Ledger.Errors["timeout"] = loadgen.Split{Sent: 3}
			m.result.FirstErrors = map[string]string{"timeout": "30 s"}
		}, "3 of 2000 requests failed: timeout (30 s)", "generator-idles"},
		{"404", func(m *measurement) { m.result.Status["404"] = 7 }, "answered with 404 (7 times)", "generator-idles"},
		{"nothing", func(m *measurement) { m.result.CompletedInWindow = 0 }, "not one request", "generator-idles"},
		{"late", late, "", "off-schedule"},
		{"late, of record", func(m *measurement) { late(m); m.session.OfRecord = true }, "one request in a thousand was sent 3 ms late", "off-schedule"},
		{"no result", func(m *measurement) { m.result = nil }, "no result", ""},
		{"invalid", func(m *measurement) {
			m.result.Validity = loadgen.Invalid
			warn(m.result, loadgen.LateSends, "late")
			warn(m.result, loadgen.ShortWindow, "short")
		}, "the generator's result is invalid: late", "late-sends short-window generator-idles"},
		{"saturated", func(m *measurement) { warn(m.result, loadgen.GeneratorSaturated, "busy 0.97") }, "", "generator-saturated generator-idles"},
		{"saturated in a plan of record", func(m *measurement) {
			m.session.OfRecord = true
			warn(m.result, loadgen.GeneratorSaturated, "busy 0.97")
		}, "the generator was the limit: busy 0.97", "generator-saturated generator-idles"},
		{"another program", func(m *measurement) {
			m.seen.wrong, m.result = "process 1 runs sh", nil
		}, "process 1 runs sh", ""},
		{"usage unread", func(m *measurement) { m.edges = &edges{err: faultf("read usage\nat the end")} }, "read usage; at the end", "generator-idles"},
		{"unfinished", func(m *measurement) { m.result.RPS, m.result.Ledger.Unfinished = 1300, 2 }, "", "unfinished"},
		{"churn", func(m *measurement) { m.plan.RequestsPerConn = 1 }, "", ""},
		{"lost", func(m *measurement) { m.result.RPS, m.evidence.Server.Lost = 1300, true }, "", "cpu-lost"},
		{"unwatched", func(m *measurement) { m.result.RPS, m.seen.cut = 1300, true }, "", "interference-unknown"},
		{"a busy generator", func(m *measurement) { m.result.RPS, m.result.Workers[0].Busy = 1300, 0.81 }, "", "generator-busy"},
		{"a busy generator that is not", func(m *measurement) { m.result.RPS, m.result.Workers[0].Busy = 1300, 0.8 }, "", ""},
		{"the wall clock was set", func(m *measurement) {
			m.result.RPS, m.evidence.Clocks = 1300, &ClockChange{Step: -time.Second}
		}, "", "clock-step"},
		{"the clock was moved", func(m *measurement) {
			m.result.RPS, m.evidence.To, m.evidence.Clocks = 1300, m.evidence.From.Add(time.Second), &ClockChange{SlewPPM: record.Of(-400)}
		}, "", "clock-slew"},
		{"shared", func(m *measurement) { m.result.RPS, m.bench.placement.Shared = 1300, true }, "", "shared-cpus"},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := measured(t, cleanResult())
			test.break_(m)
			row := m.row()
			if err := m.judge(&row, ""); err != nil {
				t.Fatal(err)
			}
			if valid := row.State == record.Valid; valid != (test.reason == "") || !strings.Contains(row.Reason, test.reason) {
				t.Errorf("%s, %q, want %q", row.State, row.Reason, test.reason)
			}
			if flags := strings.Join(row.Flags, " "); flags != test.flags {
				t.Errorf("flags %q, want %q", flags, test.flags)
			}
		})
	}
}

// A violation that has no sentence yet is told by the samplers, and else stays.
func TestJudgeViolated(t *testing.T) {
	m := measured(t, nil)
	row := m.row()
	if err := m.judge(&row, violatedReason); err != nil || row.Reason != violatedReason {
		t.Errorf("%q, %v", row.Reason, err)
	}
	m.seen.wrong = "it is another"
	row = m.row()
	if err := m.judge(&row, violatedReason); err != nil || row.Reason != "it is another" {
		t.Errorf("%q, %v", row.Reason, err)
	}
}

// Rows count that have a part in the window, 1 s to 3 s.
func TestInWindow(t *testing.T) {
	const second = 1e9
	row := func(at int64) host.Row { return host.Row{AtNS: clockAt(at), ElapsedUS: 1e6} }
	got := inWindow([]host.Row{row(1 * second), row(1.5 * second), row(3 * second), row(3.5 * second), row(4 * second)}, clockAt(1*second), clockAt(3*second))
	// The first ends where the window begins, the last begins where it ends.
	if len(got) != 3 || got[0].AtNS != clockAt(1.5*second) || got[2].AtNS != clockAt(3.5*second) {
		t.Errorf("%v", got)
	}
}

func TestTogether(t *testing.T) {
	a := serverproc.Usage{Elapsed: 2, CPU: 3, User: 1, System: 2, PeakRSSBytes: 10, PeakMethod: serverproc.PeakReset, Started: []int{1}}
	a.Workers, a.RunQueueWait, a.MajorFaults = []serverproc.Worker{{PID: 1}}, 5, 6
	b := serverproc.Usage{Elapsed: 2, CPU: 4, Workers: []serverproc.Worker{{PID: 2}}, RunQueueWait: 7, MajorFaults: 8, User: 3, System: 1, PeakRSSBytes: 20, PeakMethod: serverproc.PeakReset, Lost: true, Ended: []int{2}}
	got := together(a, b)
	want := serverproc.Usage{Elapsed: 2, CPU: 7, User: 4, System: 3, PeakRSSBytes: 30, PeakMethod: serverproc.PeakResetSum,
		Workers: []serverproc.Worker{{PID: 1}, {PID: 2}}, RunQueueWait: 12, MajorFaults: 14, Lost: true, Started: []int{1}, Ended: []int{2}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	b.PeakMethod = serverproc.PeakSampled
	if got := together(a, b); got.PeakMethod != serverproc.PeakSampled {
		t.Errorf("%s", got.PeakMethod)
	}
}

func TestUIDRule(t *testing.T) {
	for said, want := range map[suite.UIDRule]serverproc.UIDRule{
		{}:                             {},
		{Kind: suite.RootUID}:          {Kind: serverproc.UIDExactly},
		{Kind: suite.NonRootUID}:       {Kind: serverproc.UIDNonRoot},
		{Kind: suite.ExactUID, UID: 7}: {Kind: serverproc.UIDExactly, UID: 7},
	} {
		if got := uidRule(said); got != want {
			t.Errorf("%v: %v, want %v", said, got, want)
		}
	}
}

func TestOneLine(t *testing.T) {
	for text, want := range map[string]string{
		"a":                                  "a",
		"it ended: its log:\n  b\r\n\tc\x00": "it ended: its log: b; c",
		"\n":                                 "",
	} {
		if got := record.OneLine(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
