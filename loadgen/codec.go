package loadgen

import (
	"syscall"

	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/loadgen/internal/exchange"
)

// carrier is what carries the exchanges of one connection, whatever the protocol:
// exchanges begun, exchanges ended.
type carrier interface {
	// StreamsMax returns how many exchanges the connection carries at a time, as
	// far as its server has told.
	StreamsMax() int
	// Free returns 0 when Start would take no exchange now; else that it would
	// take so many at least.
	Free() int
	// Start begins an exchange; last asks that it be the connection's last.
	// It returns false when the connection cannot carry it.
	Start(x *exchange.Exchange, now mono.Time, last bool) bool
	// Abort ends the exchanges that are out with an outcome of the worker's.
	Abort(now mono.Time, o exchange.Outcome, why exchange.Reason)
	// Done returns the exchanges that have ended since the last call, and as
	// pending those that the server has not seen and another connection may
	// carry.
	Done() []*exchange.Exchange
	// Reusable reports whether there is a reason to keep the connection: an
	// exchange that is out, or another one that it may carry.
	Reusable() bool
	// Fault returns what the peer did wrong while there was no exchange to tell
	// it; "": nothing.
	Fault() string
	// Deadline returns when Expire has to be called; zero: never. It counts from
	// Start until an exchange is stamped.
	Deadline() mono.Time
	// Expire ends the exchanges whose deadline has passed.
	Expire(now mono.Time)
}

// codec is a carrier over bytes, without I/O: bytes in, bytes out. The worker
// knows nothing else of a protocol. On QUIC there is none: what carries the
// exchanges there does its own I/O (quic.go).
type codec interface {
	carrier
	// Open forgets everything of the connection before: a new one is up.
	Open()
	// Out returns the bytes to send now, nil when there are none, and whether
	// there are more. It is called when the bytes before have left, and those
	// it returns stay unchanged until it is called again.
	Out() (b []byte, more bool)
	// Stamp tells when the bytes that Out returned last began to leave: the
	// exchanges that begin in them were sent then.
	Stamp(at mono.Time)
	// Feed takes received bytes, which are only valid during the call.
	Feed(now mono.Time, b []byte)
	// Skippable returns how many of the next bytes nobody has to look at.
	Skippable() int64
	// Skipped takes the number of bytes that the kernel dropped unseen.
	Skipped(now mono.Time, n int64)
	// End takes the peer's FIN (errno 0) or the error that ended receiving.
	// clean tells that the FIN is the peer's: in TLS, that it has said so.
	End(now mono.Time, errno syscall.Errno, clean bool)
	// PeerCloses reports whether it is the peer's to close a connection that has
	// carried its last exchange.
	PeerCloses() bool
}
