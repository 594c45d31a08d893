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

// cutOff closes all connections, waits at most patience until their goroutines
// have noticed, and returns how many have not.
func (c *conns) cutOff(patience time.Duration) (left int) {
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for {
		if left = c.closeAll(); left == 0 {
			return 0
		}
		select {
		case <-c.changed:
		case <-deadline.C:
			return left
		}
	}
}

// closeAll closes every open connection and returns their number. Closing one
// again does no harm.
func (c *conns) closeAll() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	for conn := range c.open {
		_ = conn.Close()
	}
	return len(c.open)
}
