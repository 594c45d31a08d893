package host

import (
	"testing"
	"time"

	"github.com/scalws/scalbench/internal/procfs"
)

func TestSpent(t *testing.T) {
	const ms = time.Millisecond
	type p = procfs.Process
	for _, tt := range []struct {
		name           string
		earlier, later []procfs.Process
		want           map[int]time.Duration
	}{
		{"alive in both",
			[]p{{PID: 5, CPU: 100 * ms}}, []p{{PID: 5, CPU: 130 * ms}},
			map[int]time.Duration{5: 30 * ms}},
		{"started in between: its whole life",
			nil, []p{{PID: 5, Start: 9, CPU: 40 * ms, Reaped: 10 * ms}},
			map[int]time.Duration{5: 50 * ms}},
		{"the same PID again is another process",
			[]p{{PID: 5, Start: 1, CPU: 500 * ms}}, []p{{PID: 5, Start: 9, CPU: 20 * ms}},
			map[int]time.Duration{5: 20 * ms}},
		{"children that nobody saw",
			[]p{{PID: 5, CPU: 10 * ms}}, []p{{PID: 5, CPU: 20 * ms, Reaped: 300 * ms}},
			map[int]time.Duration{5: 310 * ms}},
		// The child had used 200 ms when it was seen and 250 ms when it ended: 50 ms since.
		{"a child that was seen and has ended",
			[]p{{PID: 5}, {PID: 6, PPID: 5, CPU: 200 * ms}}, []p{{PID: 5, Reaped: 250 * ms}},
			map[int]time.Duration{5: 50 * ms}},
		// make (5), sh (6), cc (7): sh reaped cc, make reaped sh. 200 and 30 were seen, the
		// two had used 230 and 40 at their ends: 40 ms since.
		{"a child and its child have ended",
			[]p{{PID: 5}, {PID: 6, PPID: 5, CPU: 30 * ms}, {PID: 7, PPID: 6, CPU: 200 * ms}}, []p{{PID: 5, Reaped: 270 * ms}},
			map[int]time.Duration{5: 40 * ms}},
		// Nothing is reaped, so that the end of the child must not be taken off its parent.
		{"a parent that ignores its children",
			[]p{{PID: 5, CPU: 10 * ms}, {PID: 6, PPID: 5, CPU: 200 * ms}}, []p{{PID: 5, CPU: 15 * ms}},
			map[int]time.Duration{5: 5 * ms}},
		{"parents in a ring, by PIDs that were used again",
			[]p{{PID: 6, PPID: 7, CPU: ms}, {PID: 7, PPID: 6, CPU: ms}}, []p{{PID: 5, CPU: ms}},
			map[int]time.Duration{5: ms}},
	} {
		check(t, tt.name, spent(tableOf(tt.earlier), tableOf(tt.later)), tt.want)
	}
}
