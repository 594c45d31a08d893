package integration

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/scalws/scalbench/bench/integration/servers"
	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/internal/target"
)

// A request on a kept connection costs two system calls of its own, and a
// connection is registered once in its life. Waiting is shared: one epoll call
// serves every response that has arrived by then.
func TestSystemCallsPerRequest(t *testing.T) {
	strace := servers.FindProgram(t, "strace", "apt-get install strace")
	dir := t.TempDir()
	if exec.Command(strace, "-o", filepath.Join(dir, "probe"), "true").Run() != nil {
		t.Skip("strace may not trace here: it needs ptrace(2), which this container or user has not")
	}
	server := startTarget(t)
	const requests, connections = 1000, 8
	// -ff writes a file for each thread, so that no call is cut in two by another's.
	trace := filepath.Join(dir, "trace")
	load := exec.Command(strace, "-ff", "-o", trace,
		"-e", "trace=sendto,recvfrom,epoll_ctl,connect,timerfd_create,epoll_create1,epoll_pwait2,epoll_pwait",
		program(t), server.URL+"/respond", "-n", "1000", "-c", "8", "--server-pid", "none", "--output-format", "json", "--quiet")
	if r := readResult(t, output(t, load)); r.AllPhases.Sent != requests || r.Ledger.OK != requests {
		t.Errorf("%d sent, ledger %+v", r.AllPhases.Sent, r.Ledger)
	}
	calls := workerCalls(t, trace)
	t.Logf("system calls of the workers for %d requests on %d connections: %v", requests, connections, calls)
	for name, want := range map[string]int{
		"sendto": requests, "recvfrom": requests, "connect": connections,
		// Where epoll_pwait2 is refused each worker has a timerfd to watch.
		"epoll_ctl": connections + calls["timerfd_create"],
	} {
		if calls[name] != want {
			t.Errorf("%d %s, want %d", calls[name], name, want)
		}
	}
}

// startTarget starts the embedded server from the built program.
func startTarget(t *testing.T, flags ...string) *target.Process {
	t.Helper()
	cpus, err := cpuset.Allowed()
	if err != nil {
		t.Fatal(err)
	}
	server, err := target.Start(t.Context(), program(t), append([]string{"target"}, flags...), cpus.LowerHalf(), os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
	return server
}

// call is a line of a trace: the call's name begins it.
var call = regexp.MustCompile(`(?m)^(\w+)\(`)

// workerCalls counts the system calls of the threads that send, from the moment
// at which each made its event loop: before that, and on other threads, it was
// the Go runtime that called.
func workerCalls(t *testing.T, trace string) map[string]int {
	t.Helper()
	files, err := filepath.Glob(trace + ".*")
	if err != nil {
		t.Fatal(err)
	}
	calls := map[string]int{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(text, []byte("\nsendto(")) {
			continue
		}
		text = text[bytes.LastIndex(text, []byte("\nepoll_create1("))+1:]
		for _, match := range call.FindAllSubmatch(text, -1) {
			calls[string(match[1])]++
		}
	}
	return calls
}
