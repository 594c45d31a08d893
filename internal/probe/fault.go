package probe

import (
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"

	"github.com/quic-go/quic-go/http3"
	"golang.org/x/net/http2"
)

// stepError is what went wrong in a step of connecting.
type stepError struct {
	step string // with whom: "connect 127.0.0.1:80"
	err  error
}

func (e stepError) Error() string {
	var dns *net.DNSError
	if errors.As(e.err, &dns) && dns.IsNotFound {
		return fmt.Sprintf("host %q does not resolve", dns.Name)
	}
	return e.step + ": " + cause(e.err)
}

func (e stepError) Unwrap() error { return e.err }

// socketFault is what a system call on a connection's socket reported.
type socketFault struct {
	op  string // "read" or "write"
	err error
}

func (f *socketFault) Error() string {
	if errors.Is(f.err, io.EOF) {
		return cause(f.err)
	}
	return f.op + ": " + cause(f.err)
}

func (f *socketFault) Unwrap() error { return f.err }

// cause is the innermost thing that an error says: the sentence around it has the
// rest already, in fewer words than Go's packages.
func cause(err error) string {
	var errno syscall.Errno
	var dns *net.DNSError
	var h2 http2.StreamError
	var h3 *http3.Error
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "the server closed the connection"
	case errors.As(err, &errno):
		return errno.Error()
	case errors.As(err, &dns):
		return dns.Err
	case errors.As(err, &h2) && h2.Code != http2.ErrCodeProtocol:
		return "the server reset the stream: " + h2.Code.String()
	case errors.As(err, &h3) && h3.Remote:
		return "the server reset the stream or the connection: " + h3.ErrorCode.String()
	}
	return strings.TrimPrefix(strings.TrimPrefix(err.Error(), "net/http: "), "tls: ")
}
