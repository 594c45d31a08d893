package transport

import (
	"net"
	"sync"
	"time"
)

// wire is the net.Conn under a tls.Conn: two buffers. While the handshake runs
// it is shared between its goroutine, which reads and writes, and the worker,
// which fills and empties it; then it is the worker's and takes no lock.
type wire struct {
	mu      sync.Mutex // guards what follows while shared
	arrived sync.Cond  // in or gone has changed

	shared bool   // written by the worker, when the goroutine has ended
	in     []byte // received and not yet read
	left   int    // what the goroutine has yet to read of the record it is in
	out    []byte // written and not yet taken
	gone   error  // what a read of the handshake returns behind in; nil: more may come
	waits  func() // called without the lock before a read waits for the peer
}

// again is what a read returns that would have to wait. crypto/tls does not
// remember an error that calls itself temporary.
type again struct{}

func (again) Error() string   { return "nothing to read yet" }
func (again) Temporary() bool { return true }
func (again) Timeout() bool   { return true }

// ErrAgain says that there is nothing more to read now.
var ErrAgain net.Error = again{}

func (w *wire) Read(b []byte) (int, error) {
	if !w.shared {
		return w.take(b, len(w.in))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.inRecord() == 0 && w.gone == nil {
		w.mu.Unlock()
		w.waits()
		w.mu.Lock()
	}
	for w.inRecord() == 0 && w.gone == nil {
		w.arrived.Wait()
	}
	n, err := w.take(b, w.inRecord())
	w.left -= n
	return n, err
}

// inRecord is how much of in belongs to the record that is being read. While the
// handshake runs no read goes beyond a record: what follows the last one stays
// here, for whoever reads after it.
func (w *wire) inRecord() int {
	if w.left == 0 {
		w.left = recordBytes(w.in)
	}
	return min(w.left, len(w.in))
}

// take copies what is there, at most n bytes.
func (w *wire) take(b []byte, n int) (int, error) {
	if n > 0 {
		n = copy(b, w.in[:n])
		w.in = w.in[n:]
		return n, nil
	}
	if w.shared && w.gone != nil {
		return 0, w.gone
	}
	return 0, ErrAgain
}

func (w *wire) Write(b []byte) (int, error) {
	if w.shared {
		w.mu.Lock()
		defer w.mu.Unlock()
	}
	w.out = append(w.out, b...)
	return len(b), nil
}

// Close does nothing: the socket is the worker's.
func (w *wire) Close() error                     { return nil }
func (w *wire) LocalAddr() net.Addr              { return nil }
func (w *wire) RemoteAddr() net.Addr             { return nil }
func (w *wire) SetDeadline(time.Time) error      { return nil }
func (w *wire) SetReadDeadline(time.Time) error  { return nil }
func (w *wire) SetWriteDeadline(time.Time) error { return nil }
