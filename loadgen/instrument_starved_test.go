package loadgen_test

import (
	"syscall"
	"testing"
	"time"

	"github.com/scalws/scalbench/loadgen"
)

// A process that only counts, on the generator's CPU and at its priority, takes half
// of it. Whatever the loop, the result must not call itself valid: an answer that
// has arrived while the other one counts looks like the server's slowness.
func TestInstrumentCPUTakenAway(t *testing.T) {
	longTest(t)
	for _, tt := range []struct {
		name string
		plan func(s stand) loadgen.Plan
	}{
		// Slices are some ms: of each 10 ms in which 100 requests are due, several
		// go by without the CPU. 1 % is then later than 1 ms.
		{"open loop", func(s stand) loadgen.Plan { return s.open("/respond", 64, 10_000, time.Second) }},
		{"closed loop", func(s stand) loadgen.Plan { return s.closed("/respond", 64, time.Second) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newStand(t)
			startSpinning(t, s.generator)
			r := run(t, tt.plan(s))
			if r.Validity == loadgen.Valid {
				t.Errorf("it calls itself valid: busy %.2f, taken off its CPU %d times, %.0f/s, lateness p99 %.3f ms, service p99 %.3f ms",
					r.Busiest(), r.Workers[0].Preempted, r.RPS, ms(*r.Latency.Lateness.P99US), ms(*r.Latency.Service.P99US))
			}
		})
	}
}

// A generator that stands still for 300 ms in the middle of a window of 1 s: late by
// at least 300 ms, less the 100 ms for which a worker may sleep by itself. That is
// more than 5 % of the window, and the result is invalid.
func TestInstrumentGeneratorStopped(t *testing.T) {
	longTest(t)
	for _, tt := range []struct {
		name string
		plan func(s stand) loadgen.Plan
	}{
		{"open loop", func(s stand) loadgen.Plan { return s.open("/respond", 16, 1000, time.Second) }},
		{"closed loop", func(s stand) loadgen.Plan { return s.closed("/delay/2ms", 16, time.Second) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			const still = 300 * time.Millisecond
			s := newStand(t)
			p := tt.plan(s)
			p.Window = 100 * time.Millisecond
			generator := startGenerator(t, p)
			for range 3 {
				generator.await(t, rowLine)
			}
			signal(t, generator.pid(), syscall.SIGSTOP)
			<-time.After(still) // it is what is injected, nothing is waited for
			signal(t, generator.pid(), syscall.SIGCONT)
			r := generator.result(t)
			if r.Validity != loadgen.Invalid || !hasWarning(r, loadgen.LateSends) {
				t.Errorf("%s, %v: want it invalid for late_sends", r.Validity, r.Warnings)
			}
			if p.IsOpen() { // the first that was due after the stop is so late, less what is sent before a signal arrives
				within(t, "lateness max", ms(r.Latency.Lateness.MaxUS), ms(float64(still.Microseconds()))-50, 1000)
				if r.Ledger.Scheduled != 1000 {
					t.Errorf("%d scheduled, want 1000: the schedule does not stop", r.Ledger.Scheduled)
				}
			}
		})
	}
}

// A generator that is slower than its server: answers of 16 384 chunks of a byte each,
// which the server writes in one piece and the generator takes apart. Its thread always
// has something to do, so that it is the generator that is measured, and the result must
// say so: by its own busy share or, where others took a part of its CPU, by that.
func TestInstrumentGeneratorSaturated(t *testing.T) {
	longTest(t)
	s := twoCPUs(t)
	server := startChild(t, "TestChildServesChunks", "", s.server)
	p := loadgen.DefaultPlan(server.line(t))
	p.Connections, p.Measure = 64, time.Second
	p.CPUs, p.ServerPID = s.generator, loadgen.ServerNone
	r := run(t, p)
	if r.Validity == loadgen.Valid {
		t.Errorf("it calls itself valid: busy %.2f, taken off its CPU %d times", r.Busiest(), r.Workers[0].Preempted)
	}
	if r.Busiest() < 0.95 {
		return // others had a part
	}
	if !hasWarning(r, loadgen.GeneratorSaturated) {
		t.Errorf("busy %.2f, and no generator_saturated: %v", r.Busiest(), r.Warnings)
	}
	if who, why := r.Limit(); who != loadgen.LimitGenerator {
		t.Errorf("the limit is said to be another: %s", why)
	}
}

// A rate of a million a second, which is more than the server answers or the
// generator sends, over 64 connections and half a second: each of the half million
// has an outcome and an age, and most were never sent.
func TestInstrumentBeyondCapacity(t *testing.T) {
	s := newStand(t)
	r := run(t, s.open("/respond", 64, 1e6, 500*time.Millisecond))
	l := r.Ledger
	if l.Scheduled != 500_000 || l.NeverSent == 0 { // 1e6/s x 0.5 s
		t.Errorf("ledger %+v, want 500 000 scheduled, some of them never sent", l)
	}
	if r.Latency.Response.Count != 500_000 {
		t.Errorf("%d response times of 500 000 requests", r.Latency.Response.Count)
	}
	if !hasWarning(r, loadgen.ErrorsPresent) {
		t.Errorf("%d never sent, and no warning of it: %v", l.NeverSent, r.Warnings)
	}
	notValid(t, r)
}
