package loadgen_test

import (
	"testing"
	"time"

	"github.com/scalws/scalbench/loadgen"
)

// memoryMost is by how much the peak memory of two generators may differ whose load
// differs: the garbage collector lets a heap of 4 MiB grow to twice that, and the
// runtime's own parts are not the same in two processes. A million requests that each
// took an exchange (96 bytes) would be 92 MiB.
const memoryMost = 10 << 20

// A million requests wait at a server that never answers. They are the part of the
// schedule between the next to begin and now, and take no memory: the peak of the
// generator is that of a hundred requests. Each is accounted for all the same.
func TestInstrumentMemory(t *testing.T) {
	longTest(t)
	url := silentServer(t)
	cpus := twoCPUs(t)
	peak := func(rps float64) int64 {
		p := loadgen.DefaultPlan(url)
		p.Connections, p.Measure, p.Drain = 16, time.Second, 100*time.Millisecond
		p.CPUs, p.ServerPID = cpus.generator, loadgen.ServerNone
		p.Rate = constantRate(rps)
		r := startGenerator(t, p).result(t)
		l := r.Ledger
		if want := uint64(rps); l.Scheduled != want || l.Unfinished != 16 || l.NeverSent != want-16 { // one out on each connection
			t.Errorf("%v/s: ledger %+v, want 16 unfinished of %d and the others never sent", rps, l, want)
		}
		// The oldest is that which was intended first, 1.1 s before the end of the drain.
		within(t, "response max", ms(r.Latency.Response.MaxUS), 1100, 1100+1000)
		notValid(t, r)
		return r.Generator.PeakRSSBytes
	}
	few, million := peak(100), peak(1e6)
	if more := million - few; more > memoryMost {
		t.Errorf("peak memory of a million that wait is %d KiB, of a hundred %d KiB: %d KiB more", million>>10, few>>10, more>>10)
	}
}
