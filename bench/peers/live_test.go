package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/scalws/scalbench/bench/peers/quicgo"
	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/internal/leaktest"
	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/internal/procfs"
)

// fakePeerURL makes the test binary a load generator that asks this URL once,
// and over TLS trusts the certificate of the file.
const (
	fakePeerURL         = "PEERS_TEST_URL"
	fakePeerCertificate = "PEERS_TEST_CERTIFICATE"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == quicgo.Mode {
		os.Exit(quicgo.Main(os.Args[2:], os.Stdout, os.Stderr))
	}
	if url := os.Getenv(fakePeerURL); url != "" {
		if err := oneRequest(url, os.Getenv(fakePeerCertificate)); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
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
func oneRequest(url, certificate string) error {
	allowed, err := cpuset.Allowed()
	if err != nil {
		return err
	}
	client := http.DefaultClient
	if strings.HasPrefix(url, "https://") {
		roots, err := readRoots(certificate)
		if err != nil {
			return err
		}
		client = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}}
	}
	request, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	request.Header.Set("User-Agent", userAgent)
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	fmt.Println(allowed)
	return response.Body.Close()
}

// fakePeer runs the test binary, through env, as a peer does its program.
type fakePeer struct {
	allowed *string // what it printed
}

func (fakePeer) name() string        { return "fake" }
func (fakePeer) program() string     { return "env" }
func (fakePeer) install() string     { return "none" }
func (fakePeer) recipes() []recipe   { return nil }
func (fakePeer) version() string     { return firstLine("env", "--version") }
func (fakePeer) lacks(l load) string { return onlyHTTP1(l) }
func (fakePeer) loadArgs(l load) []string {
	return []string{
		"GORACE=atexit_sleep_ms=0", fakePeerURL + "=" + l.url,
		fakePeerCertificate + "=" + filepath.Join(l.scratchDir, certificateFile), os.Args[0],
	}
}
func (f fakePeer) parseReport(_ load, stdout []byte) (report, error) {
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
	recordings, err := recordRequests(t.Context(), []peer{fakePeer{&allowed}, quicGo{path: thisProgram}}, load{cpu: cpu})
	if err != nil {
		t.Fatal(err)
	}
	// What cannot speak HTTP/1.1 is not run, and has a version all the same.
	if without := recordings[1]; without.peer != "quicgo" || without.request != nil || !strings.HasPrefix(without.version, "http3 of quic-go v") {
		t.Errorf("of a peer without HTTP/1.1: %+v", without)
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

// testCache is the cache folder of who runs the tests, for what is in no
// distribution; "" for none.
func testCache() string {
	cache, err := cacheDir()
	if err != nil {
		return ""
	}
	return cache
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
	for _, tt := range []struct {
		server server
		over   transport
	}{{sink{}, clearTCP}, {nginx{}, clearTCP}, {nginx{}, tlsTCP}, {caddy{path: locateCaddy(testCache())}, quicUDP}} {
		t.Run(tt.server.name()+" over "+tt.over.String(), func(t *testing.T) {
			if _, err := exec.LookPath(tt.server.program()); err != nil {
				t.Skipf("not installed: %s", tt.server.install())
			}
			testServer(t, r, tt.server, site{scratchDir: scratch, cpu: lastCPU(t), over: tt.over})
		})
	}
}

func testServer(t *testing.T, r runner, s server, at site) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	in, err := s.start(ctx, at)
	if err != nil {
		t.Fatal(err)
	}
	stopped := false
	defer func() {
		if !stopped {
			in.stop()
		}
	}()
	courses := plan{courses: allCourses()}.coursesOn(s, at.over)
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
	if got := usage.CPUs.String(); got != fmt.Sprint(at.cpu) {
		t.Errorf("the server may run on CPUs %q, want %d", got, at.cpu)
	}
	var allowed string
	l := load{url: in.baseURL + courses[0].path, cpu: at.cpu, seconds: 1, scratchDir: at.scratchDir}
	got, err := r.run(ctx, fakePeer{&allowed}, l, in.cmd.Process.Pid)
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
	in := &instance{baseURL: site{}.url(port)}
	if err := in.waitReady(ctx, []course{{path: "/"}}); err == nil || !strings.Contains(err.Error(), "wait for http://127.0.0.1:") {
		t.Errorf("error %v, want one with the URL", err)
	}
	ctx, cancel = context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	in.baseURL = site{over: quicUDP}.url(port)
	if err := in.waitReady(ctx, []course{{path: "/", protocol: h3QUIC}}); err == nil || !strings.Contains(err.Error(), "wait for https://127.0.0.1:") {
		t.Errorf("over QUIC: error %v, want one with the URL", err)
	}
}
