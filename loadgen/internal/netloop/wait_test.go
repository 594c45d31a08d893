package netloop

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/scalws/scalbench/internal/mono"
)

// sleeps makes a loop with each way of waiting.
func sleeps(t *testing.T, test func(t *testing.T, l *Loop, clock mono.Clock)) {
	for _, way := range []struct {
		name   string
		change func(l *Loop)
		pwait2 bool
	}{
		{"epoll_pwait2", func(*Loop) {}, true},
		{"timerfd", func(*Loop) {}, false},
		{"milliseconds", func(l *Loop) { l.sleeper.close(); l.sleeper.timer = -1 }, false},
	} {
		t.Run(way.name, func(t *testing.T) {
			clock, err := mono.NewClock()
			if err != nil {
				t.Fatal(err)
			}
			l, err := newLoop(clock, Options{Slots: 1}, !way.pwait2)
			if err != nil {
				t.Fatal(err)
			}
			defer l.Shutdown()
			way.change(l)
			if l.sleeper.pwait2 != way.pwait2 {
				t.Fatalf("uses epoll_pwait2: %v", l.sleeper.pwait2)
			}
			test(t, l, clock)
		})
	}
}

func TestWaitReachesTheInstant(t *testing.T) {
	sleeps(t, func(t *testing.T, l *Loop, clock mono.Clock) {
		for _, d := range []time.Duration{-time.Second, 0, 300 * time.Microsecond, 300 * time.Microsecond, 2500 * time.Microsecond} {
			until := clock.Now().Add(d)
			now, err := l.Wait(until, 0)
			if err != nil {
				t.Fatal(err)
			}
			for now < until { // an interrupted wait comes back early, and says so by its clock
				if now, err = l.Wait(until, 0); err != nil {
					t.Fatal(err)
				}
			}
			var ev Event
			if l.Next(&ev) {
				t.Errorf("completion %+v out of nothing", ev)
			}
		}
	})
}

// A timer that has fired must not end the waits after it.
func TestWaitAfterExpiry(t *testing.T) {
	sleeps(t, func(t *testing.T, l *Loop, clock mono.Clock) {
		if _, err := l.Wait(clock.Now().Add(time.Millisecond), 0); err != nil {
			t.Fatal(err)
		}
		began := clock.Now()
		wakeUps := 0
		for now := began; now < began.Add(20*time.Millisecond); wakeUps++ {
			var err error
			if now, err = l.Wait(began.Add(20*time.Millisecond), 0); err != nil {
				t.Fatal(err)
			}
		}
		if wakeUps > 5 { // one, and a few for signals of the runtime
			t.Errorf("%d wake-ups in 20 ms: the wait spins", wakeUps)
		}
	})
}

// filterVariable makes this test binary install a system-call filter that
// refuses epoll_pwait2 with the errno in it, and report how it waits then.
const filterVariable = "NETLOOP_TEST_REFUSE_PWAIT2"

func TestSyscallFilterRefusesPwait2(t *testing.T) {
	if text := os.Getenv(filterVariable); text != "" {
		waitBehindFilter(t, text)
		return
	}
	for _, errno := range []unix.Errno{unix.EPERM, unix.ENOSYS} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestSyscallFilterRefusesPwait2$", "-test.v")
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", filterVariable, errno))
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "waits by timerfd") {
			t.Errorf("%v: %v\n%s", errno, err, out)
		}
	}
}

func waitBehindFilter(t *testing.T, text string) {
	var errno uint32
	if _, err := fmt.Sscan(text, &errno); err != nil {
		t.Fatal(err)
	}
	runtime.LockOSThread() // the filter is the thread's; it ends with the test process
	refuse(t, unix.SYS_EPOLL_PWAIT2, errno)
	clock, err := mono.NewClock()
	if err != nil {
		t.Fatal(err)
	}
	l, err := New(clock, Options{Slots: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Shutdown()
	until := clock.Now().Add(3 * time.Millisecond)
	for now := mono.Time(0); now < until; {
		if now, err = l.Wait(until, 0); err != nil {
			t.Fatal(err)
		}
	}
	if !l.sleeper.pwait2 && l.sleeper.timer >= 0 {
		fmt.Println("waits by timerfd")
	}
}

// refuse makes one system call of this thread fail (seccomp(2), classic BPF:
// load the number, compare, return the errno or allow).
func refuse(t *testing.T, number uintptr, errno uint32) {
	t.Helper()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		t.Fatal(err)
	}
	program := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 1, K: uint32(number)},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | errno},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	filter := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	if err := unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&filter)), 0, 0); err != nil {
		t.Fatal(err)
	}
}
