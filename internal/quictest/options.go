package quictest

import (
	"crypto/rand"
	"crypto/tls"
	"time"

	"golang.org/x/net/quic"
)

// Options say what is decided before a connection comes up. The zero value is a
// server that does nothing unusual.
type Options struct {
	// Retry has the server answer the first packets of every connection with a
	// Retry packet each (RFC 9000, 8.1.2): a ClientHello may take two.
	Retry bool

	// StatelessReset has the server answer packets of no connection of its own
	// with a stateless reset (RFC 9000, 10.3). Without it such packets vanish.
	StatelessReset bool

	// IdleTimeout is after how long the server forgets a connection on which nothing
	// happens; 0: 30 s. x/net/quic does not announce it (max_idle_timeout): the client
	// is not told, and is reset at its next datagram where StatelessReset is on.
	IdleTimeout time.Duration

	// Streams is how many requests a client may have open at a time on a
	// connection. It may begin another when one is read to its end, or given up,
	// and its response is finished and acknowledged. 0: 100. Negative: none, ever.
	Streams int64

	// WindowBytes is how much a client may send on a stream ahead of what has
	// been read of it (RFC 9000, 4.1). 0: 1 MiB. Negative: nothing.
	WindowBytes int64

	// WriteBufferBytes is how much a stream holds that the client has not
	// acknowledged; writes of more wait. 0: 1 MiB.
	WriteBufferBytes int64

	// ALPN is the one protocol that the server speaks (RFC 7301). "": h3.
	ALPN string
}

// config is what the endpoints of all lives are made of. They share the key of
// stateless resets: with it a life can reset the connections of another.
func (o Options) config(certificate tls.Certificate) *quic.Config {
	protocol := o.ALPN
	if protocol == "" {
		protocol = "h3"
	}
	cfg := &quic.Config{
		TLSConfig: &tls.Config{
			Certificates: []tls.Certificate{certificate},
			MinVersion:   tls.VersionTLS13,
			NextProtos:   []string{protocol},
		},
		MaxBidiRemoteStreams:     o.Streams,
		MaxStreamReadBufferSize:  o.WindowBytes,
		MaxStreamWriteBufferSize: o.WriteBufferBytes,
		RequireAddressValidation: o.Retry,
		MaxIdleTimeout:           o.IdleTimeout,
	}
	if o.StatelessReset {
		rand.Read(cfg.StatelessResetKey[:]) // never fails
	}
	return cfg
}
