package loadgen

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/internal/hdr"
	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/loadgen/internal/exchange"
	"github.com/scalws/scalbench/loadgen/internal/schedule"
)

// part is a generator of one worker that records what it is told.
type part struct {
	plan   Plan
	clock  mono.Clock
	worker *worker
	series *series
	usage  usage
}

const partStart = mono.Time(time.Second)

// newPart makes one whose process uses so much CPU time in its window of a second.
func newPart(t *testing.T, connections int, cpu time.Duration) *part {
	t.Helper()
	p := &part{plan: DefaultPlan("http://127.0.0.1:1/")}
	p.plan.Connections, p.plan.WarmUp, p.plan.Measure, p.plan.Window = connections, 200*time.Millisecond, time.Second, 100*time.Millisecond
	var err error
	if p.clock, err = mono.NewClock(); err != nil {
		t.Fatal(err)
	}
	feed := newWindowFeed(mono.Time(p.plan.Window))
	p.worker = &worker{plan: p.plan, timeline: newTimeline(p.plan, partStart), recorder: newRecorder(feed)}
	p.worker.recorder.timeline = p.worker.timeline
	p.worker.edges.to.bytesIn, p.worker.edges.to.bytesOut = uint64(connections)*1000, uint64(connections)*100
	p.series = collect([]*windowFeed{feed}, p.plan.Window, nil)
	p.usage.from.at, p.usage.to.at, p.usage.to.own = p.worker.timeline.From, p.worker.timeline.To, cpu
	return p
}

func (p *part) record(x exchange.Exchange) {
	p.worker.recorder.intend(x.Intended)
	p.worker.recorder.record(&x)
}

func (p *part) conclude(t *testing.T) *Result {
	t.Helper()
	p.worker.recorder.end()
	r, err := conclude(finished{plan: p.plan, workers: []*worker{p.worker}, clock: p.clock, began: partStart, series: p.series.wait(), usage: p.usage})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// exchanges returns random ones of all outcomes, in the order in which they end.
// Some are intended in the warm-up, some end after the drain, and a few take
// longer than a histogram holds.
func exchanges(random *rand.Rand, n int) []exchange.Exchange {
	xs := make([]exchange.Exchange, n)
	for i := range xs {
		x := &xs[i]
		x.Intended = partStart + mono.Time(random.Int64N(int64(1200*time.Millisecond)))
		x.Ready = x.Intended + mono.Time(random.Int64N(1000))
		x.Outcome = exchange.OK
		if random.IntN(4) == 0 {
			x.Outcome = exchange.OK + exchange.Outcome(random.IntN(int(exchange.NumOutcomes-exchange.OK)))
		}
		x.Done = x.Ready + mono.Time(random.Int64N(1<<(10+random.IntN(34)))) // up to 2^43 ns, 2.4 hours
		switch x.Outcome {
		case exchange.ConnectFailed, exchange.NeverSent, exchange.Shed:
			continue
		}
		x.Sent = x.Ready + mono.Time(random.Int64N(int64(x.Done-x.Ready)+1))
		x.FirstByte = x.Sent + mono.Time(random.Int64N(int64(x.Done-x.Sent)+1))
		x.Reused, x.BodyBytes, x.Status = random.IntN(2) == 0, random.Int64N(100), uint16(200+random.IntN(3))
	}
	slices.SortFunc(xs, func(a, b exchange.Exchange) int { return int(a.Done - b.Done) })
	return xs
}

// fromJSON is a result as another process reads it.
func fromJSON(t *testing.T, r *Result) *Result {
	t.Helper()
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	back := new(Result)
	if err := json.Unmarshal(text, back); err != nil {
		t.Fatal(err)
	}
	return back
}

func merge(t *testing.T, results ...*Result) *Result {
	t.Helper()
	r, err := MergeResults(results)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Two generators that share exchanges in any way come to the same as one that has
// all of them, whether their results come from memory or from JSON.
func TestMergeHalves(t *testing.T) {
	for seed := range uint64(6) {
		random := rand.New(rand.NewPCG(seed, 1))
		a, b, whole := newPart(t, 3, 300*time.Millisecond), newPart(t, 5, 500*time.Millisecond), newPart(t, 8, 800*time.Millisecond)
		b.clock, whole.clock = a.clock, a.clock
		share := random.Float64()
		for _, x := range exchanges(random, 1+random.IntN(2000)) {
			whole.record(x)
			if random.Float64() < share {
				a.record(x)
			} else {
				b.record(x)
			}
		}
		results := []*Result{a.conclude(t), b.conclude(t)}
		for i, r := range results {
			if random.IntN(2) == 0 {
				results[i] = fromJSON(t, r)
			}
		}
		compareWhole(t, merge(t, results...), whole.conclude(t))
		if t.Failed() {
			t.Fatalf("with seed %d", seed)
		}
	}
}

// compareWhole compares a merged result of two processes with that of one process
// that did the same. Warnings name numbers of the parts: their codes are compared.
func compareWhole(t *testing.T, merged, whole *Result) {
	t.Helper()
	codes := func(r *Result) map[WarningCode]bool {
		set := map[WarningCode]bool{}
		for _, w := range r.Warnings {
			set[w.Code] = true
		}
		return set
	}
	if diff := cmp.Diff(codes(whole), codes(merged)); diff != "" {
		t.Errorf("warnings: %s", diff)
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(whole.FirstErrors)), slices.Sorted(maps.Keys(merged.FirstErrors))); diff != "" {
		t.Errorf("first errors: %s", diff)
	}
	if diff := cmp.Diff(whole, merged,
		cmpopts.EquateApprox(1e-12, 0), // sums are taken in another order
		cmpopts.IgnoreFields(Result{}, "Workers", "Warnings", "FirstErrors", "StartupMS", "Host"),
		cmpopts.IgnoreFields(Window{}, "P50US", "P99US"),
		cmpopts.IgnoreFields(Generator{}, "Busy", "PeakRSSBytes", "GCPauseMaxUS"),
		cmpopts.IgnoreUnexported(Distribution{}),
		cmpopts.IgnoreFields(Distribution{}, "HDR"),
		cmp.Comparer(func(a, b cpuset.Set) bool { return a == b }),
	); diff != "" {
		t.Error(diff)
	}
	for i, d := range merged.Latency.distributions() {
		if want := *whole.Latency.distributions()[i]; want != nil && encoded(t, want) != encoded(t, *d) {
			t.Errorf("distribution %d holds other counts", i)
		}
	}
}

func encoded(t *testing.T, d *Distribution) string {
	t.Helper()
	text, err := d.histogram.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// A result is the same after it went through JSON, and after it was merged alone.
func TestResultRoundTrip(t *testing.T) {
	r := sample(t)
	want, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	back := fromJSON(t, r)
	for name, got := range map[string]*Result{"read back": back, "merged alone": merge(t, r), "merged alone from JSON": merge(t, back)} {
		text, err := json.Marshal(got)
		if err != nil || !bytes.Equal(text, want) {
			t.Errorf("%s (%v):\n%s\nwant\n%s", name, err, text, want)
		}
	}
	var a, b strings.Builder
	if err := errors.Join(r.Latency.Response.WriteHGRM(&a), back.Latency.Response.WriteHGRM(&b)); err != nil || a.String() != b.String() {
		t.Errorf("percentiles read back (%v):\n%s\nwant\n%s", err, b.String(), a.String())
	}
}

func TestDistributionFromJSON(t *testing.T) {
	for _, values := range [][]int64{
		{7}, {1_000_000, 1_000_001}, {5, 5, 5, 5, 5}, {0, 0}, {-5}, {-5, 3}, {hdr.MaxNS + 9}, {hdr.MaxNS, hdr.MaxNS + 9, hdr.MaxNS + 9},
		{1, 2_000, 2_000, 2_000, 2_047, 2_048, 70_001, 70_002},
	} {
		h := hdr.New(hdr.Fine)
		for _, ns := range values {
			h.Record(ns)
		}
		text, err := json.Marshal(distribution(h))
		if err != nil {
			t.Fatal(err)
		}
		var d Distribution
		if err := json.Unmarshal(text, &d); err != nil {
			t.Errorf("%v: %v", values, err)
			continue
		}
		if g := d.histogram; encoded(t, &d) != d.HDR || g.MinNS() != h.MinNS() || g.MaxNS() != h.MaxNS() || g.Clamped() > h.Clamped() {
			t.Errorf("%v: %d values from %d to %d came back", values, g.Count(), g.MinNS(), g.MaxNS())
		}
	}
}

// What contradicts itself, or is not ours, is refused.
func TestDistributionRefused(t *testing.T) {
	of := func(digits int) *Distribution {
		h := hdr.New(digits)
		h.Record(1000)
		h.Record(9000)
		return distribution(h)
	}
	for _, tt := range []struct {
		change func(*Distribution)
		want   string
	}{
		{func(d *Distribution) { d.histogram, d.HDR = nil, "garbage" }, "base64"},
		{func(d *Distribution) { d.Count = 3 }, "holds 2 values, but count is 3"},
		{func(d *Distribution) { d.MinUS = 2 }, "want some from 2000 to 9000"},
		{func(d *Distribution) { d.MaxUS = 10 }, "want some from 1000 to 10000"},
		{func(d *Distribution) { *d = *of(hdr.Coarse) }, "2 digits"},
	} {
		d := of(hdr.Fine)
		tt.change(d)
		text, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, new(Distribution)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("got %v, want %q", err, tt.want)
		}
	}
	r := sample(t)
	r.Latency.Service = &Distribution{Count: 1}
	if _, err := MergeResults([]*Result{sample(t), r}); !isPart(err, 1) {
		t.Errorf("without a histogram: %v", err)
	}
}

// isPart reports whether an error is about that part.
func isPart(err error, part int) bool {
	var e *PartError
	return errors.As(err, &e) && e.Part == part
}

// sample is a result of 4 ok and one timeout, with something in the fields that
// are merged.
func sample(t *testing.T) *Result {
	t.Helper()
	p := newPart(t, 4, 500*time.Millisecond)
	p.plan.Targets[0].Header = []Field{{"A", "1"}}
	from := p.worker.timeline.From
	for i, outcome := range []exchange.Outcome{exchange.OK, exchange.OK, exchange.OK, exchange.OK, exchange.Timeout} {
		at := from + mono.Time(i+1)*mono.Time(10*time.Millisecond)
		p.record(exchange.Exchange{Intended: at, Ready: at, Sent: at + 1000, FirstByte: at + 2000, Done: at + 3000 + mono.Time(i), Status: 200, Outcome: outcome, BodyBytes: 5})
	}
	r := p.conclude(t)
	r.Host, r.TLS = nil, &TLSFacts{Version: "TLS 1.3"}
	r.Server = &Server{PID: 7, PIDs: []int{7, 8}, Name: "s", CPUPerRequestUS: ptr(250_000.0), CoresUsed: 1, CPUsBusy: ptr(0.5)} // 1 core x 1 s / 4
	return r
}

// How each field of two results comes into their merger.
const (
	summed  = "summed"
	largest = "the largest" // of booleans: whether any is true
	united  = "united"
	first   = "that of the first"
	alike   = "the same in all, or an error"
	leftOut = "left out"
)

// mergeRules says of every field of a result how it is merged; "Test…" is where
// that is tested, since it depends on other fields.
func mergeRules() map[string]string {
	return map[string]string{
		"schema": alike, "version": alike, "protocol": alike, "address": alike,
		"started_at": first, "measured_s": "TestMergeSpans", "startup_ms": largest, "interrupted": largest, "rps": "TestMergeHalves", "offered_rps": "TestMergeSpans",

		"plan.targets.url": alike, "plan.targets.method": alike, "plan.targets.header.name": alike, "plan.targets.header.value": alike,
		"plan.targets.host": alike, "plan.targets.body_bytes": alike, "plan.targets.expect_status": alike, "plan.targets.expect_bytes": alike, "plan.targets.expect_sha256": alike, "plan.targets.server_pids": alike,
		"plan.protocol": alike, "plan.tls.insecure": alike, "plan.tls.cas": alike, "plan.tls.cert": alike, "plan.tls.key": alike,
		"plan.tls.min": alike, "plan.tls.max": alike, "plan.tls.alpn": alike, "plan.tls.sni": alike, "plan.tls.resume": alike, "plan.tls.zero_rtt": alike,
		"plan.connections": summed, "plan.streams": alike, "plan.requests_per_conn": alike, "plan.requests": summed,
		"plan.warmup_ns": alike, "plan.measure_ns": alike, "plan.drain_ns": alike, "plan.timeout_ns": alike, "plan.connect_timeout_ns": alike,
		"plan.rate": alike, "plan.burst.requests": summed, "plan.burst.every_ns": alike, "plan.arrival": alike, "plan.deadline_ns": alike,
		"plan.slices.length_ns": alike, "plan.slices.settle_ns": alike, "plan.slices.freeze": alike, "plan.slices.keep": alike,
		"plan.window_ns": alike, "plan.rest_max_ns": alike, "plan.quic_stats": alike, "plan.cpus": united, "plan.no_pin": largest,
		"plan.server_pid": first, "plan.seed": first, "plan.ip": alike, "plan.source_ips": united,

		"tls.version": first, "tls.cipher": first, "tls.group": first, "tls.alpn": first, "tls.subject": first, "tls.not_after": first,

		"ledger.scheduled": summed, "ledger.ok": summed, "ledger.shed": summed, "ledger.unfinished": summed, "ledger.never_sent": summed, "ledger.errors": "TestMergeHalves",
		"completed_in_window": summed, "all_phases.sent": summed, "status": "TestMergeHalves", "first_errors": "TestMergeFirstErrors",

		"latency.service": "TestMergeHalves", "latency.response": "TestMergeHalves", "latency.send_delay": "TestMergeHalves", "latency.lateness": "TestMergeHalves",
		"latency.first_byte": "TestMergeHalves", "latency.failed": "TestMergeHalves", "latency.connect": "TestMergeConnecting", "latency.tls": "TestMergeConnecting",
		"latency.quic": "TestMergeConnecting", "latency.dns": "TestMergeConnecting",

		"bytes_in": summed, "bytes_out": summed, "body_bytes_in": summed,
		"connections.opened": summed, "connections.reused_requests": summed, "connections.resumed": summed, "connections.restarted_requests": summed,
		"connections.jain_index": leftOut, "quic": leftOut, "host": leftOut, "waited": leftOut, "thresholds": leftOut,

		"windows.t_s": first, "windows.ok": summed, "windows.errors": summed, "windows.p50_us": "TestMergeRows", "windows.p99_us": "TestMergeRows", "windows.max_us": largest,
		"workers.cpu": first, "workers.connections": first, "workers.ok": first, "workers.busy": first, "workers.spinning": first, "workers.preempted": first, // and those of the others after them: TestMergeGenerators

		"server.pid": first, "server.pids": "TestMergeServers", "server.name": first, "server.cpu_us_per_request": "TestMergeServers", "server.cores_used": first,
		"server.cores_allowed": first, "server.busy": first, "server.cpus_busy": first, "server.peak_rss_bytes": largest,

		"generator.cpu_s": summed, "generator.cpu_us_per_request": "TestMergeGenerators", "generator.busy": "TestMergeGenerators", "generator.rest_us": largest,
		"generator.peak_rss_bytes": summed, "generator.gc_pause_max_us": largest, "generator.engine": alike,

		"validity": "TestMergeWarnings", "warnings.code": first, "warnings.text": first, // and those of the others: TestMergeWarnings
	}
}

// Nobody can add a field to a result and forget to say how it is merged.
func TestMergeEveryField(t *testing.T) {
	rules := mergeRules()
	r := sample(t)
	r.Latency = Latency{Response: r.Latency.Response} // the others would only take time
	for _, path := range fieldPaths(reflect.TypeFor[Result](), "") {
		rule, known := rules[path]
		delete(rules, path)
		switch {
		case !known:
			t.Errorf("%s: say in mergeRules how it is merged, and merge it", path)
		case !strings.HasPrefix(rule, "Test"):
			checkRule(t, r, path, rule)
		}
	}
	for path := range rules {
		t.Errorf("%s: there is no such field", path)
	}
}

// checkRule sets one field to 1 and 2 in two copies of a result.
func checkRule(t *testing.T, r *Result, path, rule string) {
	t.Helper()
	a, b := fromJSON(t, r), fromJSON(t, r)
	fieldAt(reflect.ValueOf(a).Elem(), path).Set(valueOf(t, fieldAt(reflect.ValueOf(a).Elem(), path), 1))
	fieldAt(reflect.ValueOf(b).Elem(), path).Set(valueOf(t, fieldAt(reflect.ValueOf(b).Elem(), path), 2))
	checkMerged(t, path, rule, a, b)
	if rule == summed || rule == largest {
		checkMerged(t, path, rule, b, a)
	}
}

func checkMerged(t *testing.T, path, rule string, results ...*Result) {
	t.Helper()
	merged, err := MergeResults(results)
	if rule == alike {
		var e *PartError
		if !errors.As(err, &e) {
			t.Errorf("%s may differ: %v", path, err)
		}
		return
	}
	if err != nil {
		t.Errorf("%s: %v", path, err)
		return
	}
	got := fieldAt(reflect.ValueOf(merged).Elem(), path)
	if rule == leftOut {
		if !got.IsZero() {
			t.Errorf("%s is there: %v", path, got)
		}
		return
	}
	n := map[string]int{summed: 3, largest: 2, first: 1, united: 12}[rule] // 12: 1 and 2
	if want := valueOf(t, got, n); !reflect.DeepEqual(got.Interface(), want.Interface()) {
		t.Errorf("%s is %v, want %v (%s)", path, got, want, rule)
	}
}

// fieldPaths lists the fields that hold a value, as paths of JSON keys. Slices of
// structs are gone through, distributions are not.
func fieldPaths(typ reflect.Type, path string) (paths []string) {
	for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice && typ.Elem().Kind() == reflect.Struct && !isValue(typ.Elem()) {
		typ = typ.Elem()
	}
	if typ.Kind() != reflect.Struct || isValue(typ) {
		return []string{path}
	}
	for i := range typ.NumField() {
		f := typ.Field(i)
		key := keyOf(f)
		switch {
		case f.Anonymous:
			for _, p := range fieldPaths(f.Type, path) {
				if top, _, _ := strings.Cut(strings.TrimPrefix(p, path+"."), "."); !hasKey(typ, top) {
					paths = append(paths, p)
				}
			}
		case key != "":
			paths = append(paths, fieldPaths(f.Type, strings.TrimPrefix(path+"."+key, "."))...)
		}
	}
	return paths
}

// isValue reports whether a struct is one value in JSON, or merged as one.
func isValue(typ reflect.Type) bool {
	whole := []reflect.Type{reflect.TypeFor[Distribution](), reflect.TypeFor[QUICStats](), reflect.TypeFor[Host](), reflect.TypeFor[Verdict](), reflect.TypeFor[Rate]()}
	return slices.Contains(whole, typ) || typ.Implements(reflect.TypeFor[encoding.TextMarshaler]())
}

// keyOf is a field's key, empty when it is not in JSON.
func keyOf(f reflect.StructField) string {
	key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return key
}

func hasKey(typ reflect.Type, key string) bool {
	for i := range typ.NumField() {
		if keyOf(typ.Field(i)) == key {
			return true
		}
	}
	return false
}

// fieldAt finds a field, in the first element of slices, and makes what is nil on
// the way.
func fieldAt(v reflect.Value, path string) reflect.Value {
	for key := range strings.SplitSeq(path, ".") {
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				v.Set(reflect.New(v.Type().Elem()))
			}
			v = v.Elem()
		}
		if v.Kind() == reflect.Slice {
			v = v.Index(0)
		}
		v = v.FieldByIndex(indexOf(v.Type(), key))
	}
	return v
}

// indexOf prefers a key of the struct itself to one of a struct in it.
func indexOf(typ reflect.Type, key string) []int {
	var embedded []int
	for i := range typ.NumField() {
		f := typ.Field(i)
		if keyOf(f) == key {
			return []int{i}
		}
		if f.Anonymous {
			embedded = append([]int{i}, indexOf(f.Type, key)...)
		}
	}
	return embedded
}

// valueOf makes a value of a field's type from a small number; for sets 12 is 1
// and 2.
func valueOf(t *testing.T, field reflect.Value, n int) reflect.Value {
	t.Helper()
	members := []int{n}
	if n == 12 {
		members = []int{1, 2}
	}
	v := reflect.New(field.Type()).Elem()
	switch x := v.Addr().Interface().(type) {
	case *time.Time:
		*x = time.Unix(1_700_000_000, int64(n)).UTC()
	case *cpuset.Set:
		*x, _ = cpuset.Of(members...)
	case *[]netip.Addr:
		for _, m := range members {
			*x = append(*x, netip.AddrFrom4([4]byte{127, 0, 0, byte(m)}))
		}
	case *[]byte:
		*x = []byte{byte(n)}
	case *[]int:
		*x = []int{n}
	case *[]string:
		*x = []string{fmt.Sprint(n)}
	case *bool:
		*x = n > 1
	case *Rate:
		x.Steps = make([]schedule.Step, n)
	case *[]Verdict:
		*x = make([]Verdict, n)
	default:
		switch {
		case v.CanInt():
			v.SetInt(int64(n))
		case v.CanUint():
			v.SetUint(uint64(n))
		case v.CanFloat():
			v.SetFloat(float64(n))
		case v.Kind() == reflect.String:
			v.SetString(fmt.Sprint(n))
		case v.Kind() == reflect.Pointer && v.Type().Elem().Kind() == reflect.Struct:
			v.Set(reflect.New(v.Type().Elem()))
		case v.Kind() == reflect.Pointer:
			v.Set(reflect.New(v.Type().Elem()))
			v.Elem().Set(valueOf(t, v.Elem(), n))
		default:
			t.Fatalf("no value of %s", v.Type())
		}
	}
	return v
}

// at moves a sample's window: it begins and lasts so many seconds.
func at(t *testing.T, begins, lasts float64) *Result {
	r := sample(t)
	r.StartedAt = time.Unix(1_700_000_000, 0).Add(time.Duration(begins * float64(time.Second)))
	r.MeasuredS = lasts
	return r
}

func TestMergeSpans(t *testing.T) {
	for _, tt := range []struct {
		name     string
		requests int64      // of each; 0: the windows have a given length
		a, b     [2]float64 // begins, lasts
		measured float64
		differ   bool
	}{
		{"the same", 0, [2]float64{0, 10}, [2]float64{0, 10}, 10, false},
		{"0.5 % apart", 0, [2]float64{0, 10}, [2]float64{0.05, 10}, 10, false}, // not 10.05: a host's clock is no longer window
		{"the later one first", 0, [2]float64{0.05, 10}, [2]float64{0, 10}, 10, false},
		{"2 % apart", 0, [2]float64{0, 10}, [2]float64{0.2, 10}, 10.2, true}, // 0 to 10.2
		{"one ended early", 0, [2]float64{0, 10}, [2]float64{0, 9}, 10, true},
		{"half beside", 0, [2]float64{5, 10}, [2]float64{0, 10}, 15, true}, // 0 to 15
		{"requests, one ended early", 100, [2]float64{0, 10}, [2]float64{0, 9}, 10, false},
		{"requests, one began late", 100, [2]float64{0, 10}, [2]float64{1, 9}, 10, true}, // 0 to 10
		{"one of nothing", 100, [2]float64{0, 10}, [2]float64{0, 0}, 10, false},
		{"all of nothing", 100, [2]float64{0, 0}, [2]float64{0, 0}, 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, b := at(t, tt.a[0], tt.a[1]), at(t, tt.b[0], tt.b[1])
			a.Plan.Requests, b.Plan.Requests = tt.requests, tt.requests
			a.OfferedRPS, b.OfferedRPS = ptr(5.0), ptr(5.0)
			r := merge(t, a, b)
			if r.MeasuredS != tt.measured || r.StartedAt.Unix() != 1_700_000_000 || r.StartedAt.Nanosecond() != 0 {
				t.Errorf("%v s from %v, want %v", r.MeasuredS, r.StartedAt, tt.measured)
			}
			if rps, offered := perSecond(8, tt.measured), perSecond(10, tt.measured); r.RPS != rps || *r.OfferedRPS != offered { // 4 and 4 of 5 and 5
				t.Errorf("rps %v of %v, want %v of %v", r.RPS, *r.OfferedRPS, rps, offered)
			}
			i := slices.IndexFunc(r.Warnings, func(w Warning) bool { return w.Code == WindowsDiffer })
			if (i >= 0) != tt.differ {
				t.Errorf("warnings %v", r.Warnings)
			}
		})
	}
	for _, b := range []*Result{at(t, 10, 10), at(t, 3600, 10)} {
		if _, err := MergeResults([]*Result{at(t, 0, 10), at(t, 0, 10), b}); !isPart(err, 2) {
			t.Errorf("no time in common: %v", err)
		}
	}
}

func TestMergeRefuses(t *testing.T) {
	if _, err := MergeResults(nil); err == nil {
		t.Error("nothing was merged")
	}
	for _, tt := range []struct {
		change func(*Result)
		want   string
	}{
		{func(r *Result) { r.Plan.Targets[0].URL = "http://h/" }, `result 2: plan: targets is [{"url":"http://h/"`},
		{func(r *Result) { r.Plan.RequestsPerConn = 3 }, "result 2: plan: requests_per_conn is 3, and not there in the first result"},
		{func(r *Result) { r.Plan.Requests = 5 }, "plan: requests is 1, and not there"}, // 1: there is a number
		{func(r *Result) { r.OfferedRPS = ptr(5.0) }, "result 2: loop is open, and closed in the first result"},
		{func(r *Result) { r.Plan.Targets = nil }, "result 2: 0 targets"},
		{func(r *Result) { r.MeasuredS = -1 }, "measured for -1 s"},
		{func(r *Result) { r.Schema = "scalbench.probe/v1" }, `result 2: schema "scalbench.probe/v1"`},
	} {
		r := sample(t)
		tt.change(r)
		if _, err := MergeResults([]*Result{sample(t), r}); !isPart(err, 1) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("got %v, want %q", err, tt.want)
		}
	}
}

// What is merged stays as it was.
func TestMergeLeavesParts(t *testing.T) {
	a, b := sample(t), sample(t)
	a.OfferedRPS, b.OfferedRPS = ptr(1.0), ptr(2.0)
	a.Plan.SourceIPs = append(make([]netip.Addr, 0, 9), netip.MustParseAddr("127.0.0.1"))
	b.Plan.SourceIPs = []netip.Addr{netip.MustParseAddr("127.0.0.2")}
	before := [2]*Result{fromJSON(t, a), fromJSON(t, b)}
	merge(t, a, b)
	for i, r := range []*Result{a, b} {
		want, _ := json.Marshal(before[i])
		if got, _ := json.Marshal(r); !bytes.Equal(got, want) {
			t.Errorf("part %d is now\n%s\nwas\n%s", i, got, want)
		}
	}
	if spare := a.Plan.SourceIPs[:2][1]; spare.IsValid() {
		t.Errorf("%v was written behind the first part's addresses", spare)
	}
}

func TestMergeFirstErrors(t *testing.T) {
	a, b := sample(t), sample(t)
	a.FirstErrors = map[string]string{"timeout": "a"}
	b.FirstErrors = map[string]string{"timeout": "b", "reset": "b"}
	if diff := cmp.Diff(map[string]string{"timeout": "a", "reset": "b"}, merge(t, a, b).FirstErrors); diff != "" {
		t.Error(diff)
	}
}

// The histograms that recorded exchanges do not fill.
func TestMergeConnecting(t *testing.T) {
	of := func(ns int64) *Distribution {
		h := hdr.New(hdr.Fine)
		h.Record(ns)
		return distribution(h)
	}
	a, b := sample(t), sample(t)
	a.Latency.Connect, a.Latency.TLS, a.Latency.QUIC, a.Latency.DNS = of(1000), of(1000), of(1000), of(1000)
	b.Latency.Connect, b.Latency.TLS, b.Latency.QUIC = of(4000), of(4000), of(4000)
	l := merge(t, a, b).Latency
	for name, d := range map[string]*Distribution{"connect": l.Connect, "tls": l.TLS, "quic": l.QUIC} {
		if d.Count != 2 || d.MinUS != 1 || d.MaxUS != 4 || d.MeanUS != 2.5 || d.P50US == nil || d.P75US != nil { // 2 x (1 - 0.75) < 1
			t.Errorf("%s: %+v", name, d)
		}
	}
	if l.DNS.Count != 1 {
		t.Errorf("dns %+v", l.DNS)
	}
}

// Percentiles cannot be merged: they stay where they are of one part alone.
func TestMergeRows(t *testing.T) {
	row := func(start float64, ok, errors uint64, us float64) Window {
		if ok == 0 {
			return Window{StartS: start, Errors: errors}
		}
		return Window{StartS: start, OK: ok, Errors: errors, P50US: ptr(us), P99US: ptr(us + 1), MaxUS: ptr(us + 2)}
	}
	rows := mergeRows([]*Result{
		{Windows: []Window{row(0, 5, 1, 10), row(1, 0, 1, 0), row(2, 7, 0, 30)}},
		{Windows: []Window{row(0, 6, 0, 20), row(1, 3, 2, 40)}},
		{Windows: []Window{row(0, 1, 0, 5), row(1, 0, 0, 0), row(2, 0, 4, 0), row(3, 2, 0, 50)}},
	})
	want := []Window{
		{StartS: 0, OK: 12, Errors: 1, MaxUS: ptr(22.0)},
		row(1, 3, 3, 40), // the second alone has samples
		row(2, 7, 4, 30),
		row(3, 2, 0, 50),
	}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Error(diff)
	}
}

func TestMergeGenerators(t *testing.T) {
	a, b := sample(t), sample(t)
	a.Workers = []WorkerResult{{CPU: 1}, {CPU: 2}, {CPU: 3}}
	a.Generator.CPUS, a.Generator.Busy = 2, ptr(0.8)
	b.Workers = []WorkerResult{{CPU: 1}}
	b.Generator.CPUS, b.Generator.Busy = 1, ptr(0.4)
	r := merge(t, a, b)
	if g := r.Generator; *g.CPUPerRequestUS != 375_000 { // 3 s / 8 requests
		t.Errorf("CPU per request %v", *g.CPUPerRequestUS)
	}
	if got := *r.Generator.Busy; got < 0.7-1e-9 || got > 0.7+1e-9 { // (3 x 0.8 + 0.4) / 4
		t.Errorf("busy %v", got)
	}
	if diff := cmp.Diff([]WorkerResult{{CPU: 1}, {CPU: 2}, {CPU: 3}, {CPU: 1}}, r.Workers); diff != "" {
		t.Error(diff)
	}
	b.Generator.Busy, b.Generator.CPUPerRequestUS = nil, nil
	if g := merge(t, a, b).Generator; g.Busy != nil || g.CPUPerRequestUS != nil {
		t.Errorf("known from one of two: %+v", g)
	}
	b.CompletedInWindow = 0 // then nothing is missing
	if g := merge(t, a, b).Generator; g.CPUPerRequestUS == nil {
		t.Error("a generator without a request hides the cost of the others")
	}
}

func TestMergeServers(t *testing.T) {
	a, b := at(t, 0, 10), at(t, 0, 10)
	a.Server.PIDs, b.Server.PIDs = []int{8, 7}, []int{7, 8}
	a.Server.CPUsBusy, b.Server.CPUsBusy = ptr(0.5), ptr(0.6)
	s := merge(t, a, b).Server
	if *s.CPUPerRequestUS != 1_250_000 || *s.CPUsBusy != 0.5 { // 1 core x 10 s / 8 requests
		t.Errorf("got %v us a request, CPUs %v busy", *s.CPUPerRequestUS, *s.CPUsBusy)
	}
	if a.Server.CPUPerRequestUS == nil || *a.Server.CPUPerRequestUS != 250_000 {
		t.Error("the part's own was changed")
	}
	b.Server.CPUsBusy = nil // it has some of them
	if s := merge(t, a, b).Server; s.CPUsBusy != nil {
		t.Errorf("CPUs %v busy, of which one generator has some", *s.CPUsBusy)
	}
	b.Server = nil // not asked for
	if s := merge(t, b, a).Server; s == nil || *s.CPUPerRequestUS != 1_250_000 || s.CPUsBusy != nil {
		t.Errorf("read by one: %+v", s)
	}
	longer := at(t, 0, 12)
	longer.Server = nil
	if s := merge(t, a, longer).Server; s == nil || s.CPUPerRequestUS != nil {
		t.Errorf("read over 10 s of 12: %+v", s)
	}
	longer.Server = &Server{PIDs: []int{7, 8}, CoresUsed: 2}
	if s := merge(t, a, longer).Server; s.CoresUsed != 2 || *s.CPUPerRequestUS != 3_000_000 { // 2 x 12 s / 8
		t.Errorf("read over all 12 s by one: %+v", s)
	}
	other := at(t, 0, 10)
	other.Server.PIDs = []int{7, 9}
	r := merge(t, a, other)
	if last := r.Warnings[len(r.Warnings)-1]; r.Server != nil || last.Code != ServerUnknown || !strings.Contains(last.Text, "[8 7] and [7 9]") {
		t.Errorf("two servers: %+v, %v", r.Server, r.Warnings)
	}
}

func TestMergeWarnings(t *testing.T) {
	one, other := Warning{ErrorsPresent, "1 of 5"}, Warning{ErrorsPresent, "2 of 5"}
	pinned := Warning{NotPinned, "not pinned"}
	broken := func(scheduled uint64) *Result {
		r := sample(t)
		r.Ledger.Scheduled = scheduled
		return r
	}
	with := func(v Validity, ws ...Warning) *Result {
		r := sample(t)
		r.Validity, r.Warnings = v, ws
		return r
	}
	later := at(t, 0.1, 1)
	later.Warnings, later.Validity = nil, Valid
	earlier := at(t, 0, 1)
	earlier.Warnings, earlier.Validity = nil, Valid
	for _, tt := range []struct {
		name     string
		parts    []*Result
		codes    []WarningCode
		validity Validity
	}{
		{"none", []*Result{with(Valid), with(Valid)}, nil, Valid},
		{"the same once", []*Result{with(Suspect, one), with(Suspect, one)}, []WarningCode{ErrorsPresent}, Suspect},
		{"of one code together", []*Result{with(Suspect, one, pinned), with(Suspect, other)}, []WarningCode{ErrorsPresent, ErrorsPresent, NotPinned}, Suspect},
		{"worst of all", []*Result{with(Suspect, one), with(Invalid, Warning{Suspended, ""})}, []WarningCode{ErrorsPresent, Suspended}, Invalid},
		{"a code of later", []*Result{with(Valid), with(Invalid, Warning{"unheard_of", ""})}, []WarningCode{"unheard_of"}, Invalid},
		{"windows", []*Result{earlier, later}, []WarningCode{WindowsDiffer}, Suspect},
		// 5 are scheduled and accounted for: 4 and 6 add up to 10, and so do the rest.
		{"faults that cancel out", []*Result{broken(4), broken(6)}, []WarningCode{ErrorsPresent, LedgerBroken, LedgerBroken}, Invalid},
		{"one broken", []*Result{broken(5), broken(6)}, []WarningCode{ErrorsPresent, LedgerBroken, LedgerBroken}, Invalid}, // of the part and of the whole
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := merge(t, tt.parts...)
			var codes []WarningCode
			for _, w := range r.Warnings {
				if w.Code != GCPause { // of this process, on a busy host
					codes = append(codes, w.Code)
				}
			}
			if !slices.Equal(codes, tt.codes) || r.Validity != tt.validity {
				t.Errorf("%v: %s, want %v: %s", r.Warnings, r.Validity, tt.codes, tt.validity)
			}
		})
	}
}
