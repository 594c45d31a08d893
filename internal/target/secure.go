package target

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"log"
	"net"
	"net/http"
)

// What a client may do at a time on an HTTP/2 connection. It must never be what
// limits a load: a client that wants more streams or bytes in flight measures
// these figures instead of a server.
const (
	maxStreams  = 1000
	windowBytes = 4<<20 - 1 // for what clients send; the most that net/http takes
)

// secureServer is HTTP/2 and HTTP/1.1 over TLS, by ALPN (RFC 7301), on net/http.
type secureServer struct {
	http *http.Server
}

// newSecure makes the server that shows the certificate of cfg, and whose answers
// have the fields too.
func (s *server) newSecure(cfg Config, fields []field) (*secureServer, error) {
	certificate, err := cfg.certificate()
	if err != nil {
		return nil, err
	}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	return &secureServer{&http.Server{
		Handler:   s.burner.afterSecure(addingFieldsSecure(fields, s.handleSecure)),
		Protocols: protocols,
		TLSConfig: &tls.Config{
			Certificates: []tls.Certificate{certificate},
			MinVersion:   tls.VersionTLS12,
			// Whole records from the first byte: small ones help a slow network
			// to show something early, and cost a seal and a header each.
			DynamicRecordSizingDisabled: true,
		},
		HTTP2: &http.HTTP2Config{
			MaxConcurrentStreams:          maxStreams,
			MaxReceiveBufferPerConnection: windowBytes,
			MaxReceiveBufferPerStream:     windowBytes,
		},
		// A client that stops in its handshake or in a head does not stay for
		// ever. Not shorter: thousands of connections that are opened before
		// the first request wait for the last of their handshakes.
		ReadHeaderTimeout: maxHold,
		// OPTIONS * is answered like every other method.
		DisableGeneralOptionsHandler: true,

		ConnState: s.conns.trackSecure,
		ErrorLog:  log.New(panicLog{s.faults}, "", 0),
	}}, nil
}

// Serve accepts until the listener is closed, which is no error.
func (s *secureServer) Serve(ln net.Listener) error {
	err := s.http.ServeTLS(ln, "", "")
	if errors.Is(err, net.ErrClosed) || errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// ShutdownWithContext closes idle connections, tells HTTP/2 clients to go away,
// and waits for the others until the context ends.
func (s *secureServer) ShutdownWithContext(ctx context.Context) error {
	return s.http.Shutdown(ctx)
}

// trackSecure is net/http's ConnState hook. What is kept is the TCP connection:
// closing that one ends everything at once, while TLS first waits, for up to 5 s,
// for room to say goodbye in.
func (c *conns) trackSecure(conn net.Conn, state http.ConnState) {
	if wrapped, isTLS := conn.(*tls.Conn); isTLS {
		conn = wrapped.NetConn()
	}
	switch state {
	case http.StateNew:
		c.add(conn)
	case http.StateClosed:
		c.remove(conn)
	}
}

// panicLog hands on what net/http says about this package's own mistakes. All
// else that it logs is what clients do, such as to break a handshake off.
type panicLog struct{ to *faultLog }

func (p panicLog) Write(line []byte) (int, error) {
	if bytes.Contains(line, []byte("panic serving")) {
		p.to.Printf("%s", bytes.TrimSpace(line))
	}
	return len(line), nil
}
