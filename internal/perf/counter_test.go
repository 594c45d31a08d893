package perf

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/scalws/scalbench/internal/leaktest"
)

// This test binary stands for a server.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "call" {
		os.Exit(call())
	}
	os.Exit(leaktest.Main(m))
}

// Calls of getppid that the process of this test makes for each line, which Go does not
// remember and makes nowhere else.
const ofThread, ofChild = 700, 300

// call makes system calls for each line that it gets: from a thread that is new, and from
// a child.
func call() int {
	if len(os.Args) > 2 {
		getppid(ofChild)
		return 0
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		done := make(chan bool)
		go func() {
			runtime.LockOSThread() // and never again: the thread ends with the goroutine
			getppid(ofThread)
			close(done)
		}()
		<-done
		child := exec.Command(os.Args[0], "call", "child")
		if err := child.Run(); err != nil {
			return 1
		}
		fmt.Println("done")
	}
	return 0
}

func getppid(times int) {
	for range times {
		syscall.Getppid()
	}
}

// getppidEvent is the only one that most of these tests open.
const getppidEvent = Events("syscalls:sys_enter_getppid")

// found is perf, or the reason why the test does without it.
func found(t *testing.T) Program {
	t.Helper()
	p, err := Find(t.Context())
	var reason *Unavailable
	if errors.As(err, &reason) {
		t.Skip(reason)
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// caller is a process that makes calls when it is told to.
func caller(t *testing.T) (pid int, call func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "call")
	in, inErr := cmd.StdinPipe()
	out, outErr := cmd.StdoutPipe()
	if err := errors.Join(inErr, outErr, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(in.Close(), cmd.Wait()); err != nil {
			t.Error(err)
		}
	})
	answers := bufio.NewReader(out)
	return cmd.Process.Pid, func() {
		if _, err := io.WriteString(in, "go\n"); err != nil {
			t.Fatal(err)
		}
		if _, err := answers.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
}

// What is called while the counter is enabled is counted, to the call: by threads and
// children that did not exist before, and nothing of what was before and after.
func TestCounter(t *testing.T) {
	p := found(t)
	pid, call := caller(t)
	for _, events := range []Events{getppidEvent, InAll} {
		p.Events = events
		call()
		c, err := p.Start(t.Context(), []int{pid})
		if err != nil {
			t.Fatal(err)
		}
		call()
		if err := c.Enable(t.Context()); err != nil {
			t.Fatal(err)
		}
		call()
		call()
		if err := c.Disable(t.Context()); err != nil {
			t.Fatal(err)
		}
		call()
		counts, text, err := c.End()
		if err != nil {
			t.Fatal(err)
		}
		if events == InAll {
			// Beside those there are what Go needs for threads and a child, some hundreds.
			if len(counts) != 1 || counts[0].Name != "" || counts[0].Calls < 2*(ofThread+ofChild) || counts[0].Calls > 10*(ofThread+ofChild) {
				t.Errorf("in all %v of %s", counts, text)
			}
			continue
		}
		i := slices.IndexFunc(counts, func(c Count) bool { return c.Name == "getppid" })
		if i < 0 || counts[i].Calls != 2*(ofThread+ofChild) {
			t.Errorf("%v, want %d of getppid", counts, 2*(ofThread+ofChild))
		}
	}
}

// A refusal has perf's reason, and a start that is called off ends at once.
func TestStartRefused(t *testing.T) {
	p := found(t)
	var reason *Unavailable
	if _, err := p.Start(t.Context(), []int{1 << 30}); !errors.As(err, &reason) {
		t.Errorf("a process that there is not: %v", err)
	}
	p.Events = "syscalls:sys_enter_nothing"
	if _, err := p.Start(t.Context(), []int{os.Getpid()}); !errors.As(err, &reason) || !strings.Contains(reason.Reason, "sys_enter_nothing") {
		t.Errorf("events that there are not: %v", err)
	}
	why := errors.New("no more")
	p.Events = getppidEvent
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	if _, err := p.Start(ctx, []int{os.Getpid()}); !errors.Is(err, why) {
		t.Errorf("called off: %v", err)
	}
}

// Where there is no perf, or one that does not do what is wanted, the reason says so.
func TestFind(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	var reason *Unavailable
	if _, err := Find(t.Context()); !errors.As(err, &reason) || !strings.Contains(reason.Reason, "no perf") {
		t.Errorf("none: %v", err)
	}
	dir := t.TempDir()
	script := "#!/bin/sh\necho 'WARNING: perf not found for kernel 6.1.0' >&2\nexit 2\n"
	if err := os.WriteFile(dir+"/perf", []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":/bin:/usr/bin")
	if _, err := Find(t.Context()); !errors.As(err, &reason) || !strings.Contains(reason.Reason, "perf not found for kernel") {
		t.Errorf("a wrapper: %v", err)
	}
}

// A perf that does not obey is ended.
func TestPerfHangs(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/perf", []byte("#!/bin/sh\nprintf 'ack\\n' >&4\nexec sleep 60\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	c, err := Program{Path: dir + "/perf", Events: ByName}.Start(t.Context(), []int{os.Getpid()})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := c.Enable(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("enabled: %v", err)
	}
	c.Kill()
}

// One that has started something is ended with that, which has its output and would keep it
// from ending for a minute.
func TestKillEndsAll(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/perf", []byte("#!/bin/sh\nsleep 60 &\necho $! >"+dir+"/pid\nprintf 'ack\\n' >&4\nwait\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	c, err := Program{Path: dir + "/perf", Events: ByName}.Start(t.Context(), []int{os.Getpid()})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(dir + "/pid")
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	c.Kill()
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("it took %v", took)
	}
	// Its signal is there, and it ends as soon as it has a CPU.
	for deadline := began.Add(30 * time.Second); ; runtime.Gosched() {
		stat, err := os.ReadFile("/proc/" + strings.TrimSpace(string(text)) + "/stat")
		if err != nil || strings.Contains(string(stat), ") Z ") {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("what it has started still runs: %s", stat)
		}
	}
}

// What is kept is counted all the same. (Of a few: to give all of them up takes 12 s.)
func TestKeeper(t *testing.T) {
	p := found(t)
	if p.Events != ByName {
		t.Skipf("this kernel has only %s", p.Events)
	}
	p.Events = getppidEvent + ",syscalls:sys_enter_exec*"
	k, err := p.Keep(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	pid, call := caller(t)
	c, err := p.Start(t.Context(), []int{pid})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Enable(t.Context()); err != nil {
		t.Fatal(err)
	}
	call()
	if err := c.Disable(t.Context()); err != nil {
		t.Fatal(err)
	}
	counts, _, err := c.End()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []Count{{"getppid", ofThread + ofChild}, {"execve", 1}} {
		if !slices.Contains(counts, want) {
			t.Errorf("%v, want %v in it", counts, want)
		}
	}
	if err := k.Release(); err != nil {
		t.Error(err)
	}
}
