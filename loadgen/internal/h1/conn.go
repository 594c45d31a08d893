package h1

import (
	"time"

	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/loadgen/internal/exchange"
)

// Config is what all connections of a worker share. It must not change while
// one of them uses it.
type Config struct {
	Request *Request
	Heads   *Heads // nil: every head is parsed
	Expect  exchange.Expect
	Timeout time.Duration // of an exchange: from sending, and until that from Start; 0: none
}

// Conn is the codec of one connection. It is owned by one worker and carries
// one exchange at a time; the exchange is the codec's from Start until Done
// returns it.
//
// Init comes first, then Open for each transport connection. Before Open the
// connection is like one that has ended: it takes no exchange.
type Conn struct {
	cfg  *Config
	x    *exchange.Exchange    // the exchange that is out; nil: none
	done [1]*exchange.Exchange // the one that finished last
	out  []byte                // the request's bytes until Out took them

	lines     lines // the section of the response that is read in lines
	head      head  // what the lines of the present head said
	remaining int64 // bytes to come of the body, the chunk or the chunk's CR LF

	phase    phase
	matched  uint8 // octets of versionPrefix that arrived
	interims uint8 // 1xx responses of this exchange
	keeps    bool  // the transport connection outlives the present exchange when that completes before a FIN
	last     bool  // the present request says Connection: close
	finished bool  // done[0] waits for Done

	fresh   bool            // no exchange was started on this transport connection
	hashing bool            // the body of the present exchange goes into digest
	digest  exchange.Digest //
}

// phase is what the next byte is part of.
type phase uint8

const (
	phaseClosed     phase = iota // nothing: not open, ended, or failed; bytes are ignored
	phaseIdle                    // nothing: no exchange is out; bytes are stray
	phaseVersion                 // versionPrefix
	phaseStatus                  // the rest of the status line
	phaseFields                  // header fields
	phaseSized                   // a body of remaining bytes
	phaseUntilClose              // a body that ends with the peer's FIN
	phaseChunkLine               // chunk size and extensions
	phaseChunkData               // remaining bytes of a chunk
	phaseChunkEnd                // CR LF after a chunk's data
	phaseTrailers                // trailers and the empty line after them
	phaseComplete                // nothing: the response ended with the last byte; left within Feed
)

// Init prepares a connection's codec for use with cfg.
func (c *Conn) Init(cfg *Config) { *c = Conn{cfg: cfg} }

// Open follows a fresh transport connection: everything about the last one is
// forgotten, except an exchange that Done has yet to return. The exchange that
// was out must have been ended before, by End, Expire or Abort.
func (c *Conn) Open() {
	c.x = nil
	c.out = nil
	c.phase = phaseIdle
	c.keeps = true
	c.fresh = true
}

// Free returns how many exchanges Start would take now: one or none.
func (c *Conn) Free() int {
	if c.phase != phaseIdle || !c.keeps || c.finished {
		return 0
	}
	return 1
}

// Start takes an exchange and queues its request. last asks for a request that
// says Connection: close. It sets x.Deadline, clears what a response fills in,
// and leaves Intended, Ready, Conn and Slot alone.
//
// It is false, with nothing done, while an exchange is out or not yet returned
// by Done, and when the connection is not reusable.
func (c *Conn) Start(x *exchange.Exchange, now mono.Time, last bool) bool {
	if c.Free() == 0 {
		return false
	}
	x.Sent, x.FirstByte, x.Done, x.Deadline = 0, 0, 0, 0
	x.BodyBytes, x.Status = 0, 0
	x.Outcome, x.Reason = exchange.Pending, exchange.Reason{}
	if c.cfg.Timeout > 0 {
		x.Deadline = now.Add(c.cfg.Timeout)
	}
	request := c.cfg.Request
	c.x = x
	c.out = request.Keep
	c.last = last || request.Once
	if last {
		c.out = request.Close
	}
	c.interims = 0
	c.hashing = c.fresh && c.digest.Begin(&c.cfg.Expect, now)
	c.fresh = false
	c.expectHead()
	return true
}

// Out returns the bytes to hand to the kernel now, once; nil: there are none.
// They lie in the Request, are shared by all connections and must not be
// written to. more is always false: a request is handed out whole.
func (c *Conn) Out() (b []byte, more bool) {
	b = c.out
	c.out = nil
	return b, false
}

// Stamp tells when the first byte of what Out returned left. The timeout counts
// from then. Only the first call after Out has an effect: what left before was
// something else's, such as that of TLS.
func (c *Conn) Stamp(at mono.Time) {
	x := c.x
	if x == nil || c.out != nil || x.Sent != 0 {
		return
	}
	x.Sent = at
	if c.cfg.Timeout > 0 {
		x.Deadline = at.Add(c.cfg.Timeout)
	}
}

// Done returns the exchanges that finished since the last call: one or none.
// The slice is valid until the next exchange finishes.
func (c *Conn) Done() []*exchange.Exchange {
	if !c.finished {
		return nil
	}
	c.finished = false
	return c.done[:]
}

// Reusable reports whether there is a reason to keep the transport connection:
// the exchange that is out, or another one that it can carry. It becomes false
// with the response after which either side closes (Connection: close, HTTP/1.0
// without keep-alive, a body until close), with a failed exchange, with stray
// bytes, and with End.
func (c *Conn) Reusable() bool {
	return c.phase != phaseClosed && (c.x != nil || c.keeps)
}

// Fault returns what made an open connection useless that has carried nothing; "":
// nothing did.
func (c *Conn) Fault() string {
	if c.phase == phaseIdle && !c.keeps {
		return faultStray
	}
	return ""
}

// StreamsMax is 1: there is no pipelining.
func (c *Conn) StreamsMax() int { return 1 }

// PeerCloses is true: who is told, or says, that a response is the last one
// closes behind it (RFC 9112 section 9.6), and keeps the port for a minute.
func (c *Conn) PeerCloses() bool { return true }

// Deadline returns when Expire gives up the exchange that is out; 0: never, or
// none is out.
func (c *Conn) Deadline() mono.Time {
	if c.x == nil {
		return 0
	}
	return c.x.Deadline
}
