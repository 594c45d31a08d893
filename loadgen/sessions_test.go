package loadgen

import (
	"crypto/tls"
	"sync"
	"sync/atomic"
	"testing"
)

// Each session is given out once, the newest first, whatever the key.
func TestSessions(t *testing.T) {
	var s sessions
	if got, ok := s.Get("a"); ok || got != nil {
		t.Errorf("%p, %v of none", got, ok)
	}
	first, second, third := new(tls.ClientSessionState), new(tls.ClientSessionState), new(tls.ClientSessionState)
	s.Put("a", first)
	s.Put("a", nil) // crypto/tls takes a session away so: ours are away already
	s.Put("b", second)
	wantNext(t, &s, second)
	s.Put("a", third)
	wantNext(t, &s, third)
	wantNext(t, &s, first)
	if _, ok := s.Get("a"); ok {
		t.Error("a session was given out twice")
	}
}

// What is brought beyond sessionsMax is dropped, until one has been given out.
func TestSessionsAreBounded(t *testing.T) {
	var s sessions
	var last *tls.ClientSessionState
	for range sessionsMax {
		last = new(tls.ClientSessionState)
		s.Put("", last)
	}
	s.Put("", new(tls.ClientSessionState))
	wantNext(t, &s, last)
	again := new(tls.ClientSessionState)
	s.Put("", again)
	wantNext(t, &s, again)
	left := 0
	for _, ok := s.Get(""); ok; _, ok = s.Get("") {
		left++
	}
	if left != sessionsMax-1 { // last was one of sessionsMax
		t.Errorf("%d sessions left, want %d", left, sessionsMax-1)
	}
}

// Connections shake hands on several threads: none gets what another has got.
func TestSessionsOfManyConnections(t *testing.T) {
	const connections, each = 8, 200 // 8 x 200 are more than sessionsMax, but each takes one for one that it brings
	var s sessions
	var given sync.Map
	var got atomic.Int64
	var done sync.WaitGroup
	for range connections {
		done.Go(func() {
			for range each {
				s.Put("", new(tls.ClientSessionState))
				session, ok := s.Get("")
				if !ok {
					t.Error("nothing there right after a session was brought")
					return
				}
				if _, twice := given.LoadOrStore(session, true); twice {
					t.Error("a session was given out twice")
				}
				got.Add(1)
			}
		})
	}
	done.Wait()
	if got.Load() != connections*each || len(s.kept) != 0 {
		t.Errorf("%d sessions given out and %d kept of %d", got.Load(), len(s.kept), connections*each)
	}
}

func wantNext(t *testing.T, s *sessions, want *tls.ClientSessionState) {
	t.Helper()
	if got, ok := s.Get("any"); !ok || got != want {
		t.Errorf("session %p, %v, want %p", got, ok, want)
	}
}
