package procfs

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/scalws/scalbench/internal/cpuset"
)

// unpack writes the fixture host and returns the view of it.
func unpack(t *testing.T) FS {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", "host.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := txtar.Write(archive, dir); err != nil {
		t.Fatal(err)
	}
	return NewFS(dir)
}

func cpus(t *testing.T, list string) cpuset.Set {
	t.Helper()
	s, err := cpuset.Parse(list)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// check compares values of any type, sets of CPUs included.
func check(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b cpuset.Set) bool { return a == b })); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestStat(t *testing.T) {
	f := unpack(t)
	got, err := f.Stat(101)
	if err != nil {
		t.Fatal(err)
	}
	check(t, "Stat(101)", got, Stat{
		PID: 101, Comm: "nginx", State: 'R', PPID: 100, Threads: 1,
		MajorFaults: 2,                         // field 12
		User:        2500 * time.Millisecond,   // 250 ticks of 10 ms
		System:      1500 * time.Millisecond,   // 150 ticks
		Start:       520800 * time.Millisecond, // 52080 ticks
	})
	got, err = f.Stat(200)
	if err != nil {
		t.Fatal(err)
	}
	check(t, "the awkward name", got.Comm, "(a b ) ( c d) ")
	check(t, "its parent", got.PPID, 101)

	if _, err := f.Stat(999); !errors.Is(err, ErrGone) || !strings.Contains(err.Error(), "process 999") {
		t.Errorf("Stat of no process: %v, want ErrGone with the PID", err)
	}
}

func TestParseStatErrors(t *testing.T) {
	for _, tt := range []struct{ data, want string }{
		{"", "no name in parentheses"},
		{"1 )x( S", "no name in parentheses"},
		{"1 (x) S 1 2 3", "4 fields after the name, want at least 20"},
		{"1 (x) S p 1 1 0 -1 4 6 8 2 1 5 5 1 7 20 0 1 0 52", `"p" is not a number`},
		{"x (x) S 1 1 1 0 -1 4 6 8 2 1 5 5 1 7 20 0 1 0 52", `"x" is not a number`},
	} {
		if _, err := parseStat([]byte(tt.data)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("parseStat(%q): %v, want an error with %q", tt.data, err, tt.want)
		}
	}
}

func TestStatus(t *testing.T) {
	f := unpack(t)
	got, err := f.Status(101)
	if err != nil {
		t.Fatal(err)
	}
	check(t, "Status(101)", got, Status{
		Name: "nginx", RealUID: 0, EffectiveUID: 33, Threads: 1,
		PeakRSSBytes: 8 << 20, RSSBytes: 6 << 20, // 8192 and 6144 KiB
		Allowed:           cpus(t, "0"),
		VoluntarySwitches: 900, InvoluntarySwitches: 31,
	})
	got, err = f.Status(2)
	if err != nil {
		t.Fatal(err)
	}
	check(t, "memory of a kernel thread", got.PeakRSSBytes+got.RSSBytes, int64(0))

	allowed, err := f.Allowed(102) // its threads: CPU 1 and CPU 3
	if err != nil {
		t.Fatal(err)
	}
	check(t, "Allowed(102)", allowed, cpus(t, "1,3"))
}

func TestParseStatusErrors(t *testing.T) {
	for _, line := range []string{"VmHWM:\t 12 MB\n", "VmRSS:\tx kB\n", "Threads:\tmany\n", "Uid:\t0\n", "Cpus_allowed_list:\t3-1\n"} {
		if _, err := parseStatus([]byte("Name:\tx\n" + line)); err == nil || !strings.Contains(err.Error(), strings.TrimSpace(line[:5])) {
			t.Errorf("parseStatus with %q: error %v, want one with the line", line, err)
		}
	}
}

// The fixture tree has no clocks, so the larger lower bound counts.
func TestCPUTimeFromFiles(t *testing.T) {
	f := unpack(t)
	for _, tt := range []struct {
		pid  int
		want time.Duration
	}{
		{101, 4012345678},      // schedstat, against 400 ticks = 4 s
		{102, 4 * time.Second}, // 400 ticks: of its threads those alive ran 1.500000001 s
		{100, 30_000_000},      // 3 ticks: no schedstat
	} {
		got, err := f.CPUTime(tt.pid)
		if err != nil {
			t.Errorf("CPUTime(%d): %v", tt.pid, err)
		}
		check(t, "CPUTime", got, tt.want)
	}
	sum, err := f.taskRunTime(102)
	if err != nil {
		t.Fatal(err)
	}
	check(t, "taskRunTime(102)", sum, time.Duration(1500000001)) // 1 s + 500000001 ns
	if _, err := f.CPUTime(999); !errors.Is(err, ErrGone) {
		t.Errorf("CPUTime of no process: %v, want ErrGone", err)
	}
	for _, data := range []string{"", "1 2", "x 2 3"} {
		if _, _, err := parseSchedstat([]byte(data)); err == nil {
			t.Errorf("parseSchedstat(%q) succeeded", data)
		}
	}
}

func TestTree(t *testing.T) {
	f := unpack(t)
	pids, err := f.PIDs()
	if err != nil {
		t.Fatal(err)
	}
	check(t, "PIDs", pids, []int{2, 100, 101, 102, 103, 200}) // by number, not by text
	tree, err := f.Tree(100)
	if err != nil {
		t.Fatal(err)
	}
	check(t, "Tree(100)", tree, []int{100, 101, 102, 103, 200}) // the grandchild last
	children, err := f.Children(100)
	if err != nil {
		t.Fatal(err)
	}
	check(t, "Children(100)", children, []int{101, 102, 103})
	if _, err := f.Tree(999); !errors.Is(err, ErrGone) {
		t.Errorf("Tree of no process: %v, want ErrGone", err)
	}
}

// Two processes that are each other's parent, as PIDs that were used again
// between two files can make it look.
func TestTreeEnds(t *testing.T) {
	f := unpack(t)
	for pid, ppid := range map[string]string{"301": "302", "302": "301"} {
		data, err := os.ReadFile(f.path(100, "stat"))
		if err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(f.root, pid)
		text := strings.Replace(string(data), "100 (nginx) S 1 ", pid+" (nginx) S "+ppid+" ", 1)
		if err := errors.Join(os.Mkdir(dir, 0o755), os.WriteFile(filepath.Join(dir, "stat"), []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := f.Tree(301)
	if err != nil {
		t.Fatal(err)
	}
	check(t, "Tree(301)", tree, []int{301, 302})
}

func TestName(t *testing.T) {
	f := unpack(t)
	if err := os.Symlink("/usr/sbin/nginx-debug (deleted)", f.path(101, "exe")); err != nil {
		t.Fatal(err)
	}
	for pid, want := range map[int]string{101: "nginx-debug", 102: "nginx"} { // 102 has no readable link
		got, err := f.Name(pid)
		if err != nil {
			t.Error(err)
		}
		check(t, "Name", got, want)
	}
}

func TestCPUTimes(t *testing.T) {
	f := unpack(t)
	got, err := f.CPUTimes()
	if err != nil {
		t.Fatal(err)
	}
	check(t, "CPUTimes", got, map[int]CPUTimes{
		// user 10, nice 1, system 20, irq 2, softirq 3, steal 4 = 40 ticks; idle 100, iowait 20
		0: {Busy: 400 * time.Millisecond, Idle: 1200 * time.Millisecond, Steal: 40 * time.Millisecond},
		// 20 + 3 + 20 + 4 + 4 + 4 = 55 ticks; 300 + 30
		1: {Busy: 550 * time.Millisecond, Idle: 3300 * time.Millisecond, Steal: 40 * time.Millisecond},
	})
	earlier := CPUTimes{Busy: 300 * time.Millisecond, Idle: 900 * time.Millisecond}
	check(t, "BusyFrac", got[0].BusyFrac(earlier), 0.25) // 100 of 100 + 300 ms
	check(t, "BusyFrac of no time", earlier.BusyFrac(earlier), 0.0)
	check(t, "StealFrac", got[0].StealFrac(earlier), 0.1) // 40 of 100 + 300 ms
	check(t, "StealFrac of no time", earlier.StealFrac(earlier), 0.0)
	sum, ok := SumCPUs(got, cpus(t, "0-1"))
	check(t, "SumCPUs knows them", ok, true)
	check(t, "SumCPUs", sum, CPUTimes{Busy: 950 * time.Millisecond, Idle: 4500 * time.Millisecond, Steal: 80 * time.Millisecond})
	if _, ok := SumCPUs(got, cpus(t, "1-2")); ok {
		t.Error("SumCPUs has times of CPU 2, which is offline")
	}
	for _, line := range []string{"cpux 1 2 3 4 5 6 7 8", "cpu0 1 2 3 4", "cpu0 1 2 3 x 5 6 7 8"} {
		if _, err := parseCPUTimes([]byte(line)); err == nil {
			t.Errorf("parseCPUTimes(%q) succeeded", line)
		}
	}
}

func TestUsage(t *testing.T) {
	f := unpack(t)
	u, err := f.Usage(5_000, []int{102, 101, 999, 103, 101}) // unsorted, one twice
	if err != nil {
		t.Fatal(err)
	}
	check(t, "Gone", u.Gone, []int{103, 999}) // a zombie and none
	check(t, "processes", len(u.Processes), 2)
	check(t, "the sums", u, Usage{
		At: 5_000, Processes: u.Processes, Gone: u.Gone,
		CPU:          4012345678 + 4*time.Second,
		PeakRSSBytes: 16 << 20,            // 8192 + 8192 KiB
		RSSBytes:     (6144 + 8000) << 10, // KiB
		Threads:      4,
		CPUs:         cpus(t, "0-1"),
	})
	check(t, "the first process", u.Processes[0], ProcessUsage{
		PID: 101, Start: 520800 * time.Millisecond, Comm: "nginx", CPU: 4012345678,
		PeakRSSBytes: 8 << 20, RSSBytes: 6 << 20, Threads: 1, CPUs: cpus(t, "0"),
	})
	if err := os.WriteFile(f.path(101, "status"), []byte("Threads:\tmany\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Usage(0, []int{101}); err == nil || errors.Is(err, ErrGone) {
		t.Errorf("Usage of a file that makes no sense: error %v", err)
	}
}

func TestBetween(t *testing.T) {
	process := func(pid int, start, cpu time.Duration) ProcessUsage {
		return ProcessUsage{PID: pid, Start: start, CPU: cpu}
	}
	first := Usage{At: 1_000, Processes: []ProcessUsage{
		process(10, 1, 100), process(11, 2, 500), process(12, 3, 700),
	}}
	second := Usage{At: 3_000, Processes: []ProcessUsage{
		process(10, 1, 160), // 60 more
		process(12, 9, 30),  // the PID was used again: 30 of its own
		process(13, 9, 10),  // new: 10
	}}
	got := Between(first, second)
	check(t, "Between", got, Spent{
		Elapsed: 2_000, CPU: 60 + 30 + 10,
		Ended:   []int{11, 12},
		Started: []int{12, 13},
	})
	check(t, "Cores", got.Cores(), 0.05) // 100 / 2000
	check(t, "Cores of no time", Spent{CPU: 5}.Cores(), 0.0)
	if s := Between(first, first); s.CPU != 0 || !slices.Equal(s.Ended, nil) || s.Started != nil {
		t.Errorf("Between a reading and itself = %+v, want nothing spent", s)
	}
}
