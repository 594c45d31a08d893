package quicnet

import (
	"errors"
	"io"
	"os"
	"sync/atomic"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/loadgen/internal/exchange"
	"github.com/scalws/scalbench/loadgen/internal/h3"
)

// stream is a slot of a connection: one exchange at a time.
type stream struct {
	c        *Conn
	quic     *quic.Stream
	x        *exchange.Exchange // nil: free
	response h3.Response
	patient  bool        // its own goroutine reads it
	hashing  bool        // its body goes into the connection's digest
	use      uint64      // counts exchanges: who waited for an earlier one finds out
	ended    func(int64) // finalSizeKnown

	// While the callback is being set the lock is held, and quic-go may call it
	// at once: then it only says so.
	arming atomic.Bool
	early  atomic.Bool

	toRead, toWrite job
	full            bool          // its reader's buffer was, once; the reader's own
	reads, writes   chan struct{} // wake its goroutines; nil: not started
	writing         bool          // the request has not been queued in whole
}

const (
	// readNowBytes is the buffer for a response that is there in whole.
	readNowBytes = 64 << 10
	// readNowMax is how long a read that should find its data may wait for it.
	// A read cannot be told not to wait, and its deadline is looked at before
	// the data, so one in the past would never read.
	readNowMax = 200 * time.Microsecond
	// smallMax is what surely fits into one datagram beside a head.
	smallMax = 900
	// writeNowMax is the longest request that is queued at once, copied.
	writeNowMax = 16 << 10
)

// start sends an exchange's request on a fresh QUIC stream.
func (s *stream) start(q *quic.Stream, x *exchange.Exchange, now mono.Time) {
	e := s.c.e
	*x = exchange.Exchange{Intended: x.Intended, Ready: x.Ready, Reused: x.Reused, Restarts: x.Restarts, Conn: x.Conn, Slot: x.Slot}
	s.quic, s.x, s.patient = q, x, false
	s.use++
	s.response.Begin(&e.heads, e.cfg.Request.Head)
	s.hashing = s.c.fresh && s.c.digest.Begin(&e.cfg.Expect, now)
	s.c.fresh = false
	if s.hashing {
		s.response.Hash(&s.c.digest)
	}
	if e.cfg.Timeout > 0 {
		x.Deadline = now.Add(e.cfg.Timeout)
		s.c.dueBy(x.Deadline)
	}
	over := false
	if e.large {
		s.bePatient()
	} else {
		over = s.arm()
	}
	request := e.cfg.Request.Bytes
	if len(request) <= writeNowMax && q.TryWriteAll(request) == nil {
		_ = q.Close() // only fails on a stream that has been cancelled
	} else {
		s.write(request)
	}
	if over {
		s.readWhole()
	}
}

// arm asks to be called when the end of the response is known, and reports
// whether it is already.
func (s *stream) arm() (over bool) {
	s.early.Store(false)
	s.arming.Store(true)
	s.quic.SetReceiveFinalSizeCallback(s.ended)
	s.arming.Store(false)
	return s.early.Load()
}

// finalSizeKnown is called from the connection's run loop, without any lock of
// quic-go's, when the last of the response or a reset has arrived.
func (s *stream) finalSizeKnown(int64) {
	if s.arming.Load() {
		s.early.Store(true)
		return
	}
	e := s.c.e
	e.mu.Lock()
	defer e.mu.Unlock()
	if s.x != nil && !s.patient {
		s.readWhole()
	}
}

// readWhole reads a response that has arrived to its end. One that does not come
// in one read is large, or has a gap, because its datagrams came in another order
// or not at all: what follows is read as it arrives.
func (s *stream) readWhole() {
	e := s.c.e
	_ = s.quic.SetReadDeadline(time.Now().Add(readNowMax)) // never fails
	n, err := s.quic.Read(e.readNow)
	now := e.cfg.Clock.Now()
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = nil
	}
	if !s.taken(now, e.readNow[:n], err) {
		_ = s.quic.SetReadDeadline(time.Time{})
		s.bePatient()
	}
}

// taken handles what a read has brought and reports whether the exchange has
// ended by it. The worker has then been told.
func (s *stream) taken(now mono.Time, b []byte, err error) (ended bool) {
	if len(b) > 0 && s.take(now, b) {
		return true
	}
	switch {
	case err == nil:
		return false
	case errors.Is(err, io.EOF):
		s.finish(now)
	case errors.Is(err, quic.Err0RTTRejected):
		return true // the connection hands it back
	default:
		s.broken(now, err)
	}
	return true
}

// take feeds bytes of the response and reports whether they ended the exchange.
func (s *stream) take(now mono.Time, b []byte) (ended bool) {
	if s.x.FirstByte == 0 {
		s.x.FirstByte = now
	}
	fault := s.response.Feed(b)
	if fault.Bad() {
		s.bad(now, fault)
	}
	return fault.Bad()
}

// finish ends an exchange whose response has come to its end.
func (s *stream) finish(now mono.Time) {
	if fault := s.response.End(); fault.Bad() {
		s.bad(now, fault)
		return
	}
	o, why := s.c.e.cfg.Expect.Judge(s.response.Status(), s.response.BodyBytes())
	e := s.c.e
	if s.hashing {
		o, why = s.c.digest.Judge(&e.cfg.Expect, o, why)
	}
	e.large = s.response.BodyBytes() > smallMax
	if o == exchange.OK {
		e.service += (now - s.x.Sent - e.service) / 64
	}
	s.end(now, o, exchange.Reason{Text: why})
	e.cfg.Handler.Progress(s.c.index, now)
}

// bad ends an exchange, or its whole connection, for a fault of the server's.
func (s *stream) bad(now mono.Time, f h3.Fault) {
	if f.Connection {
		s.c.fail(now, f)
	} else {
		s.cancelWith(quic.StreamErrorCode(f.Code))
		s.end(now, exchange.ProtocolError, exchange.Reason{Text: f.Text})
	}
	s.c.e.cfg.Handler.Progress(s.c.index, now)
}

// broken ends an exchange whose stream ended by an error. When that is the
// connection's, all end, and the connection tells it.
func (s *stream) broken(now mono.Time, err error) {
	var reset *quic.StreamError
	if !errors.As(err, &reset) {
		s.patient = true // nothing more is read here
		return
	}
	s.cut(now, resetReason(reset))
	s.c.e.cfg.Handler.Progress(s.c.index, now)
}

// cut ends an exchange by something the server did before it was complete.
func (s *stream) cut(now mono.Time, text string) {
	if s.x.Sent == 0 { // nothing has left: another connection may carry it
		s.end(now, exchange.Pending, exchange.Reason{})
		return
	}
	o := exchange.Reset
	if s.response.Began() {
		o = exchange.ReadFailed
	}
	s.end(now, o, exchange.Reason{Text: text})
}

// cancel tells the server that nobody waits for the response any more.
func (s *stream) cancel() { s.cancelWith(quic.StreamErrorCode(h3.RequestCancelled)) }

func (s *stream) cancelWith(code quic.StreamErrorCode) {
	s.quic.SetReceiveFinalSizeCallback(nil) // its end is not that of the next exchange
	s.quic.CancelRead(code)
	s.quic.CancelWrite(code)
}

// end gives the exchange back and frees the slot.
func (s *stream) end(now mono.Time, o exchange.Outcome, why exchange.Reason) {
	x, c := s.x, s.c
	if s.writing { // answered before it had read the whole request
		s.quic.CancelWrite(quic.StreamErrorCode(h3.NoError))
		s.writing = false
	}
	for i, u := range c.unsent {
		if u == s {
			c.unsent = append(c.unsent[:i], c.unsent[i+1:]...)
			break
		}
	}
	x.Done, x.Outcome, x.Reason, x.Deadline = now, o, why, 0
	if x.Sent == 0 && s.response.Began() {
		x.Sent = x.FirstByte // only a server that answers before it is asked
	}
	x.Status, x.BodyBytes = s.response.Status(), s.response.BodyBytes()
	s.x, s.quic, s.patient = nil, nil, false
	s.use++
	c.out--
	c.free = append(c.free, s)
	c.done = append(c.done, x)
}
