package quicnet

import (
	"context"
	"errors"
	"io"

	"github.com/quic-go/quic-go"

	"github.com/scalws/scalbench/loadgen/internal/h3"
)

// acceptStreams takes the server's own streams until the connection ends, and
// returns why it did.
func (c *Conn) acceptStreams(q *quic.Conn) error {
	for {
		s, err := q.AcceptUniStream(context.Background())
		if err != nil {
			<-q.Context().Done()
			return context.Cause(q.Context())
		}
		c.e.running.Go(func() { c.readServers(q, s) })
	}
}

// readServers reads one of the server's unidirectional streams: its control
// stream, or one that says nothing we act on.
func (c *Conn) readServers(q *quic.Conn, s *quic.ReceiveStream) {
	var u h3.Uni
	buf := make([]byte, serversBytes)
	for {
		n, err := s.Read(buf)
		if !c.heard(q, &u, buf[:n], err) {
			if u.Ignored() {
				s.CancelRead(quic.StreamErrorCode(h3.StreamCreationError))
			}
			return
		}
	}
}

const serversBytes = 512 // SETTINGS are a few bytes, once a connection

// heard acts on what one of the server's streams has said and reports whether to
// read on.
func (c *Conn) heard(q *quic.Conn, u *h3.Uni, b []byte, err error) (more bool) {
	e := c.e
	now := e.cfg.Clock.Now()
	e.mu.Lock()
	defer e.mu.Unlock()
	if c.q != q {
		return false
	}
	fault := u.Feed(&c.control, b)
	var reset *quic.StreamError
	switch {
	case fault.Bad():
	case errors.Is(err, io.EOF):
		fault = u.End(&c.control)
	case errors.As(err, &reset):
		fault = u.Reset(&c.control)
	}
	if fault.Bad() && fault.Connection {
		c.fail(now, fault)
		e.cfg.Handler.Progress(c.index, now)
		return false
	}
	if id, said := c.control.GoAway(); said {
		c.goAway(now, id)
		e.cfg.Handler.Progress(c.index, now)
	}
	return err == nil && !fault.Bad() && !u.Ignored()
}
