package loadgen_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/scalws/scalbench/internal/certs"
	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/internal/leaktest"
	"github.com/scalws/scalbench/internal/resulttest"
	"github.com/scalws/scalbench/internal/target"
	"github.com/scalws/scalbench/loadgen"
)

// targetVariable makes this test binary the embedded target, in a process of its
// own, for the tests that must not share one with their server.
const targetVariable = "LOADGEN_TEST_TARGET"

// certsVariable makes it speak TLS, with the certificates in a directory.
const certsVariable = "LOADGEN_TEST_CERTS"

func TestMain(m *testing.M) {
	if os.Getenv(targetVariable) != "" {
		var config target.Config
		if dir := os.Getenv(certsVariable); dir != "" {
			config.Cert, config.Key = filepath.Join(dir, certs.CertFile), filepath.Join(dir, certs.KeyFile)
		}
		if err := target.Run(context.Background(), config, os.Stdin, os.Stdout); err != nil {
			panic(err)
		}
		return
	}
	os.Exit(leaktest.Main(m))
}

// scripted is a server whose connections are handled by a script. It counts
// the requests that it has read.
type scripted struct {
	url      string
	listener net.Listener
	requests atomic.Int64
	accepted atomic.Int64
}

// serve starts a scripted server: handle is called for each connection and the
// connection closed after it.
func serve(t *testing.T, handle func(s *scripted, c *peer)) *scripted {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &scripted{url: "http://" + listener.Addr().String() + "/x", listener: listener}
	var peers sync.WaitGroup
	var mu sync.Mutex
	open := map[net.Conn]bool{}
	accepting := make(chan struct{})
	go func() {
		defer close(accepting)
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			s.accepted.Add(1)
			mu.Lock()
			open[c] = true
			mu.Unlock()
			peers.Go(func() {
				defer c.Close()
				handle(s, &peer{TCPConn: c.(*net.TCPConn), in: bufio.NewReader(c), server: s})
			})
		}
	}()
	t.Cleanup(func() {
		listener.Close()
		<-accepting
		mu.Lock()
		for c := range open {
			c.Close()
		}
		mu.Unlock()
		peers.Wait()
	})
	return s
}

// peer is the server's side of one connection.
type peer struct {
	*net.TCPConn
	in     *bufio.Reader
	server *scripted
}

// request reads one whole request; nil when the client has closed.
func (p *peer) request() *http.Request {
	r, err := http.ReadRequest(p.in)
	if err != nil {
		return nil
	}
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return nil
	}
	p.server.requests.Add(1)
	return r
}

func (p *peer) say(text string) { io.WriteString(p, text) }

// answers returns a handler that answers every request of a connection alike.
func answers(text string) func(*scripted, *peer) {
	return func(_ *scripted, p *peer) {
		for r := p.request(); r != nil; r = p.request() {
			p.say(text)
			if r.Close {
				return
			}
		}
	}
}

const ok2 = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

// plan is a short test of a number of requests over two connections.
func plan(url string, requests int64) loadgen.Plan {
	p := loadgen.DefaultPlan(url)
	p.Connections, p.Requests = 2, requests
	p.Timeout, p.ConnectTimeout, p.Drain = 5*time.Second, 2*time.Second, 500*time.Millisecond
	p.NoPin = true
	p.ServerPID = loadgen.ServerNone
	return p
}

// run measures and checks what must hold of every result.
func run(t *testing.T, p loadgen.Plan) *loadgen.Result {
	t.Helper()
	r, err := loadgen.Run(context.Background(), p, loadgen.Observer{})
	if err != nil {
		t.Fatal(err)
	}
	check(t, r)
	return r
}

func check(t *testing.T, r *loadgen.Result) {
	t.Helper()
	resulttest.Check(t, r)
}

// startTarget starts the embedded target in a process of its own.
func startTarget(t *testing.T) *target.Process {
	t.Helper()
	t.Setenv(targetVariable, "1")
	cpus, err := cpuset.Allowed()
	if err != nil {
		t.Fatal(err)
	}
	server, err := target.Start(context.Background(), os.Args[0], nil, cpus, os.Stderr)
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
