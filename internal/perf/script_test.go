package perf

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/scalws/scalbench/internal/profile"
)

func TestParseScript(t *testing.T) {
	kernel := func(symbol string) profile.Frame {
		return profile.Frame{Symbol: symbol, Module: "[kernel.kallsyms]", Kernel: true}
	}
	tests := []struct {
		name, text, event string
		want              []profile.Sample
	}{
		{"a stack", "nginx 812/813 cpu-clock: \n\tffffffff8169c2f1 tcp_sendmsg ([kernel.kallsyms])\n\t          4d5a0c ngx_writev (/usr/sbin/nginx)\n\n", "cpu-clock",
			[]profile.Sample{{PID: 812, Comm: "nginx", Stack: []profile.Frame{kernel("tcp_sendmsg"), {Symbol: "ngx_writev", Module: "/usr/sbin/nginx"}}}}},
		{"two, the last without an end", "a 1/1 cycles:P: \n\t  10 f (/a)\n\nb 2/2 cycles:P: \n\t  20 g (/b)", "cycles:P",
			[]profile.Sample{{PID: 1, Comm: "a", Stack: []profile.Frame{{Symbol: "f", Module: "/a"}}}, {PID: 2, Comm: "b", Stack: []profile.Frame{{Symbol: "g", Module: "/b"}}}}},
		{"without callers", "swapper     0/0     cycles:  ffffffff82203249 mwait_idle ([kernel.kallsyms])\n", "cycles",
			[]profile.Sample{{PID: 0, Comm: "swapper", Stack: []profile.Frame{kernel("mwait_idle")}}}},
		{"a name with blanks and slashes", "kworker/0:1 x 1/2 y: 3/4 cycles: \n\t  10 f (/a)\n", "cycles",
			[]profile.Sample{{PID: 3, Comm: "kworker/0:1 x 1/2 y:", Stack: []profile.Frame{{Symbol: "f", Module: "/a"}}}}},
		{"it had ended", ":-1 -1/-1 cycles: \n\tffffffff81000000 f ([kernel.kallsyms])\n", "cycles", []profile.Sample{{PID: -1, Comm: ":-1", Stack: []profile.Frame{kernel("f")}}}},
		{"no stack", "a 1/1 cycles: \n\n", "cycles", []profile.Sample{{PID: 1, Comm: "a"}}},
		{"names of all kinds", "a 1/1 cycles: \n\t 1 operator()(int, (x)) (/a (deleted))\n\t 2 <T as core::fmt::Write>::f (/b)\n\t 3 [unknown] ([unknown])\n\t 4 f (inlined)\n\t 5 g (/with (blank)/x)\n\t 6 h()\n", "cycles",
			[]profile.Sample{{PID: 1, Comm: "a", Stack: []profile.Frame{{Symbol: "operator()(int, (x))", Module: "/a"}, {Symbol: "<T as core::fmt::Write>::f", Module: "/b"},
				{Symbol: "[unknown]", Module: "[unknown]"}, {Symbol: "f", Module: "[unknown]"}, {Symbol: "g", Module: "/with (blank)/x"}, {Symbol: "h()", Module: "[unknown]"}}}}},
		{"nothing", "", "", nil},
	}
	for _, test := range tests {
		var got []profile.Sample
		event, err := parseScript(strings.NewReader(test.text), func(s profile.Sample) { got = append(got, s) })
		if err != nil || event != test.event {
			t.Errorf("%s: event %q, %v", test.name, event, err)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
	}
}

func TestParseScriptFaults(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"another form", "nginx 812 [000] 1.5: cycles: \n", "line 1"},
		{"no address", "a 1/1 cycles: \n\tg (/a)\n", `address "g"`},
		{"another event", "a 1/1 cycles: \n\n\na 1/1 cpu-clock: \n", "line 4, \"a 1/1 cpu-clock:\": event cpu-clock after cycles"},
		{"a frame of nothing", "\t10 f (/a)\n", "expected a thread"},
		{"a number too large", "a 99999999999999999999/1 cycles: \n", "expected a number"},
		{"too deep", "a 1/1 cycles: \n" + strings.Repeat("\t1 f (/a)\n", framesMax+1), "more than 4096 frames"},
		{"a line without end", "a 1/1 cycles: \n\t1 " + strings.Repeat("f", lineMax), "too long"},
	}
	for _, test := range tests {
		if _, err := parseScript(strings.NewReader(test.text), func(profile.Sample) {}); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want an error with %q", test.name, err, test.want)
		}
	}
}

// What perf 6.1 has printed of nginx at load, a thread of the kernel, and others.
func TestParseScriptReal(t *testing.T) {
	text, err := os.Open("testdata/script-nginx.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer text.Close()
	of := map[string]int{}
	kernel := 0
	event, err := parseScript(text, func(s profile.Sample) {
		of[s.Comm]++
		if len(s.Stack) > 0 && s.Stack[0].Kernel {
			kernel++
		}
	})
	if diff := cmp.Diff(map[string]int{"nginx": 12, "scalbench": 3, "swapper": 3, "link": 2, ":15614": 1, "ksoftirqd/0": 1}, of); err != nil || event != "cpu-clock" || diff != "" {
		t.Errorf("event %q, %v: %s", event, err, diff)
	}
	if kernel < 12 {
		t.Errorf("%d samples of the kernel", kernel)
	}
}

// Whatever is read gives samples or an error, and every frame has a name.
func FuzzScript(f *testing.F) {
	text, err := os.ReadFile("testdata/script-nginx.txt")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte("a b 1/2 cycles:  10 f() (/x (deleted))\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		_, err := parseScript(strings.NewReader(string(data)), func(s profile.Sample) {
			for _, frame := range s.Stack {
				if frame.Symbol == "" || frame.Module == "" {
					t.Errorf("a frame without a name: %+v", frame)
				}
			}
		})
		_ = err
	})
}
