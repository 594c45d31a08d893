package probe

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/scalws/scalbench/internal/mono"
)

const ms = time.Millisecond

// made is a probe that was begun 1 ms late, had spans of 1, 2 and 3 ms and a
// kernel's stamp half a millisecond before its first byte.
func made(outcome Outcome, text string) *Probe {
	p := &Probe{Intended: mono.Time(10 * ms), Began: mono.Time(11 * ms), Done: mono.Time(17 * ms), Outcome: outcome, Error: text, Address: "a:1"}
	p.Spans = []Span{{PhaseTCP, 1 * ms}, {PhaseFirstByte, 2 * ms}, {PhaseLastByte, 3 * ms}}
	p.firstByte = mono.Time(14 * ms)
	p.Kernel = p.firstByte.Add(-ms / 2)
	if outcome.answered() {
		p.Status = 200
	}
	return p
}

func TestLedgerAddsUp(t *testing.T) {
	tally := newTally()
	for o := range numOutcomes {
		for range int(o) + 1 { // 1 ok, 2 bad_status, … 9 missed, 10 unfinished
			tally.record(made(o, "first"))
			tally.record(made(o, "second"))
		}
	}
	s := tally.summary(Config{URL: "http://a/", Rate: 10}, time.Time{}, time.Second, false)
	var errors uint64
	for _, n := range s.Ledger.Errors {
		errors += n
	}
	// 2 x (1 + 2 + … + 10) = 110 in all; the errors are 2 x (2 + … + 8) = 70.
	if l := s.Ledger; l.Scheduled != 110 || errors != 70 || l.Scheduled != l.OK+l.Missed+l.Unfinished+errors {
		t.Errorf("%+v with %d errors, want 110 = 2 + 18 + 20 + 70", l, errors)
	}
	// Answered are 2 ok and 4 bad_status; of 110 - 20 unfinished = 90 the other 84 are lost.
	if s.Answered != 6 || s.Lost != 84 || *s.LostFrac != 84.0/90 {
		t.Errorf("answered %d, lost %d, %v, want 6, 84 and 84/90", s.Answered, s.Lost, *s.LostFrac)
	}
	// Response has 2 ok, 6 timeout and 20 unfinished; missed come with their age.
	if got := s.Latency.Response.Count; got != 28 {
		t.Errorf("%d response times, want 28", got)
	}
	if got := s.Latency.Late.Count; got != 110-18 { // all but the missed
		t.Errorf("%d late, want 92", got)
	}
	if s.Latency.Total.Count != 2 || s.FirstErrors["reset"] != "first" || s.FirstErrors["ok"] != "first" {
		t.Errorf("total of %d, first errors %v", s.Latency.Total.Count, s.FirstErrors)
	}
}

func TestDurationsOfAProbe(t *testing.T) {
	tally := newTally()
	tally.record(made(OK, ""))
	l := tally.summary(Config{URL: "http://a/"}, time.Time{}, time.Second, false).Latency
	got := map[string]float64{}
	for name, d := range map[string]*Distribution{
		"total": l.Total, "response": l.Response, "tcp": l.TCP, "first": l.FirstByte, "last": l.LastByte,
		"own": l.Own, "kernel": l.FirstByteKernel, "late": l.Late,
	} {
		got[name] = d.MaxUS
	}
	want := map[string]float64{
		"total": 6000, "response": 7000, "late": 1000, // 17 - 11, 17 - 10, 11 - 10
		"tcp": 1000, "first": 2000, "last": 3000,
		"own": 500, "kernel": 1500, // 14 - 13.5, and 2 without it
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if l.DNS != nil || l.TLS != nil || l.QUIC != nil {
		t.Error("phases that did not happen have a distribution")
	}
}

func TestSeries(t *testing.T) {
	s := newSeries()
	for _, v := range []time.Duration{2, 4, 4, 4, 5, 5, 7, 9} {
		s.record(v*ms + time.Hour/2) // far from zero: plain squares would lose it
	}
	// Mean 5, squared differences 9 1 1 1 0 0 4 16 = 32, 32 / 8 = 4, root 2.
	if got := s.deviationNS(); math.Abs(got-2e6) > 1 {
		t.Errorf("deviation %v ns, want 2e6", got)
	}
	d := distribution(s)
	if d.P50US == nil || d.P90US != nil || d.P99US != nil { // 8 x 0.1 < 1
		t.Errorf("8 values have percentiles %v %v %v, want p50 alone", d.P50US, d.P90US, d.P99US)
	}
	for range 92 {
		s.record(5 * ms)
	}
	if d = distribution(s); d.P99US == nil {
		t.Error("100 values have no p99")
	}
}

func TestRows(t *testing.T) {
	r := newRows(0)
	fast, slow := made(OK, ""), made(OK, "")
	slow.Done = slow.Done.Add(10 * ms) // 16 ms
	slow.Spans[2].Duration += 10 * ms
	for _, p := range []*Probe{fast, slow, made(Timeout, "first"), made(Reset, "second"), made(Missed, "third"), made(Unfinished, "")} {
		r.record(p)
	}
	want := Row{
		At: 2 * time.Second, OK: 2, Failed: 3, Error: "timeout: first", Out: 4, Oldest: 1500 * ms,
		P50: 6 * ms, Max: 16 * ms, Spans: []Span{{PhaseTCP, 1 * ms}, {PhaseFirstByte, 2 * ms}, {PhaseLastByte, 3 * ms}}, Own: ms / 2,
	}
	if diff := cmp.Diff(want, r.take(mono.Time(2*time.Second), 4, mono.Time(500*ms))); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(Row{At: 3 * time.Second}, r.take(mono.Time(3*time.Second), 0, 0)); diff != "" {
		t.Errorf("the next row is not empty: %s", diff)
	}
}

func TestLines(t *testing.T) {
	missed := &Probe{Seq: 9, Outcome: Missed, Error: "512 probes were out already"}
	unstamped := made(OK, "")
	unstamped.Kernel = 0
	tests := []struct{ got, want string }{
		{made(OK, "").Line(), "seq 0  200  6.0 ms  tcp 1.0  first byte 2.0  last byte 3.0  own 0.50"},
		{unstamped.Line(), "seq 0  200  6.0 ms  tcp 1.0  first byte 2.0  last byte 3.0"},
		{made(Reset, "the server closed the connection").Line(), "seq 0  reset  6.0 ms  the server closed the connection"},
		{missed.Line(), "seq 9  missed  512 probes were out already"},
		{
			Row{At: 5 * time.Second, OK: 10, P50: ms, Max: 3 * ms, Spans: []Span{{PhaseTCP, ms / 2}}, Own: ms / 10}.Line(),
			"    5 s  10 ok  p50 1.0 ms  max 3.0  tcp 0.50  own 0.10",
		},
		{
			Row{At: 6 * time.Second, Failed: 2, Out: 12, Oldest: 1300 * ms, Error: "timeout: no response"}.Line(),
			"    6 s  0 ok  2 failed  12 out, the oldest for 1.3 s  timeout: no response",
		},
		{Row{At: 7 * time.Second, OK: 1, P50: ms, Max: ms, Out: 1, Oldest: 10 * ms}.Line(), "    7 s  1 ok  1.0 ms"},
	}
	for _, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("%q\nwant %q", tt.got, tt.want)
		}
	}
}

func TestText(t *testing.T) {
	tally := newTally()
	for range 9 {
		tally.record(made(OK, ""))
	}
	tally.record(made(BadStatus, "status 200, not 204"))
	tally.record(made(Timeout, "no response 1.0 s after sending"))
	tally.record(made(Unfinished, "the run was ended"))
	s := tally.summary(Config{URL: "http://a/", Rate: 0.5, KeepAlive: true}, time.Time{}, 24*time.Second, true)
	var b strings.Builder
	if err := s.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	// 12 sent, 10 answered, 1 of 12 - 1 lost: 9.1 %.
	want := `GET http://a/   h1, one connection kept, 0.5 a second for 24 s (interrupted)
probes    12 sent, 10 answered, 9.1 % lost, 1 unfinished
latency   min 6.0 ms  avg 6.0  max 6.0  stddev 0  p50 6.0
response  min 7.0 ms  avg 7.0  max 7.0  stddev 0  p50 7.0  p90 7.0
phases    p50 tcp 1.0 ms  first byte 2.0  last byte 3.0
own       p50 500 us  max 500, of this process in the first byte: p50 1.5 ms without it
failed    1 bad_status: status 200, not 204
failed    1 timeout: no response 1.0 s after sending
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
	if got := s.MainFailure(); got != "bad_status, status 200, not 204" {
		t.Errorf("main failure %q", got)
	}
}
