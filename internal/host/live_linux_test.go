package host

import (
	"bufio"
	"context"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/internal/leaktest"
	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/internal/procfs"
	"github.com/scalws/scalbench/internal/units"
)

// spinEnv makes the test binary pin itself to a CPU and spin until its stdin ends.
const spinEnv = "SCALBENCH_TEST_SPIN_CPU"

func TestMain(m *testing.M) {
	if list := os.Getenv(spinEnv); list != "" {
		os.Exit(spin(list))
	}
	os.Exit(leaktest.Main(m))
}

func spin(list string) int {
	s, err := cpuset.Parse(list)
	if err != nil || cpuset.SetProcess(s) != nil {
		return 1
	}
	go func() {
		_, _ = bufio.NewReader(os.Stdin).ReadByte()
		os.Exit(0)
	}()
	for n := 0; ; n++ {
		if n%(1<<24) == 0 {
			runtime.Gosched()
		}
	}
}

// spinner starts a process that keeps a CPU busy and returns its PID. It ends with the
// test.
func spinner(t *testing.T, cpu cpuset.Set) int {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), spinEnv+"="+cpu.String())
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = stdin.Close()
		_ = cmd.Wait()
	})
	return cmd.Process.Pid
}

// spinUntil waits until the process has used some CPU time more.
func spinUntil(t *testing.T, pid int, more time.Duration) {
	t.Helper()
	fs := procfs.NewFS("/proc")
	first, err := fs.CPUTime(pid)
	for deadline := time.Now().Add(20 * time.Second); err == nil; {
		var now time.Duration
		if now, err = fs.CPUTime(pid); now-first >= more {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("process %d did not get %v of CPU time within 20 s", pid, more)
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatal(err)
}

func liveClock(t *testing.T) Clock {
	t.Helper()
	c, err := mono.NewClock()
	if err != nil {
		t.Fatal(err)
	}
	return NewClock(c)
}

// A process that takes a CPU is found when it is a stranger, and is no interference
// when it is the server. What else runs here may be seen as well.
func TestSamplerSeesSpinningProcess(t *testing.T) {
	allowed, err := cpuset.Allowed()
	if err != nil {
		t.Fatal(err)
	}
	cpu, err := cpuset.Of(allowed.CPUs()[0])
	if err != nil {
		t.Fatal(err)
	}
	pid := spinner(t, cpu)
	spinUntil(t, pid, 10*time.Millisecond) // it has pinned itself

	for _, own := range []bool{false, true} {
		w := Watch{Interval: 50 * time.Millisecond, Sets: []WatchedSet{{Name: "server", CPUs: cpu, Server: true}}}
		if own {
			w.Sets[0].Roots = []int{pid}
		}
		s, err := NewFS("/").StartSampler(w, liveClock(t))
		if err != nil {
			t.Fatal(err)
		}
		spinUntil(t, pid, 400*time.Millisecond)
		got := s.Stop()
		var ownUS, totalUS int64
		for _, r := range got.Rows {
			for _, a := range r.Areas {
				if a.Name == "server" {
					ownUS += a.OwnUS
					totalUS += a.TotalUS
				}
			}
		}
		seen := false
		for _, c := range got.Verdict.Who {
			seen = seen || c.PID == pid
		}
		server := areaOf(t, got.Verdict.Areas, "server")
		t.Logf("own %v: %d rows, %d of %d us own, foreign %s, sampler took %v in %v; %v",
			own, len(got.Rows), ownUS, totalUS, units.Percent(server.ForeignFrac), got.CPU, got.Elapsed, got.Verdict.Reasons)
		switch {
		case own && ownUS < 400_000:
			t.Errorf("%d us of our process were seen, want the 400 000 that it used", ownUS)
		case own && seen:
			t.Error("our own process is called foreign")
		// It has 0.4 s of the window, whatever else there is.
		case !own && (!got.Verdict.Interfered || !seen || server.ForeignFrac < 0.5*400_000/float64(totalUS)):
			t.Errorf("a stranger took 0.4 s of %d us: %+v", totalUS, got.Verdict)
		}
		if got.CPU <= 0 || got.CPU > got.Elapsed {
			t.Errorf("the sampler took %v of %v", got.CPU, got.Elapsed)
		}
	}
}

// Whatever this host is, its facts are complete and its examination says something of
// every kind; nothing of it is an error.
func TestThisHost(t *testing.T) {
	fs := NewFS("/")
	facts := fs.Facts()
	if facts.Name == "" || len(facts.Fixed) < len(FixedFacts()) {
		t.Errorf("facts: %+v", facts)
	}
	if facts.Now["cpus_allowed"] == units.NotAvailable || facts.Fixed["kernel"] == units.NotAvailable {
		t.Errorf("what every Linux tells is missing: %+v", facts)
	}
	allowed, err := cpuset.Allowed()
	if err != nil {
		t.Fatal(err)
	}
	check(t, "allowed", fs.allowed(), allowed)

	clock := liveClock(t)
	clock.Sleep = func(context.Context, time.Duration) error { return nil }
	findings, err := fs.Examine(context.Background(), Need{
		Sets: []Set{{"server", allowed}}, ResultsDir: filepath.Join(t.TempDir(), "results"), DiskBytes: 1, MemoryBytes: 1, Connections: 1,
	}, clock)
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]bool{}
	for _, f := range findings {
		kinds[f.Check] = true
		if f.Text == "" || f.Level > NA {
			t.Errorf("finding %+v", f)
		}
		t.Logf("%-6s %-14s %s", f.Level, f.Check, f.Text)
	}
	if len(kinds) < 16 { // all but ports and require, which were not asked for
		t.Errorf("%d kinds of findings: %v", len(kinds), kinds)
	}
	if text, err := json.Marshal(findings); err != nil {
		t.Errorf("findings as JSON: %s, %v", text, err)
	}
}

// This test's own listener is named as the owner of its port.
func TestTakenPortOfThisHost(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	port, pid := uint16(listener.Addr().(*net.TCPAddr).Port), os.Getpid()
	e := examination{f: NewFS("/"), need: Need{Ports: []Port{{procfs.TCP, port}}}}
	found := e.checkPorts()
	name, err := procfs.NewFS("/proc").Name(pid)
	if err != nil {
		t.Fatal(err)
	}
	check(t, "ports", found, []Finding{findingf("ports", Refuse, "TCP port %d is taken by %s[%d]", port, name, pid)})
}
