package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/internal/leaktest"
	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/internal/procfs"
)

// fakePeerURL makes the test binary a load generator that asks this URL once.
const fakePeerURL = "PEERS_TEST_URL"

func TestMain(m *testing.M) {
	if url := os.Getenv(fakePeerURL); url != "" {
		oneRequest(url)
		return
	}
	os.Exit(leaktest.Main(closingClient{m}))
}

// closingClient closes the test client's idle connections after the tests.
type closingClient struct{ *testing.M }

func (c closingClient) Run() int {
	defer http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	return c.M.Run()
}

// oneRequest is the fake peer: one request, then where it was allowed to run.
func oneRequest(url string) {
	allowed, err := cpuset.Allowed()
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	request, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	request.Header.Set("User-Agent", userAgent)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	_ = response.Body.Close()
	fmt.Println(allowed)
}

// fakePeer runs the test binary, through env, as a peer does its program.
type fakePeer struct {
	allowed *string // what it printed
}

func (fakePeer) name() string      { return "fake" }
func (fakePeer) program() string   { return "env" }
func (fakePeer) install() string   { return "none" }
func (fakePeer) recipes() []recipe { return nil }
func (fakePeer) version() string   { return firstLine("env", "--version") }
func (fakePeer) loadArgs(l load) []string {
	return []string{"GORACE=atexit_sleep_ms=0", fakePeerURL + "=" + l.url, os.Args[0]}
}
func (f fakePeer) parseReport(stdout []byte) (report, error) {
	*f.allowed = strings.TrimSpace(string(stdout))
	return report{requests: 1, rps: 1}, nil
}

// lastCPU is one CPU that this test may use.
func lastCPU(t *testing.T) int {
	t.Helper()
	allowed, err := cpuset.Allowed()
	if err != nil {
		t.Fatal(err)
	}
	return allowed.CPUs()[allowed.Count()-1]
}

func TestRecordRequests(t *testing.T) {
	var allowed string
	cpu := lastCPU(t)
	recordings, err := recordRequests(t.Context(), []peer{fakePeer{&allowed}}, load{cpu: cpu})
	if err != nil {
		t.Fatal(err)
	}
	request := string(recordings[0].request)
	if !strings.HasPrefix(request, "GET / HTTP/1.1\r\nHost: 127.0.0.1:") || !strings.Contains(request, "\r\nUser-Agent: peers\r\n") {
		t.Errorf("recorded %q", request)
	}
	if !strings.HasPrefix(recordings[0].version, "env ") {
		t.Errorf("version %q, want what the program prints", recordings[0].version)
	}
	if allowed != fmt.Sprint(cpu) {
		t.Errorf("the peer was allowed CPUs %q, want %d", allowed, cpu)
	}
}

// Every server that is installed answers on its paths, can be measured, and is
// gone afterwards.
func TestServers(t *testing.T) {
	scratch, err := newScratch()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(scratch) })
	clock, err := mono.NewClock()
	if err != nil {
		t.Fatal(err)
	}
	r := runner{fs: procfs.NewFS("/proc"), clock: clock}
	for _, s := range []server{sink{}, nginx{}} {
		t.Run(s.name(), func(t *testing.T) {
			if _, err := exec.LookPath(s.program()); err != nil {
				t.Skipf("not installed: %s", s.install())
			}
			testServer(t, r, s, scratch)
		})
	}
}

func testServer(t *testing.T, r runner, s server, scratch string) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	cpu := lastCPU(t)
	in, err := s.start(ctx, scratch, cpu)
	if err != nil {
		t.Fatal(err)
	}
	stopped := false
	defer func() {
		if !stopped {
			in.stop()
		}
	}()
	courses := plan{courses: allCourses()}.coursesOn(s)
	if len(courses) == 0 {
		t.Fatal("no course is on it")
	}
	if err := in.waitReady(ctx, courses); err != nil {
		t.Fatal(err)
	}
	usage, err := r.serverUsage(in.cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	if got := usage.CPUs.String(); got != fmt.Sprint(cpu) {
		t.Errorf("the server may run on CPUs %q, want %d", got, cpu)
	}
	var allowed string
	got, err := r.run(ctx, fakePeer{&allowed}, load{url: in.baseURL + courses[0].path, cpu: cpu, seconds: 1}, in.cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	// One request of a Go program is some milliseconds of CPU, most for starting.
	if got.rps != 1 || got.cpuMicrosPerRequest < 100 || got.serverBusyFrac < 0 || got.serverBusyFrac > 1 {
		t.Errorf("sample = %+v", got)
	}
	in.stop()
	stopped = true
	after, err := r.fs.Usage(0, pids(usage))
	if err != nil {
		t.Fatal(err)
	}
	if len(after.Processes) > 0 {
		t.Errorf("processes are left: %+v", after.Processes)
	}
}

func pids(u procfs.Usage) []int {
	var all []int
	for _, p := range u.Processes {
		all = append(all, p.PID)
	}
	return all
}

func TestWaitReadyGivesUp(t *testing.T) {
	port, err := freePort()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	in := &instance{baseURL: localURL(port)}
	if err := in.waitReady(ctx, []course{{path: "/"}}); err == nil || !strings.Contains(err.Error(), "wait for http://127.0.0.1:") {
		t.Errorf("error %v, want one with the URL", err)
	}
}
