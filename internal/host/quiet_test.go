package host

import (
	"context"
	"errors"
	"testing"
	"time"
)

// usual is the condition of the published reports with the direct measure added.
func usual(t *testing.T) Condition {
	return Condition{Load1: 2, BusyFrac: 0.02, PressureFrac: 0.01, CPUs: cpus(t, "0-3"), Timeout: time.Hour}
}

func TestWaitQuiet(t *testing.T) {
	m := machineOf(t, "xeon")
	m.write("proc/loadavg", "2.00 2.10 2.48 1/402 9120\n") // not below 2
	look := 0
	m.pass = func() {
		look++
		switch look {
		case 1: // 40 of 4 x 500 ticks are 2 %, which is not below 2 %
			m.work("0", user, 40)
			m.work("0", idle, 460)
			m.work("1-3", idle, 500)
			m.run(500, userTime, 40)
			m.run(90, userTime, 10) // on CPU 2, as told by its last field
		case 2: // quiet but for tasks that wait, elsewhere
			m.write("proc/loadavg", "1.99 2.10 2.48 1/402 9120\n")
			m.write("proc/pressure/cpu", "some avg10=1.00 avg60=0.41 avg300=2.10 total=8812345\n")
			m.work("0-3", idle, 500)
		case 3: // 39 of 2000 ticks
			m.write("proc/pressure/cpu", "some avg10=0.99 avg60=0.41 avg300=2.10 total=8812345\n")
			m.work("0", user, 39)
			m.work("0", idle, 461)
			m.work("1-3", idle, 500)
		}
	}
	var said []string
	w, err := m.fs().WaitQuiet(context.Background(), usual(t), m.clock(), func(line string) { said = append(said, line) })
	check(t, "error", err, nil)
	check(t, "wait", w, Wait{Waited: 15 * time.Second, Quiet: true})
	check(t, "said", said, []string{
		// 40 ticks in 5 s are 0.08 CPUs
		"waiting for a quiet host, 5s: load 2.00, want below 2; CPUs 0-3 2.0 % busy, want below 2.0 %; busy: " +
			"dnf (makecache)[500] 0.08 CPUs in /system.slice/dnf-makecache.service, kworker/2:1[90] 0.02 CPUs in the kernel",
		"waiting for a quiet host, 10s: tasks waited for a CPU 1.0 % of the time, want below 1.0 %; busy: nobody",
	})
}

func TestWaitQuietGivesUp(t *testing.T) {
	m := machineOf(t, "xeon")
	m.write("proc/loadavg", "9.00 2.10 2.48 1/402 9120\n")
	c := Condition{Load1: 2, Timeout: 12 * time.Second}
	said := 0
	w, err := m.fs().WaitQuiet(context.Background(), c, m.clock(), func(string) { said++ })
	check(t, "error", err, nil)
	// Looks at 5, 10 and 15 s; the last is after the 12, and is not followed by waiting.
	check(t, "wait", w, Wait{Waited: 15 * time.Second, Why: "load 9.00, want below 2; busy: nobody"})
	check(t, "lines said", said, 2)

	c.Timeout = 0
	w, err = m.fs().WaitQuiet(context.Background(), c, m.clock(), func(string) { said++ })
	check(t, "error", err, nil)
	check(t, "one look", w.Waited, 5*time.Second)
	check(t, "lines said", said, 2)
}

func TestWaitQuietInterrupted(t *testing.T) {
	m := machineOf(t, "xeon")
	m.write("proc/loadavg", "9.00 2.10 2.48 1/402 9120\n")
	ctx, cancel := context.WithCancel(context.Background())
	w, err := m.fs().WaitQuiet(ctx, usual(t), m.clock(), func(string) { cancel() })
	if !errors.Is(err, context.Canceled) || w.Quiet || w.Why == "" {
		t.Errorf("interrupted: %+v, %v", w, err)
	}
}

func TestWaitQuietConditions(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(m *machine)
		c      Condition
		want   Wait
	}{
		{"nothing asked for", func(m *machine) { m.remove("proc") }, Condition{}, Wait{Quiet: true}},
		{"no PSI in this kernel", func(m *machine) { m.remove("proc/pressure") },
			Condition{PressureFrac: 0.01}, Wait{Waited: watchTime, Quiet: true}},
		{"no /proc/stat", func(m *machine) { m.remove("proc/stat") },
			Condition{BusyFrac: 0.02}, Wait{Waited: watchTime, Why: "how busy CPUs 0-31 are is not known; busy: nobody"}},
	} {
		m := machineOf(t, "xeon")
		tt.change(m)
		w, err := m.fs().WaitQuiet(context.Background(), tt.c, m.clock(), func(string) {})
		check(t, tt.name, err, nil)
		check(t, tt.name, w, tt.want)
	}
}
