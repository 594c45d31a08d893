package target

import (
	"maps"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/valyala/fasthttp"
)

// conns knows open TCP connections, so that the end can cut them off: those of
// clients, also after a misbehaviour took them over from fasthttp, and those to
// the upstream. Those of QUIC quic-go knows.
type conns struct {
	mu      sync.Mutex
	open    map[net.Conn]struct{} // guarded by mu
	changed chan struct{}         // one token: a connection was closed
}

func newConns() *conns {
	return &conns{open: make(map[net.Conn]struct{}), changed: make(chan struct{}, 1)}
}

// track is fasthttp's ConnState hook. It runs twice per request, so the states
// of a request in progress leave it before the lock. A hijacked connection has
// no further states; who took it over removes it.
func (c *conns) track(conn net.Conn, state fasthttp.ConnState) {
	switch state {
	case fasthttp.StateNew:
		c.add(conn)
	case fasthttp.StateClosed:
		c.remove(conn)
	}
}

func (c *conns) add(conn net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open[conn] = struct{}{}
}

func (c *conns) remove(conn net.Conn) {
	c.mu.Lock()
	delete(c.open, conn)
	c.mu.Unlock()
	select {
	case c.changed <- struct{}{}:
	default:
	}
}

// cutOff closes all connections and waits, at most patience, until their
// goroutines have noticed.
func (c *conns) cutOff(patience time.Duration) {
	c.closeAll()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for c.count() > 0 {
		select {
		case <-c.changed:
		case <-deadline.C:
			return
		}
	}
}

// closeAll closes them outside the lock, which a connection that removes itself
// when it is closed takes again.
func (c *conns) closeAll() {
	c.mu.Lock()
	open := slices.Collect(maps.Keys(c.open))
	c.mu.Unlock()
	for _, conn := range open {
		_ = conn.Close()
	}
}

func (c *conns) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.open)
}
