package h2

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/loadgen/internal/exchange"
	"github.com/scalws/scalbench/loadgen/internal/request"
)

// pattern is a body of which no two parts are alike for long.
func pattern(size int) []byte {
	b := make([]byte, size)
	for i := range b {
		b[i] = byte(i * i >> 7)
	}
	return b
}

// serveLive is a server of net/http's that speaks HTTP/2 in cleartext.
func serveLive(t *testing.T) net.Addr {
	t.Helper()
	handler := http.NewServeMux()
	handler.HandleFunc("/echo", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || !bytes.Equal(body, pattern(len(body))) || r.Header.Get("User-Agent") != "scalbench" || r.Host != "target" {
			http.Error(w, fmt.Sprintf("%d bytes, %v", len(body), err), http.StatusBadRequest)
			return
		}
		w.Write(body)
	})
	handler.HandleFunc("/sized", func(w http.ResponseWriter, r *http.Request) {
		size, _ := strconv.Atoi(r.URL.Query().Get("n"))
		w.Header().Set("Content-Length", strconv.Itoa(size))
		w.Write(pattern(size))
	})
	handler.HandleFunc("/trailers", func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusEarlyHints)
		w.Header().Set("Trailer", "X-Sum")
		io.WriteString(w, "hello")
		w.(http.Flusher).Flush()
		io.WriteString(w, " again")
		w.Header().Set("X-Sum", "1")
	})
	handler.HandleFunc("/early", func(w http.ResponseWriter, r *http.Request) { // without reading the body
		w.WriteHeader(http.StatusRequestEntityTooLarge)
	})
	server := &http.Server{Handler: handler, Protocols: new(http.Protocols)}
	server.Protocols.SetUnencryptedHTTP2(true)
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() { ended <- server.Serve(listener) }()
	t.Cleanup(func() {
		server.Close()
		<-ended
	})
	return listener.Addr()
}

// exchangeLive carries the exchanges over a socket until all have ended.
func exchangeLive(t *testing.T, socket net.Conn, c *Conn, all []exchange.Exchange, now *mono.Time) {
	t.Helper()
	b := make([]byte, 64<<10)
	for ended := 0; ended < len(all); ended += len(c.Done()) {
		for more := true; more; {
			var out []byte
			out, more = c.Out()
			if _, err := socket.Write(out); err != nil {
				t.Fatal(err)
			}
			c.Stamp(*now)
		}
		n, err := socket.Read(b)
		if err != nil {
			t.Fatalf("%v with %d of %d ended; %q", err, ended, len(all), c.Fault())
		}
		*now++
		c.Feed(*now, b[:n])
	}
}

// The codec against net/http's server: what each says the other understands.
func TestLive(t *testing.T) {
	address := serveLive(t)
	for _, test := range []struct {
		method, path string
		bodyBytes    int
		want         exchange.Expect
	}{
		{"GET", "/sized?n=0", 0, exchange.Expect{Status: 200, BodyBytes: 0}},
		{"GET", "/sized?n=1", 0, exchange.Expect{Status: 200, BodyBytes: 1}},
		{"GET", "/sized?n=102400", 0, exchange.Expect{Status: 200, BodyBytes: 102400}},
		{"GET", "/sized?n=10485760", 0, exchange.Expect{Status: 200, BodyBytes: 10 << 20}},
		{"HEAD", "/sized?n=102400", 0, exchange.Expect{Status: 200, BodyBytes: 0}},
		{"GET", "/trailers", 0, exchange.Expect{Status: 200, BodyBytes: 11}}, // "hello again"
		{"GET", "/missing", 0, exchange.Expect{Status: 404, BodyBytes: 19}},  // "404 page not found\n"
		{"POST", "/echo", 0, exchange.Expect{Status: 200, BodyBytes: 0}},
		{"POST", "/echo", 1, exchange.Expect{Status: 200, BodyBytes: 1}},
		{"POST", "/echo", 1024, exchange.Expect{Status: 200, BodyBytes: 1024}},
		{"POST", "/echo", 102400, exchange.Expect{Status: 200, BodyBytes: 102400}},
		{"POST", "/echo", 10 << 20, exchange.Expect{Status: 200, BodyBytes: 10 << 20}},
		{"POST", "/early", 10 << 20, exchange.Expect{Status: 413, BodyBytes: 0}},
	} {
		t.Run(fmt.Sprint(test.method, test.path, test.bodyBytes), func(t *testing.T) {
			streams, rounds := 10, 3
			if test.bodyBytes > 1<<20 || test.want.BodyBytes > 1<<20 {
				streams, rounds = 2, 1
			}
			request := testRequest(t, func(s *request.Spec) {
				s.Method, s.Scheme, s.Path, s.Body = test.method, "http", test.path, pattern(test.bodyBytes)
			})
			socket, err := net.Dial("tcp4", address.String())
			if err != nil {
				t.Fatal(err)
			}
			defer socket.Close()
			socket.SetDeadline(time.Now().Add(10 * time.Second))
			var c Conn
			c.Init(&Config{Request: request, Expect: test.want, Streams: streams})
			c.Open()
			now := mono.Time(1)
			for range rounds {
				all := make([]exchange.Exchange, streams)
				for i := range all {
					c.Start(&all[i], now, false)
				}
				exchangeLive(t, socket, &c, all, &now)
				for i := range all {
					if x := &all[i]; x.Outcome != exchange.OK {
						t.Errorf("%v %q, status %d, %d bytes; want ok", x.Outcome, x.Reason.Text, x.Status, x.BodyBytes)
					}
				}
			}
			if !c.Reusable() || c.Free() != streams {
				t.Errorf("reusable %v, Free = %d; %q", c.Reusable(), c.Free(), c.Fault())
			}
		})
	}
}
