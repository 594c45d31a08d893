package main

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// server is a scripted HTTP server in the test's own process. It answers
// nothing but what its kind says, and keeps the first request as it came.
type server struct {
	listener net.Listener
	requests atomic.Int64

	mu    sync.Mutex
	conns []net.Conn
	first []byte // the bytes of the first request
	done  sync.WaitGroup
}

const (
	okResponse       = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
	notFoundResponse = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
)

// kinds says how each kind of server answers its n-th request, counted from 1,
// and whether it closes the connection then.
func kinds() map[string]func(n int64) (response string, closes bool) {
	return map[string]func(int64) (string, bool){
		"ok":  func(int64) (string, bool) { return okResponse, false },
		"404": func(int64) (string, bool) { return notFoundResponse, false },
		"301": func(int64) (string, bool) {
			return "HTTP/1.1 301 Moved\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n", false
		},
		"mute":     func(int64) (string, bool) { return "", false },
		"hangs-up": func(int64) (string, bool) { return "", true },
		"closes":   func(int64) (string, bool) { return okResponse, true },
		"announces": func(int64) (string, bool) {
			return "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok", true
		},
		"garbage": func(int64) (string, bool) { return "SSH-2.0-OpenSSH\r\n", true },
		"slow": func(int64) (string, bool) { // against some ten microseconds
			time.Sleep(300 * time.Microsecond)
			return okResponse, false
		},
		"long":  func(int64) (string, bool) { return "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", false },
		"short": func(int64) (string, bool) { return "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok", true },
		"mixed": func(n int64) (string, bool) {
			if n%4 == 0 {
				return notFoundResponse, false
			}
			return okResponse, false
		},
	}
}

// serve NAME KIND starts a server and puts its URL into the variable NAME and
// its address into NAME_host. The kind refused is a port that nobody listens on.
func serve(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: serve NAME KIND")
	}
	name, kind := args[0], args[1]
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Setenv(name, "http://"+listener.Addr().String())
	ts.Setenv(name+"_host", listener.Addr().String())
	if kind == "refused" {
		ts.Check(listener.Close())
		return
	}
	answer := kinds()[kind]
	if answer == nil {
		ts.Fatalf("no server of kind %q", kind)
	}
	s := &server{listener: listener}
	s.done.Go(func() { s.acceptLoop(answer) })
	scriptOf(ts).servers[name] = s
	ts.Defer(s.stop)
}

func (s *server) acceptLoop(answer func(int64) (string, bool)) {
	for {
		c, err := s.listener.Accept()
		if err != nil {
			return
		}
		s.mu.Lock()
		s.conns = append(s.conns, c)
		s.mu.Unlock()
		s.done.Go(func() { s.answerLoop(c, answer) })
	}
}

func (s *server) answerLoop(c net.Conn, answer func(int64) (string, bool)) {
	defer c.Close()
	var raw bytes.Buffer
	in := bufio.NewReader(io.TeeReader(c, &raw))
	for {
		r, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return
		}
		n := s.requests.Add(1)
		if n == 1 {
			s.mu.Lock()
			s.first = bytes.Clone(raw.Bytes())
			s.mu.Unlock()
		}
		raw.Reset()
		response, closes := answer(n)
		if _, err := io.WriteString(c, response); err != nil || closes || r.Close {
			return
		}
	}
}

func (s *server) stop() {
	s.listener.Close()
	s.mu.Lock()
	for _, c := range s.conns {
		c.Close()
	}
	s.mu.Unlock()
	s.done.Wait()
}

// received NAME FILE writes the first request that a server has read into a
// file, for cmp. Line ends of HTTP are written as \r and a newline, so that
// they can be seen.
func received(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: received NAME FILE")
	}
	s := scriptOf(ts).servers[args[0]]
	s.mu.Lock()
	defer s.mu.Unlock()
	visible := strings.ReplaceAll(string(s.first), "\r\n", "\\r\n")
	visible = strings.ReplaceAll(visible, ts.Getenv(args[0]+"_host"), "HOST") // the port is another one each time
	if !strings.HasSuffix(visible, "\n") {
		visible += "\n" // files of a script end in one; a body that has one has a longer Content-Length
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(visible), 0o644))
}

// template FILE NAME replaces $URL in a file by the URL of a server.
func template(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: template FILE NAME")
	}
	text := strings.ReplaceAll(ts.ReadFile(args[0]), "$URL", ts.Getenv(args[1]))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o644))
}
