package target

import (
	"context"
	"sync"

	"github.com/quic-go/quic-go"
)

// acceptors is how many connections may be handed over while the server has no
// time to look. Each costs a goroutine that waits, some 4 KiB.
const acceptors = 256

// quicListener accepts like quic-go's, which keeps 32 connections for whoever asks
// next and refuses more, where TCP lets a whole backlog wait. A generator opens
// hundreds at once. So many goroutines ask at a time: to hand a connection to one
// that waits already takes none of its time.
type quicListener struct {
	*quic.EarlyListener
	accepted chan *quic.Conn
	failed   chan error    // one: why no more are accepted
	closed   chan struct{} // closed by Close
	loops    sync.WaitGroup
}

func acceptQUIC(from *quic.EarlyListener) *quicListener {
	l := &quicListener{
		EarlyListener: from,
		accepted:      make(chan *quic.Conn, acceptors),
		failed:        make(chan error, 1),
		closed:        make(chan struct{}),
	}
	for range acceptors {
		l.loops.Go(l.acceptLoop)
	}
	return l
}

// acceptLoop hands on what it is handed until the listener is closed or fails.
func (l *quicListener) acceptLoop() {
	for {
		conn, err := l.EarlyListener.Accept(context.Background())
		if err != nil {
			select {
			case l.failed <- err:
			default: // another one has told it
			}
			return
		}
		select {
		case l.accepted <- conn:
		case <-l.closed:
			return // the transport's end is that of the connection
		}
	}
}

// Accept waits for a connection, the context's end or that of the listener, which
// is told once.
func (l *quicListener) Accept(ctx context.Context) (*quic.Conn, error) {
	select {
	case conn := <-l.accepted:
		return conn, nil
	case err := <-l.failed:
		return nil, err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Close refuses further connections. Those that nobody has accepted end with the
// transport.
func (l *quicListener) Close() error {
	close(l.closed)
	err := l.EarlyListener.Close()
	l.loops.Wait()
	return err
}
