package loadgen

import (
	"crypto/tls"
	"sync"
)

// sessions keeps the TLS sessions of a worker's QUIC connections and gives each out
// once, the newest first: two connections that resume with the same ticket can be
// told to belong together (RFC 8446 appendix C.4), and quic-go writes into a session
// that it resumes. Every connection brings new ones.
type sessions struct {
	mu   sync.Mutex
	kept []*tls.ClientSessionState
}

// sessionsMax is enough for every connection that shakes hands at a time.
const sessionsMax = 1024

// Put implements tls.ClientSessionCache. A worker has one server.
func (s *sessions) Put(_ string, session *tls.ClientSessionState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if session != nil && len(s.kept) < sessionsMax {
		s.kept = append(s.kept, session)
	}
}

// Get implements tls.ClientSessionCache.
func (s *sessions) Get(string) (*tls.ClientSessionState, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.kept) == 0 {
		return nil, false
	}
	last := s.kept[len(s.kept)-1]
	s.kept = s.kept[:len(s.kept)-1]
	return last, true
}
