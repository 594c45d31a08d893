package procfs

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// helperMode makes the test binary a child with a role instead of a test run.
const helperMode = "PROCFS_TEST_MODE"

func TestMain(m *testing.M) {
	switch mode, argument, _ := strings.Cut(os.Getenv(helperMode), "="); mode {
	case "listen":
		listenAndWait(argument)
		return
	case "owners":
		printOwners(argument)
		return
	case "burn":
		burnAndWait()
		return
	}
	code := m.Run()
	if left := openSockets(); code == 0 && left > 0 {
		fmt.Fprintf(os.Stderr, "%d sockets were left open\n", left)
		code = 1
	}
	os.Exit(code)
}

// openSockets counts this process's own sockets.
func openSockets() int {
	fds, err := numericNames("/proc/self/fd")
	if err != nil {
		return 0
	}
	n := 0
	for _, fd := range fds {
		link, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd))
		if _, isSocket := socketInode(link); err == nil && isSocket && fd > 2 {
			n++
		}
	}
	return n
}

// waitForClose blocks until the parent closes standard input.
func waitForClose() { _, _ = io.Copy(io.Discard, os.Stdin) }

func listenAndWait(addr string) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		fmt.Println("error:", err)
		return
	}
	defer func() { _ = l.Close() }()
	fmt.Println(l.Addr())
	waitForClose()
}

func printOwners(addr string) {
	owners, err := NewFS("/proc").ListenerOwners(netip.MustParseAddrPort(addr))
	fmt.Println(owners.PIDs, owners.Access, err)
}

// burnAndWait uses 150 ms of CPU on a thread that ends, and prints what the
// kernel charged the process.
func burnAndWait() {
	ended := make(chan bool)
	go burn(ended)
	<-ended
	fmt.Println(int64(rusage()))
	waitForClose()
}

// burn runs on a thread of its own, which ends because it stays locked. The
// main thread is the one that does not: there, the work is passed on.
func burn(ended chan<- bool) {
	runtime.LockOSThread()
	if unix.Gettid() == os.Getpid() {
		passed := make(chan bool)
		go burn(passed)
		<-passed
	}
	for rusage() < 150*time.Millisecond {
	}
	close(ended)
}

// rusage is the CPU time of this process.
func rusage() time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// helper is a running child and the first line that it printed.
type helper struct {
	pid  int
	line string
	end  func()
}

// start runs the test binary in a mode, as another user if uid is not 0.
func start(t *testing.T, mode string, uid uint32) helper {
	t.Helper()
	cmd := exec.Command("/proc/self/exe") // a path that every user may follow
	cmd.Env = append(os.Environ(), helperMode+"="+mode, "GORACE=atexit_sleep_ms=0")
	if uid != 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
	}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	h := helper{pid: cmd.Process.Pid, end: func() {
		_ = stdin.Close()
		_ = cmd.Wait()
	}}
	t.Cleanup(h.end)
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatalf("helper %s: %v", mode, err)
	}
	h.line = strings.TrimSpace(line)
	return h
}

func TestOwnProcess(t *testing.T) {
	f := NewFS("/proc")
	pid := os.Getpid()
	s, err := f.Stat(pid)
	if err != nil {
		t.Fatal(err)
	}
	check(t, "PID", s.PID, pid)
	check(t, "PPID", s.PPID, os.Getppid())
	status, err := f.Status(pid)
	if err != nil {
		t.Fatal(err)
	}
	check(t, "RealUID", status.RealUID, os.Getuid())
	if status.PeakRSSBytes < status.RSSBytes || status.RSSBytes < 1<<20 {
		t.Errorf("peak RSS %d, RSS %d: want peak >= RSS >= 1 MiB", status.PeakRSSBytes, status.RSSBytes)
	}
	name, err := f.Name(pid)
	if err != nil || !strings.HasSuffix(name, ".test") {
		t.Errorf("Name = %q, %v, want a test binary", name, err)
	}
	children, err := f.Children(os.Getppid())
	if err != nil || !slices.Contains(children, pid) {
		t.Errorf("Children of the parent = %v, %v, want %d among them", children, err, pid)
	}
	age, err := f.Age(pid)
	if err != nil || age <= 0 || age > 10*time.Minute {
		t.Errorf("Age = %v, %v, want this test's run time", age, err)
	}
}

func TestCPUTimeIncludesEndedThreads(t *testing.T) {
	f := NewFS("/proc")
	h := start(t, "burn", 0)
	var charged int64
	if _, err := fmt.Sscan(h.line, &charged); err != nil {
		t.Fatalf("helper printed %q", h.line)
	}
	cpu, err := f.CPUTime(h.pid)
	if err != nil {
		t.Fatal(err)
	}
	// The helper has printed since, and may have been collecting garbage.
	if low, high := time.Duration(charged), time.Duration(charged)+100*time.Millisecond; cpu < low-time.Millisecond || cpu > high {
		t.Errorf("CPUTime = %v, want %v to %v", cpu, low, high)
	}
	// 150 ms were used by a thread that ends, soon after its last words. What
	// is left are the live ones, which did next to nothing.
	alive := cpu
	for deadline := time.Now().Add(5 * time.Second); alive > cpu-75*time.Millisecond; {
		if time.Now().After(deadline) {
			t.Fatalf("live threads ran %v of %v: the ended thread is not missing", alive, cpu)
		}
		if alive, err = f.taskRunTime(h.pid); err != nil {
			t.Skipf("no schedstat: %v", err)
		}
	}
	after, err := f.CPUTime(h.pid)
	if err != nil || after < cpu {
		t.Errorf("CPUTime without the ended thread = %v, %v, want at least %v", after, err, cpu)
	}
}

func TestUsageSeesTheEnd(t *testing.T) {
	f := NewFS("/proc")
	h := start(t, "burn", 0)
	first, err := f.Usage(1, []int{h.pid})
	if err != nil || len(first.Gone) > 0 {
		t.Fatalf("Usage of a running helper: %+v, %v", first, err)
	}
	h.end()
	second, err := f.Usage(2, []int{h.pid})
	if err != nil {
		t.Fatal(err)
	}
	check(t, "Gone", second.Gone, []int{h.pid})
	check(t, "Ended", Between(first, second).Ended, []int{h.pid})
	if _, err := f.CPUTime(h.pid); !errors.Is(err, ErrGone) {
		t.Errorf("CPUTime after the end: %v, want ErrGone", err)
	}
}

func TestUsageOfZombie(t *testing.T) {
	f := NewFS("/proc")
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), helperMode+"=owners=127.0.0.1:1", "GORACE=atexit_sleep_ms=0")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Wait() }()
	// WNOWAIT waits for the end and leaves the zombie.
	if err := unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil); err != nil {
		t.Fatal(err)
	}
	u, err := f.Usage(0, []int{cmd.Process.Pid})
	if err != nil {
		t.Fatal(err)
	}
	check(t, "Gone", u.Gone, []int{cmd.Process.Pid})
}

func TestLiveListeners(t *testing.T) {
	f := NewFS("/proc")
	for _, on := range []string{"127.0.0.1:0", "0.0.0.0:0", "[::1]:0", "[::]:0"} {
		h := start(t, "listen="+on, 0)
		if strings.HasPrefix(h.line, "error:") {
			t.Logf("%s: %s", on, h.line) // a host without IPv6
			continue
		}
		bound := netip.MustParseAddrPort(h.line)
		reach := bound
		if bound.Addr().IsUnspecified() {
			reach = netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), bound.Port())
		}
		owners, err := f.ListenerOwners(reach)
		if err != nil {
			t.Errorf("%s: %v", on, err)
			continue
		}
		check(t, "owners on "+on, owners.PIDs, []int{h.pid})
		check(t, "user", owners.Listeners[0].UID, os.Getuid())

		// Both sources tell the same, but for what the table does not have.
		table, err := f.tableListeners(kindTCP, bound.Port())
		if err != nil {
			t.Fatal(err)
		}
		diag, err := diagListeners(kindTCP, bound.Port())
		if err != nil {
			t.Skipf("no inet_diag: %v", err)
		}
		for i := range diag {
			diag[i].V6Only = false
		}
		if !slices.Equal(table, diag) {
			t.Errorf("%s: table %+v, inet_diag %+v", on, table, diag)
		}
		h.end()
		if _, err := f.ListenerOwners(reach); !errors.Is(err, ErrNoListener) {
			t.Errorf("%s after the end: %v, want ErrNoListener", on, err)
		}
	}
}

// nobody is a user id without any rights.
const nobody = 65534

func TestOtherUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can start a process as another user")
	}
	l := start(t, "listen=127.0.0.1:0", 0)
	asked := start(t, "owners="+l.line, nobody)
	check(t, "owners as seen by another user", asked.line, "[] not permitted <nil>")

	theirs := start(t, "listen=127.0.0.1:0", nobody)
	owners, err := NewFS("/proc").ListenerOwners(netip.MustParseAddrPort(theirs.line))
	if err != nil {
		t.Fatal(err)
	}
	check(t, "owners as seen by root", owners.PIDs, []int{theirs.pid})
	check(t, "access of root", owners.Access, AccessComplete)
}

// A peak before the reset is forgotten, one after it is not.
func TestResetPeakRSS(t *testing.T) {
	f := NewFS("/proc")
	peak := func() int64 {
		s, err := f.Status(os.Getpid())
		if err != nil {
			t.Fatal(err)
		}
		return s.PeakRSSBytes
	}
	const size = 64 << 20
	touch := func() {
		b, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_POPULATE)
		if err != nil {
			t.Fatal(err)
		}
		unix.Munmap(b)
	}
	touch()
	before := peak()
	if err := f.ResetPeakRSS(os.Getpid()); err != nil {
		t.Fatal(err)
	}
	after := peak()
	if after > before-size/2 {
		t.Errorf("peak %d before the reset, %d after it: want about %d less", before, after, size)
	}
	touch()
	if got := peak(); got < after+size/2 {
		t.Errorf("peak %d, want at least %d", got, after+size/2)
	}
	if err := f.ResetPeakRSS(1 << 30); !errors.Is(err, ErrGone) {
		t.Errorf("a process that there is not: %v", err)
	}
}

// A UDP socket that takes datagrams of anybody has an owner; one that is
// connected does not serve, although it has a port of its own.
func TestUDPOwners(t *testing.T) {
	f := NewFS("/proc")
	server, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	client, err := net.DialUDP("udp4", nil, server.LocalAddr().(*net.UDPAddr))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	owners, err := f.UDPOwners(server.LocalAddr().(*net.UDPAddr).AddrPort())
	if err != nil {
		t.Fatal(err)
	}
	check(t, "owners", owners.PIDs, []int{os.Getpid()})
	if _, err := f.UDPOwners(client.LocalAddr().(*net.UDPAddr).AddrPort()); !errors.Is(err, ErrNoListener) {
		t.Errorf("connected socket: %v, want ErrNoListener", err)
	}
	table, err := f.tableListeners(kindUDP, server.LocalAddr().(*net.UDPAddr).AddrPort().Port())
	if err != nil || len(table) != 1 {
		t.Errorf("table: %v, %v, want the one socket", table, err)
	}
}
