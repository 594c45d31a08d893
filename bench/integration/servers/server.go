package servers

import (
	"fmt"
	"testing"
)

// Server is one that runs.
type Server struct {
	ports  ports
	stop   func()                 // at once
	finish func() error           // when all requests have ended
	log    func() ([]Line, error) // as far as it is written
}

// URL is where a path is asked for over a protocol.
func (s *Server) URL(p Protocol, path string) string {
	if p.TLS() {
		return s.SecureURL(p, path)
	}
	return s.PlainURL(p, path)
}

// PlainURL asks in cleartext at the port of a protocol, which may be wrong
// there; SecureURL over TLS.
func (s *Server) PlainURL(p Protocol, path string) string {
	return fmt.Sprintf("http://127.0.0.1:%d%s", s.ports.of(p), path)
}

// SecureURL is PlainURL with TLS.
func (s *Server) SecureURL(p Protocol, path string) string {
	return fmt.Sprintf("https://127.0.0.1:%d%s", s.ports.of(p), path)
}

// Finish lets the server end what it has begun, and returns its log, whole.
func (s *Server) Finish(t testing.TB) Log {
	t.Helper()
	if err := s.finish(); err != nil {
		t.Fatal(err)
	}
	log, err := s.log()
	if err != nil {
		t.Fatal(err)
	}
	return log
}
