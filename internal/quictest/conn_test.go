package quictest

import (
	"context"
	"errors"
	"io"
	"net/http"
	"reflect"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"
	"github.com/quic-go/quic-go/quicvarint"
	xquic "golang.org/x/net/quic"
)

// readFrame reads one frame as a client does.
func readFrame(t *testing.T, from io.Reader) (frameType uint64, payload []byte) {
	t.Helper()
	r := quicvarint.NewReader(from)
	frameType, err := quicvarint.Read(r)
	if err != nil {
		t.Fatal(err)
	}
	length, err := quicvarint.Read(r)
	if err != nil {
		t.Fatal(err)
	}
	payload = make([]byte, length)
	if _, err := io.ReadFull(r, payload); err != nil {
		t.Fatal(err)
	}
	return frameType, payload
}

// wantCode fails the test unless an error of the HTTP/3 client is the server's,
// with this code.
func wantCode(t *testing.T, err error, code http3.ErrCode) {
	t.Helper()
	var e *http3.Error
	if !errors.As(err, &e) || !e.Remote || e.ErrorCode != code {
		t.Errorf("error %v, want the server's %v", err, code)
	}
}

func TestReset(t *testing.T) {
	s := Start(t, Options{}, func(ctx context.Context, c *Conn) {
		c.Settings(ctx)
		r, err := c.Accept(ctx)
		if err != nil {
			t.Error(err)
			return
		}
		r.Reset(0x102)
	})
	_, _, err := exchange(client(t, s, listenUntilEnd(t)), newRequest(t, s.Addr(), http.MethodGet, nil))
	wantCode(t, err, 0x102)
}

// The reset comes after the client has seen the headers.
func TestResetInBody(t *testing.T) {
	seen := make(chan struct{})
	s := Start(t, Options{}, func(ctx context.Context, c *Conn) {
		c.Settings(ctx)
		r, err := c.Accept(ctx)
		if err != nil {
			t.Error(err)
			return
		}
		r.Headers(http.StatusOK)
		<-seen
		r.Reset(0x10e)
		var code xquic.StreamError
		if err := r.Data([]byte("x")); !errors.As(err, &code) || code != 0x10e {
			t.Errorf("write after the reset: %v", err)
		}
	})
	c := client(t, s, listenUntilEnd(t))
	response, err := c.RoundTrip(newRequest(t, s.Addr(), http.MethodGet, nil))
	close(seen)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	_, err = io.ReadAll(response.Body)
	wantCode(t, err, 0x10e)
}

func TestClose(t *testing.T) {
	s := Start(t, Options{}, func(ctx context.Context, c *Conn) {
		c.Settings(ctx)
		if _, err := c.Accept(ctx); err != nil {
			t.Error(err)
		}
		c.Close(0x107, "enough")
	})
	_, _, err := exchange(client(t, s, listenUntilEnd(t)), newRequest(t, s.Addr(), http.MethodGet, nil))
	wantCode(t, err, 0x107)
	var e *http3.Error
	if errors.As(err, &e) && e.ErrorMessage != "enough" {
		t.Errorf("reason %q", e.ErrorMessage)
	}
}

// After GOAWAY the client takes its next request to a new connection.
func TestGoAway(t *testing.T) {
	var connections atomic.Int32
	s := Start(t, Options{}, func(ctx context.Context, c *Conn) {
		connections.Add(1)
		c.Settings(ctx)
		for {
			r, err := c.Accept(ctx)
			if err != nil {
				return
			}
			if connections.Load() == 1 {
				c.GoAway(ctx, r.ID()+4)
			}
			r.Headers(http.StatusNoContent)
			r.Finish()
		}
	})
	c := client(t, s, listenUntilEnd(t))
	// The GOAWAY travels on a stream of its own and may come after the response.
	for deadline := time.Now().Add(patience); connections.Load() < 2; {
		if _, _, err := exchange(c, newRequest(t, s.Addr(), http.MethodGet, nil)); err != nil {
			t.Fatal(err)
		}
		if time.Now().After(deadline) {
			t.Fatal("one connection for all requests")
		}
	}
}

// What clients may be offended by, and the code with which they say so.
func TestWrongBytes(t *testing.T) {
	for _, test := range []struct {
		name string
		send func(ctx context.Context, c *Conn) error
		code uint64 // RFC 9114, 8.1
	}{
		{"control begins with DATA", func(ctx context.Context, c *Conn) error {
			_, err := c.Control(ctx, Frame(FrameData, []byte("x")))
			return err
		}, 0x10a}, // H3_MISSING_SETTINGS
		{"DATA on control", func(ctx context.Context, c *Conn) error {
			if err := c.Settings(ctx); err != nil {
				return err
			}
			_, err := c.Control(ctx, Frame(FrameData, []byte("x")))
			return err
		}, 0x105}, // H3_FRAME_UNEXPECTED
		{"a setting twice", func(ctx context.Context, c *Conn) error { return c.Settings(ctx, 0x33, 1, 0x33, 1) }, 0x106}, // H3_FRAME_ERROR
		{"control finished", func(ctx context.Context, c *Conn) error {
			control, err := c.Control(ctx, Frame(FrameSettings, nil))
			if err != nil {
				return err
			}
			return control.Finish()
		}, 0x104}, // H3_CLOSED_CRITICAL_STREAM
		{"two control streams", func(ctx context.Context, c *Conn) error {
			if err := c.Settings(ctx); err != nil {
				return err
			}
			_, err := c.Uni(ctx, append(Varints(StreamControl), Frame(FrameSettings, nil)...))
			return err
		}, 0x103}, // H3_STREAM_CREATION_ERROR
	} {
		t.Run(test.name, func(t *testing.T) {
			closed := make(chan error, 1)
			s := Start(t, Options{}, func(ctx context.Context, c *Conn) {
				if err := test.send(ctx, c); err != nil {
					t.Error(err)
				}
				closed <- c.Wait(ctx)
			})
			exchange(client(t, s, listenUntilEnd(t)), newRequest(t, s.Addr(), http.MethodGet, nil))
			var e *xquic.ConnectionCloseError
			if err := receive(t, closed); !errors.As(err, &e) || e.Code != test.code {
				t.Errorf("closed by %v, want %#x", err, test.code)
			}
		})
	}
}

func TestCancel(t *testing.T) {
	got := make(chan *Request, 1)
	s := Start(t, Options{}, func(ctx context.Context, c *Conn) {
		r, err := c.Accept(ctx)
		if err != nil {
			t.Error(err)
		}
		got <- r
	})
	stream, err := connect(t, s).OpenStream()
	if err != nil {
		t.Fatal(err)
	}
	stream.CancelWrite(quic.StreamErrorCode(0x10c))
	if r := receive(t, got); !r.Canceled || r.CancelCode != 0x10c {
		t.Errorf("canceled %t with %#x", r.Canceled, r.CancelCode)
	}
}

// A client that gives up on the response of a complete request asks to stop.
func TestStopped(t *testing.T) {
	accepted := make(chan *Request, 1)
	code := make(chan uint64, 1)
	s := Start(t, Options{}, func(ctx context.Context, c *Conn) {
		c.Settings(ctx)
		r, err := c.Accept(ctx)
		if err != nil {
			t.Error(err)
			return
		}
		accepted <- r
		stopped, err := r.Stopped(ctx)
		if err != nil {
			t.Error(err)
		}
		code <- stopped
	})
	c := client(t, s, listenUntilEnd(t))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	request := newRequest(t, s.Addr(), http.MethodGet, nil).WithContext(ctx)
	request.Header.Set("User-Agent", "a")
	ended := make(chan error, 1)
	go func() {
		_, err := c.RoundTrip(request)
		ended <- err
	}()
	r := receive(t, accepted)
	cancel()
	if got := receive(t, code); got != 0x10c {
		t.Errorf("stopped with %#x", got)
	}
	receive(t, ended)
	if r.Canceled {
		t.Error("a complete request is called canceled")
	}
	fields, body, err := r.Message()
	want := []string{":authority", s.Addr().String(), ":method", "GET", ":path", "/path?q", ":scheme", "https", "user-agent", "a"}
	if err != nil || len(body) != 0 || !reflect.DeepEqual(fields, want) {
		t.Errorf("request %q, %q, %v", fields, body, err)
	}
}

// The waits end with their context.
func TestContexts(t *testing.T) {
	errs := make(chan error, 3)
	s := Start(t, Options{}, func(ctx context.Context, c *Conn) {
		r, err := c.Accept(ctx)
		if err != nil {
			t.Error(err)
			return
		}
		short, cancel := context.WithTimeout(ctx, 10*time.Millisecond)
		defer cancel()
		_, err = c.Accept(short)
		errs <- err
		errs <- c.Wait(short)
		_, err = r.Stopped(short)
		errs <- err
	})
	stream, err := connect(t, s).OpenStream()
	if err != nil {
		t.Fatal(err)
	}
	stream.Close()
	for range cap(errs) {
		if err := receive(t, errs); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v, want the deadline", err)
		}
	}
}
