package servers

import (
	"context"
	"errors"
	"log"
	"net"
	"net/http"
	"slices"
	"sync"
	"testing"
)

// goServer is net/http's server, in this process. Each of its ports takes
// every protocol that its scheme has.
type goServer struct {
	http.Server
	serving sync.WaitGroup

	logged struct {
		sync.Mutex
		lines []Line
	}
}

// startGo runs a Go server until the test ends.
func (s *Site) startGo(t testing.TB) *Server {
	t.Helper()
	g := new(goServer)
	g.Handler = g.logging(s.handler())
	g.ErrorLog = log.New(t.Output(), "go: ", 0) // of handshakes that were meant to fail
	g.Protocols = new(http.Protocols)
	g.Protocols.SetHTTP1(true)
	g.Protocols.SetHTTP2(true)
	g.Protocols.SetUnencryptedHTTP2(true)
	server := &Server{stop: g.stop, finish: g.finish, log: g.log}
	t.Cleanup(g.stop)
	for _, port := range []*int{&server.ports.h1, &server.ports.h2c, &server.ports.tls} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		*port = listener.Addr().(*net.TCPAddr).Port
		if port == &server.ports.tls {
			g.serving.Go(func() { report(t, g.ServeTLS(listener, s.Certificates.Cert, s.Certificates.Key)) })
		} else {
			g.serving.Go(func() { report(t, g.Serve(listener)) })
		}
	}
	return server
}

func report(t testing.TB, err error) {
	if !errors.Is(err, http.ErrServerClosed) {
		t.Errorf("go: %v", err)
	}
}

// logging adds a line for each request that has ended.
func (g *goServer) logging(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen := &statusWriter{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(seen, r)
		g.logged.Lock()
		defer g.logged.Unlock()
		g.logged.lines = append(g.logged.lines, Line{Status: seen.status, Major: r.ProtoMajor, URI: r.RequestURI})
	})
}

// statusWriter remembers the status.
type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap lets net/http send files without copying them.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (g *goServer) finish() error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	err := g.Shutdown(ctx)
	g.serving.Wait()
	return err
}

func (g *goServer) stop() {
	_ = g.Close() // of listeners that may be closed already
	g.serving.Wait()
}

func (g *goServer) log() ([]Line, error) {
	g.logged.Lock()
	defer g.logged.Unlock()
	return slices.Clone(g.logged.lines), nil
}
