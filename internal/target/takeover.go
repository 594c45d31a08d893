package target

import (
	"io"
	"net"
	"time"

	"github.com/valyala/fasthttp"
)

// lingerMax is how long a connection stays half open after our FIN.
const lingerMax = time.Second

// takeOver takes the connection from fasthttp, which then writes nothing, and
// misbehaves on it.
func (s *server) takeOver(ctx *fasthttp.RequestCtx, kind misbehaviour, pace time.Duration) {
	ctx.HijackSetNoResponse(true)
	ctx.Hijack(func(hijacked net.Conn) {
		conn := bareConn(hijacked)
		defer s.conns.remove(conn)
		defer conn.Close()
		// A client that reads nothing must not hold a goroutine for ever.
		_ = conn.SetWriteDeadline(time.Now().Add(maxHold))
		if kind.slow {
			s.writeSteps(conn, kind.wire, 1, pace, nil)
		} else if _, err := io.WriteString(conn, kind.wire); err != nil {
			return // the client is gone
		}
		conclude(conn, kind.end)
	})
}

// bareConn returns the TCP connection inside fasthttp's wrapper, whose Close
// does nothing.
func bareConn(hijacked net.Conn) *net.TCPConn {
	return hijacked.(interface{ UnsafeConn() net.Conn }).UnsafeConn().(*net.TCPConn)
}

// writeSteps writes so many bytes at a time, with pace between two of them. It is
// false when there is nobody to write to any more, or the server ends.
func (s *server) writeSteps(to io.Writer, wire string, step int, pace time.Duration, gone <-chan struct{}) bool {
	for at := 0; at < len(wire); at += step {
		if at > 0 && !s.wait(pace, gone) {
			return false
		}
		if _, err := io.WriteString(to, wire[at:min(at+step, len(wire))]); err != nil {
			return false
		}
	}
	return true
}

// conclude ends a connection as a misbehaviour wants it.
//
// close(2) sends RST instead of FIN while bytes of the client are unread, and
// that could overtake our own bytes at the client. So a FIN is sent alone, and
// the client's bytes are read to its FIN before the connection is closed (RFC
// 9112, 9.6).
func conclude(conn *net.TCPConn, how ending) {
	switch how {
	case endRST:
		_ = conn.SetLinger(0) // close(2) then sends RST
	case endHold:
		discard(conn, maxHold)
	case endFIN:
		_ = conn.CloseWrite()
		discard(conn, lingerMax)
	}
}

// discard reads until the client's FIN, an error, or limit.
func discard(conn *net.TCPConn, limit time.Duration) {
	if conn.SetReadDeadline(time.Now().Add(limit)) == nil {
		_, _ = io.Copy(io.Discard, conn)
	}
}
