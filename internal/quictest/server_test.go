package quictest

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quic-go/quic-go"
)

// retryCounter counts the Retry packets that a client receives: a long header of
// type 3 (RFC 9000, 17.2.5).
type retryCounter struct {
	net.PacketConn
	retries atomic.Int32
}

func (c *retryCounter) ReadFrom(b []byte) (int, net.Addr, error) {
	n, from, err := c.PacketConn.ReadFrom(b)
	if n > 0 && b[0]&0xb0 == 0xb0 {
		c.retries.Add(1)
	}
	return n, from, err
}

func TestRetry(t *testing.T) {
	t.Setenv("QUIC_GO_DISABLE_RECEIVE_BUFFER_WARNING", "true") // it cannot see through the counter
	for _, test := range []struct {
		name    string
		options Options
	}{
		{"without", Options{}},
		{"with", Options{Retry: true}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := Start(t, test.options, Answer([]byte("x")))
			counter := &retryCounter{PacketConn: listenUntilEnd(t)}
			c := client(t, s, counter)
			for range 2 { // the second on the same connection
				wantBody(t, c, s.Addr(), http.MethodGet, nil, []byte("x"))
			}
			// A ClientHello of two datagrams gets one for each.
			if got := counter.retries.Load(); (got > 0) != test.options.Retry {
				t.Errorf("%d Retry packets", got)
			}
		})
	}
}

// A goodbye would be a *quic.TransportError or *quic.ApplicationError instead, and
// come without the client's sending anything.
func TestRestart(t *testing.T) {
	s := Start(t, Options{StatelessReset: true}, Answer([]byte("x")))
	before := s.Addr()
	for range 3 {
		conn := connectAndAsk(t, s, nil)
		s.Restart(t)
		if s.Addr() != before {
			t.Fatalf("address %s, was %s", s.Addr(), before)
		}
		if err := conn.Context().Err(); err != nil {
			t.Fatalf("the connection ended with the server: %v", context.Cause(conn.Context()))
		}
		wantReset(t, conn)
	}
	wantBody(t, client(t, s, listenUntilEnd(t)), s.Addr(), http.MethodGet, nil, []byte("x"))
}

// wantReset has the client send something and fails the test unless that gets a
// stateless reset.
func wantReset(t *testing.T, conn *quic.Conn) {
	t.Helper()
	stream, err := conn.OpenStream()
	if err != nil {
		t.Fatal(err)
	}
	stream.Write([]byte("x"))
	var reset *quic.StatelessResetError
	if cause := ending(t, conn); !errors.As(cause, &reset) {
		t.Errorf("ended by %v (%T), want a stateless reset", cause, cause)
	}
}

// ending waits for a connection to end and says why it did.
func ending(t *testing.T, conn *quic.Conn) error {
	t.Helper()
	select {
	case <-conn.Context().Done():
		return context.Cause(conn.Context())
	case <-time.After(patience):
		t.Fatal("the connection lives on")
		return nil
	}
}

// serve may be what restarts the server, and its context says so.
func TestRestartFromWithin(t *testing.T) {
	ended := make(chan error, 1)
	var s *Server
	started := make(chan struct{})
	s = Start(t, Options{StatelessReset: true}, func(ctx context.Context, c *Conn) {
		<-started
		s.Restart(t)
		_, err := c.Accept(ctx)
		ended <- err
	})
	close(started)
	connect(t, s)
	if err := receive(t, ended); err == nil {
		t.Error("a connection of the life before still brings requests")
	}
}

// Without the option the packets of a forgotten connection vanish: the client
// finds out by its own idle timeout.
func TestRestartWithoutReset(t *testing.T) {
	s := Start(t, Options{}, Answer([]byte("x")))
	conn := connectAndAsk(t, s, &quic.Config{MaxIdleTimeout: 50 * time.Millisecond})
	s.Restart(t)
	var idle *quic.IdleTimeoutError
	if cause := ending(t, conn); !errors.As(cause, &idle) {
		t.Errorf("ended by %v (%T), want the idle timeout", cause, cause)
	}
}

// The server forgets the connection after the time that it announced. (quic-go
// takes less than 5 s for 5 s, so that its client does not notice by itself.)
func TestIdleTimeout(t *testing.T) {
	ended := make(chan error, 1)
	s := Start(t, Options{IdleTimeout: 50 * time.Millisecond, StatelessReset: true}, func(ctx context.Context, c *Conn) {
		Answer([]byte("x"))(ctx, c)
		ended <- c.Wait(ctx)
	})
	conn := connectAndAsk(t, s, nil)
	if err := receive(t, ended); err == nil || err.Error() != "idle timeout" {
		t.Errorf("ended by %v", err)
	}
	wantReset(t, conn)
}

func TestALPN(t *testing.T) {
	s := Start(t, Options{ALPN: "other"}, Answer(nil))
	_, err := dial(t, s.Addr(), trusting(t, s.CA()), nil)
	var refused *quic.TransportError
	// CRYPTO_ERROR 0x100 + alert 120, no_application_protocol (RFC 9001, 8.1).
	if !errors.As(err, &refused) || !refused.Remote || refused.ErrorCode != 0x178 {
		t.Errorf("h3 for a server of another protocol: %v", err)
	}
	other := trusting(t, s.CA())
	other.NextProtos = []string{"other"}
	if _, err := dial(t, s.Addr(), other, nil); err != nil {
		t.Errorf("its own protocol: %v", err)
	}
}

func TestCertificate(t *testing.T) {
	s, other := Start(t, Options{}, Answer(nil)), Start(t, Options{}, Answer(nil))
	for _, name := range []string{"localhost", "127.0.0.1"} {
		cfg := trusting(t, s.CA())
		cfg.ServerName = name
		if _, err := dial(t, s.Addr(), cfg, nil); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	var unknown *tls.CertificateVerificationError
	if _, err := dial(t, s.Addr(), trusting(t, other.CA()), nil); !errors.As(err, &unknown) {
		t.Errorf("with the authority of another server: %v", err)
	}
}

// A stream makes room for the next when its request is read and its response
// acknowledged.
func TestStreams(t *testing.T) {
	finish := make(chan struct{})
	s := Start(t, Options{Streams: 1}, func(ctx context.Context, c *Conn) {
		for {
			r, err := c.Accept(ctx)
			if err != nil {
				return
			}
			<-finish
			r.Finish()
		}
	})
	defer close(finish)
	conn := connect(t, s)
	stream, err := conn.OpenStream()
	if err != nil {
		t.Fatal(err)
	}
	stream.Close()
	var limit *quic.StreamLimitReachedError
	if _, err := conn.OpenStream(); !errors.As(err, &limit) {
		t.Errorf("a second stream: %v, want the limit", err)
	}
	finish <- struct{}{}
	if _, err := conn.OpenStreamSync(within(t, patience)); err != nil {
		t.Errorf("a second stream after the first: %v", err)
	}
}

func TestNoStreams(t *testing.T) {
	s := Start(t, Options{Streams: -1}, Answer(nil))
	var limit *quic.StreamLimitReachedError
	if _, err := connect(t, s).OpenStream(); !errors.As(err, &limit) {
		t.Errorf("a stream: %v, want the limit", err)
	}
}

// Nobody reads the request: as much of it leaves as the window takes.
func TestWindow(t *testing.T) {
	const window = 1000
	full, got := make(chan struct{}), make(chan *Request, 1)
	s := Start(t, Options{WindowBytes: window}, func(ctx context.Context, c *Conn) {
		r, err := c.AcceptUnread(ctx)
		if err != nil {
			t.Error(err)
			return
		}
		<-full
		if err := r.StopSending(0x10b); err != nil {
			t.Error(err)
		}
		got <- r
	})
	conn := connect(t, s)
	stream, err := conn.OpenStream()
	if err != nil {
		t.Fatal(err)
	}
	if err := stream.TryWriteAll(make([]byte, window)); err != nil {
		t.Errorf("%d bytes into a window as large: %v", window, err)
	}
	if err := stream.TryWriteAll(make([]byte, 1)); !errors.Is(err, quic.ErrWouldBlock) {
		t.Errorf("one byte more: %v", err)
	}
	close(full)
	// Blocked until the server asks to stop.
	_, err = stream.Write(make([]byte, 100*window)) // more than quic-go buffers
	var stopped *quic.StreamError
	if !errors.As(err, &stopped) || !stopped.Remote || stopped.ErrorCode != 0x10b {
		t.Errorf("a write that the server stopped: %v", err)
	}
	receive(t, got)
}
