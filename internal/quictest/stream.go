package quictest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/net/quic"
)

// Stream is the server's side of a stream, as far as it sends. One goroutine at a
// time may use it. All methods send at once, as far as the client's windows
// allow. When the client has asked to stop (RFC 9000, 3.5), or the stream was
// reset here, errors wrap a quic.StreamError of golang.org/x/net/quic.
type Stream struct{ quic *quic.Stream }

func newStream(ctx context.Context, s *quic.Stream) *Stream {
	s.SetWriteContext(ctx)
	return &Stream{s}
}

// ID is the stream's number on the wire (RFC 9000, 2.1).
func (s *Stream) ID() uint64 { return uint64(s.quic.ID()) }

// Write sends bytes as they are. It waits where more than
// [Options.WriteBufferBytes] are not acknowledged.
func (s *Stream) Write(raw []byte) error {
	_, err := s.quic.Write(raw)
	if err == nil {
		err = s.quic.Flush()
	}
	if err != nil {
		return fmt.Errorf("write %d bytes on stream %d: %w", len(raw), s.ID(), err)
	}
	return nil
}

// Frame sends a frame of any type (RFC 9114, 7.1).
func (s *Stream) Frame(frameType uint64, payload []byte) error {
	return s.Write(Frame(frameType, payload))
}

// Finish sends the FIN after what was written.
func (s *Stream) Finish() error {
	if err := s.quic.CloseWrite(); err != nil {
		return fmt.Errorf("finish stream %d: %w", s.ID(), err)
	}
	return nil
}

// Reset ends the stream with RESET_STREAM and a code (RFC 9000, 19.4). It may
// overtake what was written just before: a test that wants the client to see both
// waits for the client in between.
func (s *Stream) Reset(code uint64) error {
	if err := s.quic.Reset(code); err != nil {
		return fmt.Errorf("reset stream %d with %#x: %w", s.ID(), code, err)
	}
	return nil
}

// pollEvery is how often Stopped looks. x/net/quic tells of STOP_SENDING only
// who writes.
const pollEvery = time.Millisecond

// Stopped waits until the client has asked to stop sending and returns the code
// that it gave. On a stream that was reset here it returns that code. The error
// is that of the context, of a finished stream, or of a connection that has ended.
func (s *Stream) Stopped(ctx context.Context) (code uint64, err error) {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		err := s.quic.Flush()
		if code, ok := streamCode(err); ok {
			return code, nil
		}
		if err != nil {
			return 0, fmt.Errorf("wait for the client to stop stream %d: %w", s.ID(), err)
		}
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-tick.C:
		}
	}
}

// streamCode takes the code out of an error of x/net/quic. A number that no frame
// can carry is how that package marks streams of a connection that has ended.
func streamCode(err error) (code uint64, ok bool) {
	var e quic.StreamError
	if !errors.As(err, &e) || uint64(e) > maxVarint {
		return 0, false
	}
	return uint64(e), true
}
