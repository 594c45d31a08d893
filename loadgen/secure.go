package loadgen

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"

	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/loadgen/internal/exchange"
	"github.com/scalws/scalbench/loadgen/internal/netloop"
	"github.com/scalws/scalbench/loadgen/internal/transport"
)

// secrets is what a worker needs to speak TLS.
type secrets struct {
	config     *tls.Config
	protocol   Protocol
	handshakes *transport.Handshakes
	scratch    []byte // for the plain bytes of one record
}

// handshakeText begins the reason of what fails before TLS is up.
const handshakeText = "TLS handshake"

// secure begins the TLS handshake of a connection whose TCP is up.
func (w *worker) secure(i int32, at mono.Time) {
	c := &w.conns[i]
	c.state, c.since = securing, at
	c.secure = transport.New(int(i), w.secrets.config, w.clock, w.secrets.handshakes)
}

// advanceHandshakes looks at the handshakes that have something to send or have
// ended.
func (w *worker) advanceHandshakes(now mono.Time) {
	for _, h := range w.secrets.handshakes.Changed() {
		i := int32(h.Slot)
		c := &w.conns[i]
		if c.secure != h || c.state != securing {
			continue // of a connection that is closed, or known to be up
		}
		ended, at, err := h.Handshake()
		switch {
		case !ended:
			w.touch(i)
		case err != nil:
			w.handshakeFailed(i, now, err)
		default:
			w.secured(i, at)
		}
	}
}

// secured is called when a TLS handshake has ended well. What the server has
// sent behind it is read at once: no event will bring it.
func (w *worker) secured(i int32, at mono.Time) {
	c := &w.conns[i]
	state := c.secure.State()
	if err := w.secrets.protocol.agreed(state.NegotiatedProtocol); err != nil {
		w.handshakeFailed(i, at, err)
		return
	}
	w.recorder.tls.Record(int64(at - c.since))
	if state.DidResume {
		w.recorder.resumed++
	}
	h := c.secure
	w.opens(i, at)
	w.receivedSecure(i, &netloop.Event{Kind: netloop.Data, Slot: int(i), At: at})
	if why := h.Gone(); why != nil && c.secure == h { // no event will tell it again
		errno, _ := why.(syscall.Errno) // else a FIN
		c.codec.End(at, errno, false)
		w.collect(i, at)
		w.leave(i, at, false)
	}
}

// handshakeCut is called when the connection ends before its handshake: the
// goroutine meets it and says how far it had come.
func (w *worker) handshakeCut(i int32, ev *netloop.Event) {
	why := error(io.EOF)
	if ev.Errno != 0 {
		why = ev.Errno
	}
	w.conns[i].secure.Abandon(why)
}

func (w *worker) handshakeFailed(i int32, at mono.Time, err error) {
	w.loop.Close(int(i), true)
	w.connectingNow--
	w.connectFailed(i, at, exchange.Reason{Text: handshakeText + ": " + handshakeError(err)})
	w.conns[i].secure = nil
}

// handshakeError words the end of a handshake for somebody who does not know
// crypto/tls.
func handshakeError(err error) string {
	var header tls.RecordHeaderError
	var network *net.OpError
	switch {
	case errors.As(err, &header):
		if string(header.RecordHeader[:]) == "HTTP/" {
			return "the server speaks HTTP in cleartext on this port"
		}
		return "the server does not speak TLS on this port"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "the server closed the connection"
	case errors.As(err, &network) && network.Op == "remote error": // an alert
		return "the server refused: " + strings.TrimPrefix(network.Err.Error(), "tls: ")
	case errors.As(err, &network):
		return network.Err.Error()
	}
	return strings.TrimPrefix(err.Error(), "tls: ")
}

// abandonHandshake ends the goroutine of a handshake that is given up.
func (w *worker) abandonHandshake(c *conn) {
	c.secure.Abandon(syscall.ETIMEDOUT)
	c.secure = nil
}

// abandonHandshakes leaves no goroutine behind at the end of the run.
func (w *worker) abandonHandshakes() {
	if w.secrets == nil {
		return
	}
	for i := range w.conns {
		if c := &w.conns[i]; c.state == securing {
			w.abandonHandshake(c)
		}
	}
	w.secrets.handshakes.Wait()
}

// receivedSecure decrypts what arrived, feeds it, and settles what has ended by
// it.
func (w *worker) receivedSecure(i int32, ev *netloop.Event) {
	c := &w.conns[i]
	if c.state == leaving { // nothing that it may still say matters
		return
	}
	c.secure.Arrived(ev.Bytes)
	if c.state != open { // the handshake's goroutine reads it
		return
	}
	c.stamp()
	for {
		plain, err := c.secure.Next(w.secrets.scratch)
		switch err {
		case nil:
			c.codec.Feed(ev.At, plain)
			continue
		case transport.ErrAgain:
			w.settle(i, ev.At, ev.Last)
		default:
			w.secureEnded(i, ev.At, err)
		}
		return
	}
}

// secureEnded is called when TLS has ended: by the peer's close_notify, by its
// alert, or by bytes that are no TLS.
func (w *worker) secureEnded(i int32, at mono.Time, err error) {
	c := &w.conns[i]
	switch {
	case err == io.EOF:
		c.codec.End(at, 0, true)
		w.collect(i, at)
		w.awaitClose(i, at) // its FIN follows; whoever closes first keeps the port for a minute
		return
	case errors.Is(err, transport.ErrAlert):
		c.carrier.Abort(at, exchange.ReadFailed, exchange.Reason{Text: err.Error()})
	default:
		c.carrier.Abort(at, exchange.ProtocolError, exchange.Reason{Text: err.Error()})
	}
	w.collect(i, at)
	w.leave(i, at, true)
}

// sealed encrypts what is to leave together with what TLS itself has to say, a
// bounded piece at a time: a request body may have any size, and while it is
// sealed other connections wait.
func (c *conn) sealed(plain []byte, more bool) (b []byte, again bool) {
	if len(plain) > 0 {
		c.unsealed = plain
	}
	piece := c.unsealed[:min(len(c.unsealed), sealedMax)]
	c.unsealed = c.unsealed[len(piece):]
	if len(piece) > 0 {
		// It fails when an alert has broken the connection, which the next
		// read tells.
		_ = c.secure.Write(piece)
	}
	return c.secure.Take(), more || len(c.unsealed) > 0
}

// sealedMax is four whole records, which is what the kernel takes at once of a
// fresh connection.
const sealedMax = 4 * transport.RecordMax
