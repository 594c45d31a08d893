package perf

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestParseStat(t *testing.T) {
	tests := []struct {
		name, text string
		want       []Count
		fault      string
	}{
		// As perf 6.1 prints it, of nginx that answers for five seconds.
		{"by name", "0,,syscalls:sys_enter_rt_sigreturn,3409177276,100.00,,\n852051,,syscalls:sys_enter_writev,3409177276,100.00,,\n" +
			"21603,,syscalls:sys_enter_epoll_wait,3405907484,100.00,,\n851691,,syscalls:sys_enter_recvfrom,3405298391,100.00,,\n",
			[]Count{{"writev", 852051}, {"epoll_wait", 21603}, {"recvfrom", 851691}}, ""},
		{"in all", "29,,raw_syscalls:sys_enter,682091,100.00,,\n", []Count{{"", 29}}, ""},
		{"as -o writes it", "# started on Mon Nov 30 21:00:00 2026\n\n2,,syscalls:sys_enter_read,1,100.00,,\n", []Count{{"read", 2}}, ""},
		{"no thread ran", "<not counted>,,syscalls:sys_enter_read,0,100.00,,\n2,,syscalls:sys_enter_write,9,100.00,,\n", []Count{{"write", 2}}, ""},
		{"nothing was called", "0,,syscalls:sys_enter_read,0,100.00,,\n", nil, ""},

		{"nothing", "", nil, "no event"},
		{"messages", "Events enabled\n", nil, "1 fields, expected 5"},
		{"cut", "852051,,syscalls:sys_ent", nil, "3 fields"},
		{"not supported", "<not supported>,,syscalls:sys_enter_read,0,100.00,,\n", nil, `value "<not supported>"`},
		{"another event", "12,,cycles,100,100.00,,\n", nil, `event "cycles"`},
		{"of user space alone", "0,,syscalls:sys_enter_read:u,100,100.00,,\n", nil, "perf_event_paranoid"},
		{"all, of user space alone", "0,,raw_syscalls:sys_enter:u,100,100.00,,\n", nil, "perf_event_paranoid"},
		{"for a part of the time", "12,,syscalls:sys_enter_read,100,49.50,,\n", nil, "49.50 % of the time"},
		{"no number", "1.5,,syscalls:sys_enter_read,100,100.00,,\n", nil, `value "1.5"`},
		{"no percentage", "12,,syscalls:sys_enter_read,100,?,,\n", nil, "counted for ?"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := parseStat([]byte(test.text))
			if test.fault == "" && (err != nil || !slices.Equal(got, test.want)) {
				t.Errorf("%v, %v, want %v", got, err, test.want)
			}
			if test.fault != "" && (err == nil || !strings.Contains(err.Error(), test.fault)) {
				t.Errorf("%v, %v, want an error with %q", got, err, test.fault)
			}
		})
	}
}

// What perf says when it refuses, as it was seen, becomes one line.
func TestRefusal(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"not permitted", "event syntax error: 'syscalls:sys_enter_*'\n                     \\___ can't access trace events\n\n" +
			"Error:\tNo permissions to read /sys/kernel/tracing/events/syscalls/sys_enter_*\n" +
			"Hint:\tTry 'sudo mount -o remount,mode=755 /sys/kernel/tracing/'\n\nRun 'perf list' for a list of valid events\n",
			"No permissions to read /sys/kernel/tracing/events/syscalls/sys_enter_*; Try 'sudo mount -o remount,mode=755 /sys/kernel/tracing/'"},
		{"too many files", "Error:\nToo many events are opened.\nProbably the maximum number of open file descriptors has been reached.\n" +
			"Hint: Try again after reducing the number of events.\nHint: Try increasing the limit with 'ulimit -n <limit>'\n",
			"Too many events are opened.; Try again after reducing the number of events."},
		{"too old", "  Error: unknown option `control'\n\n Usage: perf stat [<options>] [<command>]\n", "unknown option `control'"},
		{"gone", "Problems finding threads of monitor\n\n Usage: perf stat [<options>] [<command>]\n", "Problems finding threads of monitor"},
		{"of another kernel", "WARNING: perf not found for kernel 6.1.0\n\n  You may need to install the following packages\n", "WARNING: perf not found for kernel 6.1.0"},
		{"nothing", "", "it ended without a word (exit status 9)"},
	}
	for _, test := range tests {
		if got := refusal([]byte(test.text), errors.New("exit status 9")); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}
