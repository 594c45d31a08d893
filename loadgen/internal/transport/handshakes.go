package transport

import (
	"sync"
	"sync/atomic"
)

// Handshakes is how the handshakes of one worker reach it. The zero value is
// not ready: use [NewHandshakes].
type Handshakes struct {
	wake    func()
	pending atomic.Bool // changed is not empty
	running sync.WaitGroup

	mu      sync.Mutex
	changed []*Conn // with something to do for the worker; guarded by mu
	taken   []*Conn // the worker's
}

// NewHandshakes makes one. wake is called from other goroutines when the worker
// has something to look at; it must not block.
func NewHandshakes(wake func()) *Handshakes { return &Handshakes{wake: wake} }

// Changed returns the connections whose handshake has something to send or has
// ended, each at least once. The slice is valid until the next call.
func (h *Handshakes) Changed() []*Conn {
	if !h.pending.Load() {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.pending.Store(false)
	h.changed, h.taken = h.taken[:0], h.changed
	return h.taken
}

// Wait waits until every handshake has ended; each has been abandoned before,
// or has.
func (h *Handshakes) Wait() { h.running.Wait() }

func (h *Handshakes) tell(c *Conn) {
	h.mu.Lock()
	h.changed = append(h.changed, c)
	h.pending.Store(true)
	h.mu.Unlock()
	h.wake()
}
