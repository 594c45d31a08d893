package loadgen

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/internal/procfs"
	"github.com/scalws/scalbench/loadgen/internal/exchange"
)

func TestShare(t *testing.T) {
	for _, tt := range []struct {
		n    int64
		k    int
		want []int64
	}{
		{10, 3, []int64{4, 3, 3}}, // 10 = 3*3 + 1
		{2, 3, []int64{1, 1, 0}},
		{9, 3, []int64{3, 3, 3}},
	} {
		var got []int64
		for i := range tt.k {
			got = append(got, share(tt.n, tt.k, i))
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("share(%d, %d) = %v, want %v", tt.n, tt.k, got, tt.want)
		}
	}
}

func TestTimeline(t *testing.T) {
	p := Plan{WarmUp: 10, Measure: 100, Drain: 5}
	tl := newTimeline(p, 1000)
	if want := (Timeline{Start: 1000, From: 1010, To: 1110, DrainTo: 1115}); tl != want { // 1000+10, +100, +5
		t.Errorf("got %+v, want %+v", tl, want)
	}
	for _, tt := range []struct {
		at       mono.Time
		measures bool
	}{{1009, false}, {1010, true}, {1109, true}, {1110, false}} {
		if got := tl.measures(tt.at); got != tt.measures {
			t.Errorf("measures(%d) = %v", tt.at, got)
		}
	}
	if got := tl.cut(1050, p); got.From != 1010 || got.To != 1050 || got.DrainTo != 1055 {
		t.Errorf("cut in the window: %+v", got)
	}
	if got := tl.cut(1005, p); got.From != got.To || got.To != 1005 {
		t.Errorf("cut in the warm-up: %+v, want an empty window", got)
	}
	if got := tl.cut(2000, p); got != tl {
		t.Errorf("cut after the drain: %+v", got)
	}
	if got := tl.cut(1112, p); got.To != 1110 || got.DrainTo != 1112 {
		t.Errorf("cut in the drain: %+v, want an end at 1112", got)
	}
	if got := tl.cut(1050, p); got.cut(1050, p) != got {
		t.Errorf("cut twice: %+v", got.cut(1050, p))
	}
	long := p
	long.Drain = time.Hour
	if got := tl.cut(1050, long); got.DrainTo != mono.Time(1050).Add(time.Second) {
		t.Errorf("cut with a long drain: %+v, want a second", got)
	}
	p.Requests = 7
	if got := newTimeline(p, 1000); got.To != never || got.DrainTo != never {
		t.Errorf("with a number of requests: %+v", got)
	}
}

func TestTimers(t *testing.T) {
	tm := newTimers(4, 10)
	if tm.next != never {
		t.Fatal("something is due before anything is set")
	}
	tm.set(0, 500)
	tm.set(1, 300)
	tm.set(2, 900)
	if tm.next != 300 {
		t.Errorf("next %d, want 300", tm.next)
	}
	tm.set(1, 700) // an exchange ended and another began: the search finds out
	if got := tm.search(300, nil); len(got) != 0 || tm.next != 500 {
		t.Errorf("at 300: expired %v, next %d, want none and 500", got, tm.next)
	}
	tm.set(2, 0)
	if got := tm.search(500, nil); !slices.Equal(got, []int32{0}) || tm.next != 700 || tm.due[0] != 0 {
		t.Errorf("at 500: expired %v, next %d, want 0 and 700", got, tm.next)
	}
	tm.set(3, 701)
	if got := tm.search(700, nil); !slices.Equal(got, []int32{1}) || tm.next != 710 { // 701 is within the gap of 10
		t.Errorf("at 700: expired %v, next %d, want 1 and 710", got, tm.next)
	}
	if got := tm.search(710, nil); !slices.Equal(got, []int32{3}) || tm.next != never {
		t.Errorf("at 710: expired %v, next %d, want 3 and never", got, tm.next)
	}
}

// Each outcome has one line of the ledger and one histogram; what was intended
// outside the window has none, but still counts as sent and for the rate.
func TestRecorder(t *testing.T) {
	r := newRecorder(newWindowFeed(1000))
	r.timeline = Timeline{Start: 0, From: 1000, To: 2000, DrainTo: 3000}
	at := func(x exchange.Exchange) {
		r.intend(x.Intended)
		r.record(&x)
	}
	ok := exchange.Exchange{Intended: 1100, Ready: 1150, Sent: 1200, FirstByte: 1300, Done: 1400, Status: 200, Outcome: exchange.OK, BodyBytes: 5}
	at(ok)
	early, late := ok, ok
	early.Intended, early.Done = 900, 1001 // of the warm-up, completes in the window
	late.Intended, late.Done = 1999, 2500  // of the window, completes in the drain
	late.Ready, late.Sent = 1999, 2000
	at(early)
	at(late)
	at(exchange.Exchange{Intended: 1500, Ready: 1500, Sent: 1501, Done: 1800, Outcome: exchange.Timeout})
	at(exchange.Exchange{Intended: 1500, Done: 1600, Outcome: exchange.ConnectFailed})
	at(exchange.Exchange{Intended: 1900, Done: 2000, Outcome: exchange.NeverSent})
	at(exchange.Exchange{Intended: 1900, Ready: 1900, Sent: 1901, Done: 3000, Outcome: exchange.Unfinished})

	l := r.ledger.public()
	if err := l.Check(); err != nil {
		t.Error(err)
	}
	want := Ledger{Scheduled: 6, OK: 2, Unfinished: 1, NeverSent: 1, Errors: l.Errors}
	if diff := cmp.Diff(want, l); diff != "" {
		t.Error(diff)
	}
	if l.Errors["timeout"] != (Split{Sent: 1}) || l.Errors["connect_failed"] != (Split{Unsent: 1}) {
		t.Errorf("errors %+v", l.Errors)
	}
	if r.completedInWindow != 2 || r.bodyBytesIn != 10 { // the first and the early one, 5 bytes each
		t.Errorf("completed %d with %d bytes", r.completedInWindow, r.bodyBytesIn)
	}
	if r.sentInAllPhases != 5 { // ok, early, late, timeout, unfinished
		t.Errorf("sent %d", r.sentInAllPhases)
	}
	for name, n := range map[string][2]uint64{
		"service":  {r.service.Count(), 2},
		"response": {r.response.Count(), 5}, // ok, late, timeout, never_sent, unfinished
		"failed":   {r.failed.Count(), 1},
		"delay":    {r.sendDelay.Count(), 4}, // ok, late, timeout, unfinished
	} {
		if n[0] != n[1] {
			t.Errorf("%s holds %d, want %d", name, n[0], n[1])
		}
	}
	if got := r.service.MinNS(); got != 200 { // 1400 - 1200
		t.Errorf("service %d", got)
	}
	if got := r.response.MinNS(); got != 100 { // never_sent: 2000 - 1900
		t.Errorf("response %d", got)
	}
	if got := r.lateness.MaxNS(); got != 50 { // 1200 - max(1100, 1150)
		t.Errorf("lateness %d", got)
	}
	if r.lastEnd != 3000 || r.firstErrors[exchange.Timeout].Done != 1800 {
		t.Errorf("last end %d, first timeout %+v", r.lastEnd, r.firstErrors[exchange.Timeout])
	}
}

func TestLedgerThatDoesNotAddUp(t *testing.T) {
	l := Ledger{Scheduled: 3, OK: 1, NeverSent: 1}
	if err := l.Check(); err == nil || !strings.Contains(err.Error(), "3 scheduled") {
		t.Errorf("got %v", err)
	}
	l = Ledger{Scheduled: 1, Errors: map[string]Split{"connect_failed": {Sent: 1}}}
	if l.Check() == nil {
		t.Error("a request was sent over a connection that failed")
	}
}

// Rows are made for every stretch, also for those in which a worker slept.
func TestRowsOfTwoWorkers(t *testing.T) {
	feeds := []*windowFeed{newWindowFeed(100), newWindowFeed(100)}
	var told []Window
	s := collect(feeds, 100, func(w Window) { told = append(told, w) })
	for i, feed := range feeds {
		r := newRecorder(feed)
		r.timeline = Timeline{From: 1000, To: 2000}
		for _, done := range []mono.Time{1050, 1399, 1400, 1401}[i:] { // rows 0, 3, 4, 4
			r.record(&exchange.Exchange{Intended: done - 10, Sent: done - 5, Done: done, Outcome: exchange.OK})
		}
		r.end()
		r.end() // a second time changes nothing
	}
	rows := s.wait()
	var oks []uint64
	for _, row := range rows {
		oks = append(oks, row.OK)
	}
	if want := []uint64{1, 0, 0, 2, 4}; !slices.Equal(oks, want) {
		t.Errorf("rows %v, want %v", oks, want)
	}
	if len(told) != len(rows) {
		t.Errorf("%d rows told of %d", len(told), len(rows))
	}
	if rows[1].MaxUS != nil || rows[4].MaxUS == nil || *rows[4].MaxUS != 0.01 { // 10 ns
		t.Errorf("row 1 %+v, row 4 %+v", rows[1], rows[4])
	}
}

func TestValidateReportsAllFaults(t *testing.T) {
	p := DefaultPlan("ftp://x/")
	p.Connections, p.Requests, p.WarmUp, p.ConnectTimeout, p.Family = 0, -1, -time.Second, 0, 5
	p.Targets[0].ExpectStatus, p.Targets[0].ExpectBytes = 99, -2
	err := p.Validate()
	if !errors.Is(err, ErrPlan) {
		t.Fatalf("got %v", err)
	}
	for _, part := range []string{"ftp", "connections: 0", "requests: -1", "warm-up: -1s", "connect timeout: 0", "ip: 5", "expected status: 99", "expected bytes: -2"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("no word of %q in:\n%v", part, err)
		}
	}
	if err := DefaultPlan("http://127.0.0.1:8080/x?y").Validate(); err != nil {
		t.Error(err)
	}
}

func TestURLs(t *testing.T) {
	for url, part := range map[string]string{
		"":                 "want http://",
		"/path":            "want http://",
		"http://":          "no host",
		"http://:80/":      "no host",
		"http://h:x/":      "port",
		"https://":         "no host",
		"http://h/%zz":     "%zz",
		"http://h h/":      "host",
		"ws://h/":          `"ws" is not supported`,
		"http://[::1/":     "]",
		"http://h/\nx":     "control character",
		"http://h:99999/x": "port",
	} {
		p := DefaultPlan(url)
		if err := p.Validate(); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%q: got %v, want something with %q", url, err, part)
		}
	}
}

func TestPlanRoundTrip(t *testing.T) {
	p := DefaultPlan("http://127.0.0.1:1/")
	p.CPUs, _ = cpuset.Of(1, 3)
	p.Targets[0].Header = []Field{{"A", "1"}, {"A", "2"}}
	p.Targets[0].Body = []byte{0, 1, 255}
	b, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	var back Plan
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(p, back, cmp.Comparer(func(a, b cpuset.Set) bool { return a == b })); diff != "" {
		t.Error(diff)
	}
	var target Target
	if err := json.Unmarshal([]byte(`{"url":"http://h/"}`), &target); err != nil || target.Method != "GET" || target.ExpectBytes != -1 {
		t.Errorf("defaults of a target in JSON: %+v, %v", target, err)
	}
	if err := json.Unmarshal([]byte(`{"url":"http://h/","metod":"GET"}`), &target); err == nil {
		t.Error("an unknown key was taken")
	}
}

// The echo in a result shows what was asked, without secrets and bodies.
func TestEcho(t *testing.T) {
	p := DefaultPlan("http://user:secret@127.0.0.1/x")
	p.Targets[0].Header = []Field{{"authorization", "Basic secret"}, {"Cookie", "secret"}, {"X-Plain", "shown"}}
	p.Targets[0].Body = []byte("secret")
	b, err := json.Marshal(p.Echo())
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	if strings.Contains(text, "secret") || strings.Contains(text, "c2VjcmV0") { // base64 of the body
		t.Errorf("a secret is echoed: %s", text)
	}
	for _, part := range []string{`"shown"`, `"body_bytes":6`, `"connections":50`, `"authorization"`} {
		if !strings.Contains(text, part) {
			t.Errorf("no %s in %s", part, text)
		}
	}
	var back PlanEcho
	if err := json.Unmarshal(b, &back); err != nil || back.Targets[0].BodyBytes != 6 {
		t.Errorf("the echo does not read back: %+v, %v", back.Targets, err)
	}
	if string(p.Targets[0].Body) != "secret" || p.Targets[0].Header[0].Value != "Basic secret" {
		t.Error("the plan itself was masked")
	}
}

func TestPlace(t *testing.T) {
	allowed, err := cpuset.Allowed()
	if err != nil {
		t.Fatal(err)
	}
	remote, _, err := place(Plan{Connections: 1000}, server{})
	if err != nil || remote.CPUs != allowed {
		t.Errorf("remote: %s, %v, want all of %s", remote.CPUs, err, allowed)
	}
	local, pl, err := place(Plan{Connections: 1000}, server{local: true})
	if err != nil || local.CPUs != allowed.UpperHalf() || len(pl.cpus) != local.CPUs.Count() {
		t.Errorf("local: %s, %v, want the upper half of %s", local.CPUs, err, allowed)
	}
	few, pl, err := place(Plan{Connections: 1, CPUs: allowed}, server{})
	if err != nil || len(pl.cpus) != 1 {
		t.Errorf("one connection: workers on %v of %s, %v", pl.cpus, few.CPUs, err)
	}
	foreign, _ := cpuset.Of(cpuset.MaxCPUs - 1)
	if _, _, err := place(Plan{CPUs: foreign}, server{}); !errors.Is(err, ErrPlan) {
		t.Errorf("CPUs that there are not: %v", err)
	}
	if _, pl, _ = place(Plan{Connections: 5, NoPin: true}, server{}); pl.cpus[0] != -1 || len(pl.warnings) == 0 {
		t.Errorf("not pinned: %+v", pl)
	}
}

func TestFDLimit(t *testing.T) {
	if err := raiseFDLimit(1 << 40); !errors.Is(err, ErrPlan) || !strings.Contains(err.Error(), "hard limit") {
		t.Errorf("got %v", err)
	}
	if err := raiseFDLimit(10); err != nil {
		t.Error(err)
	}
}

func TestValidity(t *testing.T) {
	for _, tt := range []struct {
		codes []WarningCode
		want  Validity
	}{
		{nil, Valid}, {[]WarningCode{NotPinned}, Valid}, {[]WarningCode{ErrorsPresent}, Suspect},
		{[]WarningCode{GeneratorSaturated, LedgerBroken}, Invalid},
	} {
		var ws []Warning
		for _, c := range tt.codes {
			ws = append(ws, Warning{Code: c})
		}
		if got := validity(ws); got != tt.want {
			t.Errorf("%v: %s, want %s", tt.codes, got, tt.want)
		}
	}
}

func TestParseSources(t *testing.T) {
	for list, want := range map[string]string{
		"127.0.0.1":                   "[127.0.0.1]",
		"127.0.0.254-127.0.1.1":       "[127.0.0.254 127.0.0.255 127.0.1.0 127.0.1.1]",
		"10.0.0.1, 10.0.0.7-10.0.0.8": "[10.0.0.1 10.0.0.7 10.0.0.8]",
		"::1":                         "[::1]",
		"fe80::1-fe80::2":             "[fe80::1 fe80::2]",
	} {
		if got, err := ParseSources(list); err != nil || fmt.Sprint(got) != want {
			t.Errorf("%q: %v, %v, want %s", list, got, err, want)
		}
	}
	for _, list := range []string{"", "x", "127.0.0.1-", "127.0.0.2-127.0.0.1", "127.0.0.1-::1", "10.0.0.0-10.255.255.255", "127.0.0.1,,"} {
		if got, err := ParseSources(list); !errors.Is(err, ErrPlan) {
			t.Errorf("%q: %d addresses, %v", list, len(got), err)
		}
	}
}

func TestPortsWarning(t *testing.T) {
	fs := procfs.NewFS("/proc")
	ports, err := fs.LocalPorts()
	if err != nil {
		t.Skipf("no range of local ports on this host: %v", err)
	}
	if ws := portsWarning(Plan{Connections: ports}, fs); len(ws) != 0 {
		t.Errorf("as many connections as ports: %v", ws)
	}
	ws := portsWarning(Plan{Connections: ports + 1}, fs)
	if len(ws) != 1 || ws[0].Code != EphemeralPortsLow {
		t.Errorf("one connection too many: %v", ws)
	}
	two, _ := ParseSources("127.0.0.1-127.0.0.2")
	if ws := portsWarning(Plan{Connections: ports + 1, SourceIPs: two}, fs); len(ws) != 0 {
		t.Errorf("with two sources: %v", ws)
	}
}

func TestLimit(t *testing.T) {
	server := func(busy float64, cpus *float64) *Server { return &Server{Busy: busy, CPUsBusy: cpus} }
	for _, tt := range []struct {
		generator float64
		server    *Server
		want      Limiter
		why       string
	}{
		{0.96, server(0.99, nil), LimitGenerator, "96 %"}, // both full: more cannot be asked of the server
		{0.50, server(0.92, nil), LimitServer, "generator 50 %"},
		{0.50, server(0.60, ptr(0.97)), LimitServerCPUs, "its CPUs 97 % busy, itself 60 %"},
		{0.50, server(0.60, ptr(0.80)), LimitNeither, "server 60 % busy"},
		{0.50, nil, LimitUnknown, "50 %"},
	} {
		r := Result{Server: tt.server, Workers: []WorkerResult{{Busy: 0.1}, {Busy: tt.generator}}}
		if who, why := r.Limit(); who != tt.want || !strings.Contains(why, tt.why) {
			t.Errorf("generator %v, server %+v: %d (%s), want %d with %q", tt.generator, tt.server, who, why, tt.want, tt.why)
		}
	}
}

// The busy share of the server's CPUs is that of the window, whoever used them.
func TestCPUsBusy(t *testing.T) {
	zero, _ := cpuset.Of(0)
	one, _ := cpuset.Of(1)
	times := func(busy, idle time.Duration) map[int]procfs.CPUTimes {
		return map[int]procfs.CPUTimes{0: {Busy: busy, Idle: idle}, 1: {Busy: busy}}
	}
	u := usage{
		from: reading{host: hostCounters{cpus: times(100, 1000)}},
		to:   reading{host: hostCounters{cpus: times(400, 1100)}, server: procfs.Usage{CPUs: zero}},
	}
	if got := u.cpusBusy(one); got == nil || *got != 0.75 { // 300 busy of 300 + 100
		t.Errorf("got %v, want 0.75", got)
	}
	if got := u.cpusBusy(zero); got != nil {
		t.Errorf("the generator's own CPU: %v", *got)
	}
	u.from.host.cpus = nil
	if got := u.cpusBusy(one); got != nil {
		t.Errorf("not read: %v", *got)
	}
}

// More rows than the collector gives back, and an observer that never returns,
// keep nobody from going on.
func TestRowsBeyondTheCollector(t *testing.T) {
	feed := newWindowFeed(1)
	stuck := make(chan struct{})
	defer close(stuck)
	s := collect([]*windowFeed{feed}, 1, func(Window) { <-stuck })
	r := newRecorder(feed)
	r.timeline = Timeline{From: 0, To: 1000}
	for done := range mono.Time(500) {
		r.record(&exchange.Exchange{Intended: done, Sent: done, Done: done, Outcome: exchange.OK})
	}
	r.end()
	if rows := s.wait(); len(rows) != 500 {
		t.Errorf("%d rows, want 500", len(rows))
	}
}
