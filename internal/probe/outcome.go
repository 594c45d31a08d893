package probe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"syscall"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"
	"golang.org/x/net/http2"

	"github.com/scalws/scalbench/internal/units"
)

// Outcome is how a probe ended, in the words of a load test.
type Outcome uint8

// The outcomes. Each probe has exactly one.
const (
	OK            Outcome = iota // complete, with the status that was expected
	BadStatus                    // complete, with another status
	Timeout                      // no complete response in time
	ConnectFailed                // no connection: the phase says whether dns, tcp, tls or quic
	WriteFailed                  // the kernel refused the request's bytes
	ReadFailed                   // the response broke off after its first byte
	ProtocolError                // bytes that are no valid response
	Reset                        // the server closed with the request out and nothing back
	Missed                       // due while outMax were out: never sent
	Unfinished                   // out when the run was ended
	numOutcomes
)

var outcomeNames = [numOutcomes]string{
	"ok", "bad_status", "timeout", "connect_failed", "write_failed", "read_failed", "protocol_error", "reset", "missed", "unfinished",
}

// String returns the outcome's name in JSON and text.
func (o Outcome) String() string { return outcomeNames[o] }

// answered reports whether a complete response came back.
func (o Outcome) answered() bool { return o == OK || o == BadStatus }

// isError reports whether the outcome is one of the ledger's errors.
func (o Outcome) isError() bool { return o >= BadStatus && o <= Reset }

// Why the context of a probe ended.
var (
	errConnectTimeout = errors.New("connect timeout")
	errTimeout        = errors.New("timeout")
	errEnded          = errors.New("the run was ended")
)

// unconnected says how a probe ended that got no connection.
func unconnected(ctx context.Context, err error, timeout time.Duration) (Outcome, string) {
	switch context.Cause(ctx) {
	case errEnded:
		return Unfinished, errEnded.Error()
	case errConnectTimeout:
		var s stepError
		if errors.As(err, &s) {
			return ConnectFailed, fmt.Sprintf("%s: no answer within %s", s.step, units.Duration(timeout))
		}
	}
	return ConnectFailed, err.Error()
}

// unanswered says how a probe ended that had a connection and got no complete
// response. What the socket reported decides where it reported anything, for
// net/http has no types for most of its errors: fault, nil for none. begun is
// that the first byte was seen, sent how long ago the request was.
func unanswered(ctx context.Context, err error, fault *socketFault, begun bool, sent time.Duration) (Outcome, string) {
	switch context.Cause(ctx) {
	case errEnded:
		return Unfinished, errEnded.Error()
	case errTimeout:
		what := "no response"
		if begun {
			what = "incomplete response"
		}
		return Timeout, fmt.Sprintf("%s %s after sending", what, units.Duration(sent))
	}
	text := cause(err)
	if fault != nil {
		err, text = fault, fault.Error()
	}
	outcome := ProtocolError
	switch closed := closedByServer(err); {
	case closed && begun:
		outcome = ReadFailed
	case closed:
		outcome = Reset
	case fault != nil && fault.op == "write":
		outcome = WriteFailed
	case fault != nil:
		outcome = ReadFailed
	}
	return outcome, text
}

// closedByServer reports whether an error says that the server gave up the
// connection or the stream.
func closedByServer(err error) bool {
	var h2 http2.StreamError
	var h3 *http3.Error
	var idle *quic.IdleTimeoutError
	var stateless *quic.StatelessResetError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return true
	case errors.As(err, &h2):
		return h2.Code != http2.ErrCodeProtocol // with that one the client resets, too
	case errors.As(err, &h3):
		return h3.Remote
	}
	return errors.As(err, &idle) || errors.As(err, &stateless)
}
