package loadgen

import (
	"syscall"

	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/loadgen/internal/exchange"
)

// codec is what a protocol does for one connection, without I/O: bytes in,
// bytes out, exchanges begun and exchanges ended. The worker knows nothing
// else of a protocol.
type codec interface {
	// Open forgets everything of the connection before: a new one is up.
	Open()
	// Start begins an exchange; last asks that it be the connection's last.
	// It returns false when the connection cannot carry it.
	Start(x *exchange.Exchange, now mono.Time, last bool) bool
	// Out returns the bytes to send now, nil when there are none; they stay
	// unchanged until they have left.
	Out() []byte
	// Feed takes received bytes, which are only valid during the call.
	Feed(now mono.Time, b []byte)
	// Skippable returns how many of the next bytes nobody has to look at.
	Skippable() int64
	// Skipped takes the number of bytes that the kernel dropped unseen.
	Skipped(now mono.Time, n int64)
	// End takes the peer's FIN (errno 0) or the error that ended receiving.
	End(now mono.Time, errno syscall.Errno)
	// Abort ends the exchanges that are out with an outcome of the worker's.
	Abort(now mono.Time, o exchange.Outcome, why exchange.Reason)
	// Done returns the exchanges that have ended since the last call.
	Done() []*exchange.Exchange
	// Reusable reports whether the connection may carry another exchange.
	Reusable() bool
	// Deadline returns when Expire has to be called; zero: never.
	Deadline() mono.Time
	// Expire ends the exchanges whose deadline has passed.
	Expire(now mono.Time)
}
