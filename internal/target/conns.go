package target

import (
	"net"
	"sync"
	"time"

	"github.com/valyala/fasthttp"
)

// conns knows the open connections, so that the end can cut them off.
type conns struct {
	mu      sync.Mutex
	open    map[net.Conn]struct{} // guarded by mu
	changed chan struct{}         // one token: a connection was closed
}

func newConns() *conns {
	return &conns{open: make(map[net.Conn]struct{}), changed: make(chan struct{}, 1)}
}

// track is fasthttp's ConnState hook. It runs twice per request, so the states
// of a request in progress leave it before the lock.
func (c *conns) track(conn net.Conn, state fasthttp.ConnState) {
	switch state {
	case fasthttp.StateNew:
		c.mu.Lock()
		c.open[conn] = struct{}{}
		c.mu.Unlock()
	case fasthttp.StateClosed:
		c.mu.Lock()
		delete(c.open, conn)
		c.mu.Unlock()
		select {
		case c.changed <- struct{}{}:
		default:
		}
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

func (c *conns) closeAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for conn := range c.open {
		_ = conn.Close()
	}
}

func (c *conns) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.open)
}
