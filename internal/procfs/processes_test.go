package procfs

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestProcesses(t *testing.T) {
	f := unpack(t)
	got, err := f.Processes()
	if err != nil {
		t.Fatal(err)
	}
	var master Process
	for _, p := range got {
		if p.PID == 100 {
			master = p
		}
	}
	check(t, "process 100", master, Process{
		PID: 100, PPID: 1, Comm: "nginx", Start: 520710 * time.Millisecond,
		CPU:         30 * time.Millisecond,  // 2 and 1 ticks
		Reaped:      950 * time.Millisecond, // 16 and 79 ticks
		MajorFaults: 2,                      // field 12
		LastCPU:     1,
	})
	if got[0].PID != 2 || !got[0].Kernel() || master.Kernel() {
		t.Errorf("first %+v, want kthreadd, and only that as the kernel's", got[0])
	}
	for _, p := range []Process{{PID: 90, PPID: 2}, {PID: 2}} {
		if !p.Kernel() {
			t.Errorf("%+v is a thread of the kernel", p)
		}
	}
	// In a container process 2 is anybody's.
	if (Process{PID: 2, PPID: 1}).Kernel() {
		t.Error("a child of process 1 is taken for the kernel")
	}
	if _, err := f.Process(9999); !errors.Is(err, ErrGone) {
		t.Errorf("an ended process: %v, want ErrGone", err)
	}
}

func TestParseProcessErrors(t *testing.T) {
	line := "7 (a) S 1 7 7 0 -1 0 0 0 5 0 1 1 1 1 20 0 1 0 5 1 1 1 1 1 1 1 1 0 0 0 0 1 0 0 17 3 0 0"
	if p, err := parseProcess([]byte(line)); err != nil || p.LastCPU != 3 || p.MajorFaults != 5 {
		t.Fatalf("%+v, %v", p, err)
	}
	fields := strings.Fields(line)
	for _, tt := range []struct{ line, want string }{
		{strings.Join(fields[:38], " "), "fields after the name, want at least 37"}, // without field 39
		{strings.Replace(line, "17 3", "17 x", 1), `"x" is not a number`},
		{"", "no name"},
	} {
		if _, err := parseProcess([]byte(tt.line)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("parseProcess(%q): %v, want %q", tt.line, err, tt.want)
		}
	}
}

func TestDescendants(t *testing.T) {
	f := unpack(t)
	write(t, f, "100/task/100/comm", "nginx\n") // what matters is that the thread is there
	got, err := f.Descendants([]int{100, 9999})
	if err != nil {
		t.Fatal(err)
	}
	check(t, "without children files", got, []int{100, 101, 102, 103, 200}) // 103 is a zombie

	children := func(pid, text string) { write(t, f, pid+"/task/"+pid+"/children", text) }
	// 9999 has ended, and 100 below itself is a PID that was used again.
	children("100", "101 9999 ")
	children("101", "100 ")
	got, err = f.Descendants([]int{100, 101})
	if err != nil {
		t.Fatal(err)
	}
	check(t, "by children files", got, []int{100, 101})
	children("101", "many")
	if _, err := f.Descendants([]int{100}); err == nil || !strings.Contains(err.Error(), "not a process") {
		t.Errorf("a children file with text: %v", err)
	}
}
