package transport

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"slices"

	"github.com/scalws/scalbench/internal/mono"
)

// Conn is TLS over one TCP connection, from the client's side. It belongs to a
// worker, but for its handshake.
type Conn struct {
	Slot int // of the TCP connection; for the worker

	wire    wire
	tls     *tls.Conn
	records *records // the record layer of a secured connection; nil: crypto/tls is it
	spare   []byte   // the buffer that Take returned last; swapped with wire.out

	log keyLog // written by the handshake's goroutine, read when it has ended

	// Set by the handshake's goroutine under the wire's lock.
	ended bool
	err   error
	at    mono.Time
}

// New begins the handshake of a TCP connection that is up. config is not
// changed and may be shared; it must have DynamicRecordSizingDisabled, or the
// first requests take several records. With a ClientSessionCache crypto/tls
// stays the record layer, because tickets come behind the handshake.
func New(slot int, config *tls.Config, clock mono.Clock, of *Handshakes) *Conn {
	c := &Conn{Slot: slot}
	c.wire.shared = true
	c.wire.arrived.L = &c.wire.mu
	c.wire.waits = func() { of.tell(c) }
	if config.ClientSessionCache == nil {
		config = config.Clone()
		config.KeyLogWriter = &c.log
	}
	c.tls = tls.Client(&c.wire, config)
	of.running.Go(func() {
		err := c.tls.Handshake()
		c.wire.mu.Lock()
		c.ended, c.err, c.at = true, err, clock.Now()
		c.wire.mu.Unlock()
		of.tell(c)
	})
	return c
}

// Handshake reports whether the handshake has ended, when and how. The first
// call that says it has ended well makes the connection secured.
func (c *Conn) Handshake() (ended bool, at mono.Time, err error) {
	c.wire.mu.Lock()
	defer c.wire.mu.Unlock()
	if c.ended && c.err == nil && c.wire.shared {
		c.wire.shared = false
		if c.log.ours != nil && c.log.theirs != nil {
			// An unknown cipher suite leaves it to crypto/tls.
			c.records, _ = newRecords(c.State().CipherSuite, c.log.theirs, c.log.ours)
		}
	}
	return c.ended, c.at, c.err
}

// Gone returns why the connection had been abandoned when its handshake ended
// well all the same: io.EOF for the peer's FIN; nil: it had not.
func (c *Conn) Gone() error { return c.wire.gone }

// State tells what the handshake has agreed on.
func (c *Conn) State() tls.ConnectionState { return c.tls.ConnectionState() }

// Arrived takes received bytes. A secured connection must be read to ErrAgain
// before they become invalid: they are not copied, and decrypted in place.
func (c *Conn) Arrived(b []byte) {
	if !c.wire.shared {
		if len(c.wire.in) > 0 { // left from the handshake
			b = append(c.wire.in, b...)
		}
		c.wire.in = b
		return
	}
	c.wire.mu.Lock()
	c.wire.in = append(c.wire.in, b...)
	c.wire.mu.Unlock()
	c.wire.arrived.Signal()
}

// Abandon ends a handshake that is under way: its goroutine meets why, io.EOF
// for the peer's FIN, and returns. For a secured connection it does nothing.
func (c *Conn) Abandon(why error) {
	if !c.wire.shared {
		return
	}
	c.wire.mu.Lock()
	c.wire.gone = why
	c.wire.mu.Unlock()
	c.wire.arrived.Signal()
}

// Next decrypts what comes next. scratch has room for a record of [RecordMax]
// bytes; the plain bytes lie there or elsewhere, and are valid until the next
// call. ErrAgain: there are none now. io.EOF: the peer has said that nothing more
// comes (close_notify). ErrAlert: it has broken the connection. Anything else is
// no TLS.
func (c *Conn) Next(scratch []byte) (plain []byte, err error) {
	if c.records != nil {
		plain, c.wire.in, err = c.records.open(c.wire.in, &c.wire.out)
		return plain, err
	}
	n, err := c.tls.Read(scratch)
	if n > 0 {
		return scratch[:n], nil // an error is told again
	}
	var alert *net.OpError
	if errors.As(err, &alert) && alert.Op == "remote error" {
		err = fmt.Errorf("%w: %w", ErrAlert, alert.Err)
	}
	return nil, err
}

// Write encrypts b; Take returns the records. It fails only when the peer has
// broken the connection by an alert.
func (c *Conn) Write(b []byte) error {
	if c.records != nil {
		c.wire.out = c.records.send.seal(c.wire.out, recordApplication, b)
		return nil
	}
	_, err := c.tls.Write(b)
	return err
}

// Take returns what is to be sent; nil: nothing. The bytes stay unchanged until
// the next call, which is due when they have left.
func (c *Conn) Take() []byte {
	if c.wire.shared {
		c.wire.mu.Lock()
		defer c.wire.mu.Unlock()
		out := slices.Clone(c.wire.out)
		c.wire.out = c.wire.out[:0]
		return out
	}
	if len(c.wire.out) == 0 {
		return nil
	}
	c.spare, c.wire.out = c.wire.out, c.spare[:0]
	return c.spare
}

// RecordMax is how many plain bytes one record holds (RFC 8446 section 5.1).
const RecordMax = 16 << 10
