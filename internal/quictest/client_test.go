package quictest

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/netip"
	"testing"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"
)

// patience is how long anything on loopback may take that a test waits for.
const patience = 5 * time.Second

// within is a context of a test that cannot hang.
func within(t *testing.T, limit time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	t.Cleanup(cancel)
	return ctx
}

// trusting is a client's TLS for one authority, given as PEM.
func trusting(t *testing.T, ca []byte) *tls.Config {
	t.Helper()
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(ca) {
		t.Fatal("the authority is not taken")
	}
	return &tls.Config{RootCAs: roots, NextProtos: []string{http3.NextProtoH3}, ServerName: "localhost"}
}

// client is quic-go's HTTP/3 client, on a socket that the test gives back.
func client(t *testing.T, s *Server, socket net.PacketConn) *http3.Transport {
	t.Helper()
	transport := &quic.Transport{Conn: socket}
	c := &http3.Transport{
		TLSClientConfig:    trusting(t, s.CA()),
		DisableCompression: true,
		Dial: func(ctx context.Context, addr string, tlsConfig *tls.Config, config *quic.Config) (*quic.Conn, error) {
			to, err := netip.ParseAddrPort(addr)
			if err != nil {
				return nil, err
			}
			return transport.DialEarly(ctx, net.UDPAddrFromAddrPort(to), tlsConfig, config)
		},
	}
	t.Cleanup(func() {
		c.Close()
		transport.Close()
	})
	return c
}

// newRequest is one to a path, with a body or none, that does not wait for ever.
func newRequest(t *testing.T, to netip.AddrPort, method string, body []byte) *http.Request {
	t.Helper()
	request, err := http.NewRequestWithContext(within(t, patience), method, "https://"+to.String()+"/path?q", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return request
}

// exchange sends a request and reads the response.
func exchange(c *http3.Transport, request *http.Request) (*http.Response, []byte, error) {
	response, err := c.RoundTrip(request)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	got, err := io.ReadAll(response.Body)
	return response, got, err
}

// wantBody fails the test unless a request ends with 200 and this body.
func wantBody(t *testing.T, c *http3.Transport, to netip.AddrPort, method string, body, want []byte) {
	t.Helper()
	response, got, err := exchange(c, newRequest(t, to, method, body))
	if err != nil {
		t.Fatalf("%s: %v", method, err)
	}
	if response.StatusCode != http.StatusOK || !bytes.Equal(got, want) {
		t.Fatalf("%s: status %d and %d bytes, want 200 and the %d that were sent", method, response.StatusCode, len(got), len(want))
	}
}

// dial connects without HTTP/3 on top.
func dial(t *testing.T, to netip.AddrPort, tlsConfig *tls.Config, config *quic.Config) (*quic.Conn, error) {
	t.Helper()
	transport := &quic.Transport{Conn: listenUntilEnd(t)}
	t.Cleanup(func() { transport.Close() })
	conn, err := transport.Dial(within(t, patience), net.UDPAddrFromAddrPort(to), tlsConfig, config)
	if err == nil {
		t.Cleanup(func() { conn.CloseWithError(0, "") })
	}
	return conn, err
}

// connect is a dial that works.
func connect(t *testing.T, s *Server) *quic.Conn {
	t.Helper()
	conn, err := dial(t, s.Addr(), trusting(t, s.CA()), nil)
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

// connectAndAsk makes a connection with one request behind it, so that its
// handshake is confirmed on both sides (RFC 9001, 4.1.2).
func connectAndAsk(t *testing.T, s *Server, config *quic.Config) *quic.Conn {
	t.Helper()
	conn, err := dial(t, s.Addr(), trusting(t, s.CA()), config)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := conn.OpenStreamSync(within(t, patience))
	if err != nil {
		t.Fatal(err)
	}
	stream.SetDeadline(time.Now().Add(patience))
	stream.Write(Frame(FrameHeaders, Block(":method", "GET")))
	stream.Close()
	if response, err := io.ReadAll(stream); err != nil || len(response) == 0 {
		t.Fatalf("response of %d bytes, %v", len(response), err)
	}
	return conn
}

// pattern is a body in which nothing that is lost or doubled goes unnoticed.
func pattern(size int) []byte {
	b := make([]byte, size)
	for i := range b {
		b[i] = byte(i ^ i>>8 ^ i>>16)
	}
	return b
}

// receive takes what a goroutine of the test has to say.
func receive[T any](t *testing.T, from <-chan T) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(patience):
		t.Fatal("nothing came")
		panic("unreachable")
	}
}
