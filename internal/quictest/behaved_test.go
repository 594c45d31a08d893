package quictest

import (
	"errors"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/quic-go/quic-go"
)

func TestAnswer(t *testing.T) {
	for _, test := range []struct {
		name    string
		options Options
		bytes   int
	}{
		{"empty", Options{}, 0},
		{"small", Options{}, 5},
		{"10 MiB", Options{}, 10 << 20}, // ten times what a stream holds unacknowledged
		{"small write buffer", Options{WriteBufferBytes: 2000}, 100_000},
	} {
		t.Run(test.name, func(t *testing.T) {
			body := pattern(test.bytes)
			s := Start(t, test.options, Answer(body))
			c := client(t, s, listenUntilEnd(t))
			wantBody(t, c, s.Addr(), http.MethodGet, nil, body)
			response, got, err := exchange(c, newRequest(t, s.Addr(), http.MethodHead, nil))
			if err != nil || len(got) != 0 || response.ContentLength != int64(test.bytes) {
				t.Errorf("HEAD: %d bytes, %+v, %v", len(got), response, err)
			}
		})
	}
}

// The bodies are more than a connection's window of 1 MiB together, and in the
// second case each is more than a stream's.
func TestEchoConcurrently(t *testing.T) {
	const requests = 12
	for _, test := range []struct {
		name    string
		options Options
	}{
		{"default", Options{}},
		{"small windows, two streams", Options{WindowBytes: 1000, Streams: 2}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := Start(t, test.options, Echo)
			c := client(t, s, listenUntilEnd(t))
			var all sync.WaitGroup
			for i := range requests {
				all.Go(func() {
					body := pattern(150_000 + i)
					response, got, err := exchange(c, newRequest(t, s.Addr(), http.MethodPost, body))
					if err != nil || response.StatusCode != http.StatusOK || string(got) != string(body) {
						t.Errorf("request of %d bytes: %d came back, %v", len(body), len(got), err)
					}
				})
			}
			all.Wait()
		})
	}
}

// A plain server has something to say about requests that are not HTTP/3, too.
func TestAnswerToNonsense(t *testing.T) {
	s := Start(t, Options{}, Answer(nil))
	conn := connect(t, s)
	for _, raw := range []string{"", "\x40", "\x01", "\x01\x05abc", "\x00\x01a", "\x01\x01a"} {
		stream, err := conn.OpenStreamSync(within(t, patience))
		if err != nil {
			t.Fatal(err)
		}
		stream.Write([]byte(raw))
		stream.Close()
		frameType, payload := readFrame(t, stream)
		fields, err := decodeBlock(payload)
		if frameType != FrameHeaders || err != nil || len(fields) != 2 || fields[0] != ":status" || fields[1] != "400" {
			t.Errorf("%q: frame %#x, %q, %v", raw, frameType, fields, err)
		}
	}
}

func TestAnswerToCanceled(t *testing.T) {
	s := Start(t, Options{}, Answer([]byte("x")))
	stream, err := connect(t, s).OpenStream()
	if err != nil {
		t.Fatal(err)
	}
	stream.SetReadDeadline(time.Now().Add(patience))
	stream.CancelWrite(0x10c)
	got, err := io.ReadAll(stream)
	var reset *quic.StreamError
	if !errors.As(err, &reset) || !reset.Remote || reset.ErrorCode != 0x10c || len(got) != 0 {
		t.Errorf("%q, %v", got, err)
	}
}
