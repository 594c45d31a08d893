package loadgen

import (
	"maps"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/loadgen/internal/exchange"
)

// The window of these runs is the second from 1200 ms on; see newPart.
const windowFrom = partStart + 200*millisecond

const millisecond = mono.Time(time.Millisecond)

// concluded is the result of a run that one worker has seen, of which prepare says
// what was wrong. Without that it is valid.
func concluded(t *testing.T, prepare func(p *part)) *Result {
	t.Helper()
	p := newPart(t, 1, 0)
	p.worker.edges.from.at, p.worker.edges.to.at = windowFrom, windowFrom+1000*millisecond
	p.usage.from.at = p.usage.to.at // of this process nothing is told, such as its pauses to collect garbage
	prepare(p)
	if p.worker.recorder.ledger.scheduled == 0 {
		p.record(answered(0, millisecond))
	}
	return p.conclude(t)
}

// answered is an exchange that left late by so much and was then served in a time.
func answered(late, service mono.Time) exchange.Exchange {
	sent := windowFrom + late
	return exchange.Exchange{Intended: windowFrom, Ready: windowFrom, Sent: sent, FirstByte: sent + service, Done: sent + service, Status: 200, Outcome: exchange.OK}
}

// wantWarnings compares the codes, in any order, and what they make of the result.
func wantWarnings(t *testing.T, name string, r *Result, validity Validity, want ...WarningCode) {
	t.Helper()
	got := map[WarningCode]string{}
	for _, w := range r.Warnings {
		got[w.Code] = w.Text
	}
	slices.Sort(want)
	if codes := slices.Sorted(maps.Keys(got)); !slices.Equal(codes, want) || len(r.Warnings) != len(want) {
		t.Errorf("%s: %v, want %v", name, r.Warnings, want)
	}
	if r.Validity != validity {
		t.Errorf("%s: %s, want %s", name, r.Validity, validity)
	}
}

func warningText(r *Result, code WarningCode) string {
	text, _ := r.warned(code)
	return text
}

func TestNoWarnings(t *testing.T) {
	wantWarnings(t, "nothing wrong", concluded(t, func(*part) {}), Valid)
}

// That open files were all used is told when a connection failed for it, beside
// the error itself.
func TestFDLimitWarning(t *testing.T) {
	for _, tt := range []struct {
		errno syscall.Errno
		told  string // "": it is the server's doing
	}{
		{syscall.EMFILE, "a connection could not be opened: too many open files"},
		{syscall.ENFILE, "a connection could not be opened: too many open files in system"},
		{syscall.ECONNREFUSED, ""},
		{0, ""}, // the connect timeout
	} {
		r := concluded(t, func(p *part) {
			p.record(answered(0, millisecond))
			p.record(exchange.Exchange{
				Intended: windowFrom, Ready: windowFrom, Done: windowFrom + millisecond,
				Outcome: exchange.ConnectFailed, Reason: exchange.Reason{Text: "connect", Errno: uint16(tt.errno)},
			})
		})
		want := []WarningCode{ErrorsPresent}
		if tt.told != "" {
			want = append(want, FDLimit)
			if first := r.FirstErrors["connect_failed"]; first != "connect: "+tt.errno.Error() {
				t.Errorf("%v: first error %q", tt.errno, first)
			}
		}
		wantWarnings(t, tt.errno.Error(), r, Suspect, want...)
		if got := warningText(r, FDLimit); got != tt.told {
			t.Errorf("%v: %q, want %q", tt.errno, got, tt.told)
		}
	}
}

// EMFILE of another outcome has not kept a connection from being opened.
func TestFDLimitIsOfConnecting(t *testing.T) {
	r := concluded(t, func(p *part) {
		p.record(answered(0, millisecond))
		x := answered(0, millisecond)
		x.Outcome, x.Reason = exchange.ReadFailed, exchange.Reason{Text: "read", Errno: uint16(syscall.EMFILE)}
		p.record(x)
	})
	wantWarnings(t, "a failed read", r, Suspect, ErrorsPresent)
}

// A stall is 50 ms without an answer, and ten times the median service time.
func TestStallSeen(t *testing.T) {
	for name, tt := range map[string]struct {
		service mono.Time
		still   mono.Time
		text    string // "": none
	}{
		"below 50 ms":             {millisecond, 50*millisecond - 1, ""},
		"50 ms":                   {millisecond, 50 * millisecond, "answered nothing for 50 ms, although requests were out; half of them take no more than 1.0 ms"},
		"below ten service times": {10 * millisecond, 100*millisecond - 1, ""},
		"ten service times":       {10 * millisecond, 100 * millisecond, "for 100 ms, although requests were out; half of them take no more than 10 ms"},
	} {
		r := concluded(t, func(p *part) {
			p.record(answered(0, tt.service))
			p.record(answered(0, tt.service)) // a median takes two, and is exact where they are alike
			p.worker.longestStill = tt.still
		})
		if tt.text == "" {
			wantWarnings(t, name, r, Valid)
			continue
		}
		wantWarnings(t, name, r, Suspect, StallSeen)
		if got := warningText(r, StallSeen); !strings.Contains(got, tt.text) {
			t.Errorf("%s: %q, want something with %q", name, got, tt.text)
		}
	}
	r := concluded(t, func(p *part) { p.worker.longestStill = 500 * millisecond })
	wantWarnings(t, "one request, of which there is no median", r, Valid)
}

// A worker that did nothing for more than 20 ms, beyond the 10 ms that a turn may
// sleep, stood still; for more than 5 % of the window, which is 50 ms, it did not
// put the load on the server.
func TestGeneratorStoodStill(t *testing.T) {
	for name, tt := range map[string]struct {
		longestTurn mono.Time
		validity    Validity
		want        []WarningCode
		text        string
	}{
		"for 20 ms":           {30 * millisecond, Valid, nil, ""},
		"for more than 20 ms": {30*millisecond + 1, Suspect, []WarningCode{GeneratorStalled}, "stood still for 20 ms"},
		"for 50 ms":           {60 * millisecond, Suspect, []WarningCode{GeneratorStalled}, "stood still for 50 ms"},
		"for more than 50 ms": {60*millisecond + 1000, Invalid, []WarningCode{LateSends}, "no CPU for 50 ms of the window of 1 s"}, // by 1 us
	} {
		r := concluded(t, func(p *part) { p.worker.longestTurn = tt.longestTurn })
		wantWarnings(t, name, r, tt.validity, tt.want...)
		for _, code := range tt.want {
			if got := warningText(r, code); !strings.Contains(got, tt.text) {
				t.Errorf("%s: %q, want something with %q", name, got, tt.text)
			}
		}
	}
}

// In an open loop a p99 of lateness of 1 ms is too much, unless the median of
// response time is more than ten times that.
func TestLateInSchedule(t *testing.T) {
	const us = mono.Time(time.Microsecond)
	for name, tt := range map[string]struct {
		closed   bool
		late     mono.Time // of the two that are late, or of all
		requests int
		all      bool
		service  mono.Time
		validity Validity
	}{
		// The 99th of 100 is p99.
		"below 1 ms":             {late: 1000*us - 1, requests: 100, service: millisecond, validity: Valid},
		"1 ms":                   {late: 1000 * us, requests: 100, service: millisecond, validity: Invalid},
		"all by 1 ms":            {late: 1000 * us, requests: 100, all: true, service: millisecond, validity: Invalid},
		"a slow server":          {late: 2000 * us, requests: 100, service: 21 * millisecond, validity: Valid},   // of 21 ms a tenth is 2.1 ms
		"a server not so slow":   {late: 2000 * us, requests: 100, service: 19 * millisecond, validity: Invalid}, // of 19 ms 1.9 ms
		"too few for percentile": {late: 5000 * us, requests: 99, all: true, service: millisecond, validity: Valid},
		"a closed loop":          {closed: true, late: 5000 * us, requests: 100, all: true, service: millisecond, validity: Valid},
	} {
		r := concluded(t, func(p *part) {
			if !tt.closed {
				p.plan.Rate = Rate{Steps: []RateStep{{From: 100, To: 100}}}
			}
			for i := range tt.requests {
				late := tt.late
				if !tt.all && i < tt.requests-2 {
					late = 0
				}
				p.record(answered(late, tt.service))
			}
		})
		if tt.validity == Valid {
			wantWarnings(t, name, r, Valid)
			continue
		}
		wantWarnings(t, name, r, tt.validity, LateSends)
	}
}

// What one of a hundred requests does is no percentile of a hundred.
func TestOneLateRequest(t *testing.T) {
	r := concluded(t, func(p *part) {
		p.plan.Rate = Rate{Steps: []RateStep{{From: 100, To: 100}}}
		for range 99 {
			p.record(answered(0, millisecond))
		}
		p.record(answered(90*millisecond, millisecond)) // less than the burst of the first requests of many connections
	})
	wantWarnings(t, "one of a hundred", r, Valid)
}

// A worker that was ready to run for a tenth of the window and did not found its
// answers late; one that was never idle may have been the limit.
func TestCPUContendedAndSaturated(t *testing.T) {
	const ms = time.Millisecond
	for name, tt := range map[string]struct {
		cpu, waiting time.Duration
		want         []WarningCode
		text         string
	}{
		"waited below 10 %":         {0, 99 * ms, nil, ""},
		"waited for 10 %":           {0, 100 * ms, []WarningCode{CPUContended}, "for 10 % of the window"},
		"busy below 95 %":           {949 * ms, 0, nil, ""},
		"busy for 95 %":             {950 * ms, 0, []WarningCode{GeneratorSaturated}, "95 % busy"},
		"both, idle for the rest":   {700 * ms, 200 * ms, []WarningCode{CPUContended}, "for 20 %"},
		"both, and never idle":      {700 * ms, 300 * ms, []WarningCode{CPUContended, GeneratorSaturated}, "for 30 %"},
		"waited all the time":       {0, 1000 * ms, []WarningCode{CPUContended, GeneratorSaturated}, "for 100 %"},
		"busy, but mostly spinning": {980 * ms, 0, nil, ""}, // 600 ms of it: 38 %
	} {
		r := concluded(t, func(p *part) {
			// Of the thread's life before the window nothing counts.
			p.worker.edges.from.cpu, p.worker.edges.from.waiting = 5000*ms, 3000*ms
			p.worker.edges.to.cpu, p.worker.edges.to.waiting = 5000*ms+tt.cpu, 3000*ms+tt.waiting
			if strings.Contains(name, "spinning") {
				p.worker.edges.to.spun = 600 * ms
			}
		})
		validity := Valid
		if len(tt.want) > 0 {
			validity = Suspect
			if got := warningText(r, tt.want[0]); !strings.Contains(got, tt.text) {
				t.Errorf("%s: %q, want something with %q", name, got, tt.text)
			}
		}
		wantWarnings(t, name, r, validity, tt.want...)
	}
}
