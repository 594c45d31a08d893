// Package exchange holds what every part of the load path shares: one request
// with its response, how it ended, and what it was expected to be.
package exchange

import "github.com/scalws/scalbench/internal/mono"

// Exchange is one request and its response, with its timestamps in the order
// in which they are reached (zero: not reached). Exchanges live in a worker's
// fixed table of slots and are used again; they are owned by the worker while
// free and by a connection's codec between Start and Done.
//
//	service time  = Done - Sent
//	response time = Done - Intended
//	send delay    = Sent - Intended
//	lateness      = Sent - max(Intended, Ready)
type Exchange struct {
	Intended  mono.Time // when the schedule wants it sent; closed loop: when its slot became free
	Ready     mono.Time // when a connection or stream was free for it
	Sent      mono.Time // first byte of the request handed to the kernel
	FirstByte mono.Time // read that brought the first byte of the response returned
	Done      mono.Time // read that brought the last byte returned, or the moment it was given up

	Deadline  mono.Time // when the codec gives it up as a timeout; zero: never
	BodyBytes int64     // body bytes received, as framed by the protocol (chunk framing excluded)
	Status    uint16    // HTTP status of the final response; 0: none arrived
	Outcome   Outcome
	Reused    bool   // its connection had carried an exchange before
	Restarts  uint8  // how often it was handed back by a connection on which no exchange ended
	Conn      int32  // index of the connection that carries it
	Slot      int32  // index of its slot in the worker's table
	Reason    Reason // what exactly went wrong, for the first error's text
}

// Outcome is how an exchange ended. Outcomes are counted, never allocated.
type Outcome uint8

const (
	Pending       Outcome = iota // not ended, or handed back by a codec to be started again; never counted
	OK                           // complete, with the status and body that were expected
	BadStatus                    // complete, with another status
	BadBody                      // complete, right status, wrong body length or content
	Timeout                      // given up: no complete response by the deadline
	ConnectFailed                // no connection to send it on
	WriteFailed                  // the kernel refused the request's bytes
	ReadFailed                   // the response broke off: FIN or an error of recv after its first byte
	ProtocolError                // bytes that are no valid response, or more bytes than the response
	Reset                        // FIN or RST with the request out and nothing back
	Shed                         // not sent on purpose: its deadline had passed (open loop)
	Unfinished                   // sent, still out when the drain ended
	NeverSent                    // intended, but not sent when the run ended
	NumOutcomes
)

// String returns the outcome's name in JSON and text output.
func (o Outcome) String() string {
	if int(o) < len(outcomeNames) {
		return outcomeNames[o]
	}
	return "unknown"
}

var outcomeNames = [NumOutcomes]string{
	"pending", "ok", "bad_status", "bad_body", "timeout", "connect_failed", "write_failed", "read_failed",
	"protocol_error", "reset", "shed", "unfinished", "never_sent",
}

// IsError reports whether the outcome is one of the ledger's errors: the
// server, the network or the response was at fault. Shed, unfinished and
// never_sent have lines of their own in the ledger.
func (o Outcome) IsError() bool { return o >= BadStatus && o <= Reset }

// Reason says what broke, in a word that a codec can set without allocating.
// The zero value means that the outcome says all there is to say.
type Reason struct {
	Text  string // mostly a constant of a codec, e.g. "two different content-lengths"
	Errno uint16 // errno of the failed system call; 0: none
}
