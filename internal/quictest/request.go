package quictest

import (
	"fmt"
	"io"
	"strconv"
)

// Request is a bidirectional stream that the client has opened: its request, and
// the way of the response, which is well-formed only if the test makes it so.
type Request struct {
	*Stream

	// Raw is what the client sent on the stream, as far as it has been read.
	Raw []byte

	// Canceled says that the client reset its side, with CancelCode, before the
	// request was read to its end. A client that gives up waiting for a response
	// does not do that, but asks to stop: see [Stream.Stopped].
	Canceled   bool
	CancelCode uint64
}

// ReadAll reads the request to its end or cancellation. The error is that of the
// context, or of the connection.
func (r *Request) ReadAll() error {
	more, err := io.ReadAll(r.quic)
	r.Raw = append(r.Raw, more...)
	if code, ok := streamCode(err); ok {
		r.Canceled, r.CancelCode = true, code
	} else if err != nil {
		return fmt.Errorf("read request %d: %w", r.ID(), err)
	}
	// Only a stream of which both sides are closed makes room for another
	// (RFC 9000, 4.6). After the end nothing goes out for this.
	return r.quic.CloseRead()
}

// StopSending asks the client to send no more of its request (RFC 9000, 19.5).
func (r *Request) StopSending(code uint64) error {
	if err := r.quic.StopSending(code); err != nil {
		return fmt.Errorf("stop request %d with %#x: %w", r.ID(), code, err)
	}
	return nil
}

// Headers sends HEADERS with a status and names and values in turn. An interim
// status and trailers are made the same way, the latter with Frame and [Block].
func (r *Request) Headers(status int, namesAndValues ...string) error {
	fields := append([]string{":status", strconv.Itoa(status)}, namesAndValues...)
	return r.Frame(FrameHeaders, Block(fields...))
}

// Data sends one DATA frame.
func (r *Request) Data(body []byte) error { return r.Frame(FrameData, body) }
