package target

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"
)

// quicServer is HTTP/3 (RFC 9114) on quic-go, beside the other versions on the TCP
// port of the same number. It begins and ends with them.
type quicServer struct {
	*secureServer
	http3     *http3.Server
	listener  *quicListener
	transport *quic.Transport
	socket    *net.UDPConn // of the transport, which does not close it

	failed chan error    // one: why HTTP/3 cannot go on
	served chan struct{} // closed when serveQUICLoop returns
}

// newQUIC puts HTTP/3 beside a server that is made but does not serve yet. It
// answers handshakes from here on; after an error the socket is the caller's.
func (s *server) newQUIC(beside *secureServer, socket *net.UDPConn) (*quicServer, error) {
	withoutBufferWarning()
	transport := &quic.Transport{Conn: socket}
	trust := http3.ConfigureTLSConfig(beside.http.TLSConfig) // a copy: net/http writes into its own
	listener, err := transport.ListenEarly(trust, quicConfig())
	if err != nil {
		return nil, errors.Join(fmt.Errorf("serve udp %s: %w", socket.LocalAddr(), err), transport.Close())
	}
	// Valid for a minute: whose the port is after that, nobody knows.
	s.altSvc = []string{fmt.Sprintf(`h3=":%d"; ma=60`, socket.LocalAddr().(*net.UDPAddr).Port)}
	return &quicServer{
		secureServer: beside,
		http3: &http3.Server{
			Handler: beside.http.Handler,
			Logger:  slog.New(slog.NewTextHandler(panicLog{s.faults}, &slog.HandlerOptions{Level: slog.LevelError})),
		},
		listener:  acceptQUIC(listener),
		transport: transport,
		socket:    socket,
		failed:    make(chan error, 1),
		served:    make(chan struct{}),
	}, nil
}

// quicConfig lets clients have as much as with HTTP/2, and waits for them as long.
func quicConfig() *quic.Config {
	return &quic.Config{
		Allow0RTT: true, // every route may be asked twice (RFC 8470)

		HandshakeIdleTimeout: maxHold / 2, // a whole handshake may take twice that
		// Nothing is sent while a request is held, so that it must be longer. A
		// client that gives itself less ends its connection by that.
		MaxIdleTimeout: 2 * maxHold,

		MaxIncomingStreams:             maxStreams,
		InitialStreamReceiveWindow:     windowBytes,
		MaxStreamReceiveWindow:         windowBytes,
		InitialConnectionReceiveWindow: windowBytes,
		MaxConnectionReceiveWindow:     windowBytes,
	}
}

// bufferWarningEnv is the one switch that quic-go has for its warning; it reads
// it when it is handed a socket.
const bufferWarningEnv = "QUIC_GO_DISABLE_RECEIVE_BUFFER_WARNING"

// withoutBufferWarning keeps quic-go from writing, past [Config].Log, that the
// host's net.core.rmem_max or wmem_max holds the socket's buffers below the 7 MiB
// that it asks for. Buffers that are set before would meet the same limit. What
// the environment says already stays.
func withoutBufferWarning() {
	if _, said := os.LookupEnv(bufferWarningEnv); !said {
		_ = os.Setenv(bufferWarningEnv, "true") // it fails for names that are none
	}
}

// Serve accepts on both ports until the listener is closed, which is no error
// and leaves HTTP/3 to ShutdownWithContext, or until one of them fails.
func (q *quicServer) Serve(ln net.Listener) error {
	go q.serveQUICLoop(ln)
	err := q.secureServer.Serve(ln)
	select {
	case quicErr := <-q.failed:
		return errors.Join(err, quicErr)
	default:
		return err
	}
}

// serveQUICLoop accepts connections of HTTP/3 until ShutdownWithContext. When it
// fails, it ends the accepting beside it.
func (q *quicServer) serveQUICLoop(beside net.Listener) {
	defer close(q.served)
	if err := q.http3.ServeListener(q.listener); !errors.Is(err, http.ErrServerClosed) {
		q.failed <- fmt.Errorf("serve udp %s: %w", q.socket.LocalAddr(), err)
		_ = beside.Close() // closed already it is no fault either
	}
}

// ShutdownWithContext ends both servers in the same time. HTTP/3 tells its clients
// to go away and waits for them until the context ends, for idle ones too: that
// they have understood it, they say by closing. Then it closes their connections,
// which ends their handlers, and goes on when they have. The transport's end is
// that of connections that never came as far as a handler.
func (q *quicServer) ShutdownWithContext(ctx context.Context) error {
	closeErr := q.listener.Close()
	ended := make(chan error, 1)
	go func() { ended <- q.http3.Shutdown(ctx) }()
	err := q.secureServer.ShutdownWithContext(ctx)
	err = errors.Join(err, <-ended)
	<-q.served
	return errors.Join(err, closeErr, q.transport.Close(), q.socket.Close())
}
