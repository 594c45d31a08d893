package quicnet

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"strings"

	"github.com/quic-go/quic-go"

	"github.com/scalws/scalbench/loadgen/internal/h3"
)

// errRefused is told when the host says that nothing listens on the port (ICMP
// port unreachable, which a connected socket is told as ECONNREFUSED).
var errRefused = errors.New("nothing listens on the UDP port")

// handshakeReason words why a handshake came to nothing.
func handshakeReason(ctx context.Context, err error) string {
	if errors.Is(err, context.Canceled) {
		err = context.Cause(ctx)
	}
	return HandshakeFault(err)
}

// HandshakeFault words the error of a QUIC handshake for somebody who does not
// know quic-go.
func HandshakeFault(err error) string {
	var idle *quic.IdleTimeoutError
	var late *quic.HandshakeTimeoutError
	var versions *quic.VersionNegotiationError
	var transport *quic.TransportError
	var untrusted *tls.CertificateVerificationError
	switch {
	case errors.As(err, &idle), errors.As(err, &late), errors.Is(err, context.DeadlineExceeded):
		return "QUIC handshake: no answer on the UDP port"
	case errors.Is(err, errRefused):
		return errRefused.Error()
	case errors.As(err, &versions):
		return fmt.Sprintf("the server speaks none of our QUIC versions, it offers %s", versionList(versions.Theirs))
	case errors.As(err, &untrusted):
		return untrusted.Error()
	case errors.As(err, &transport) && transport.ErrorCode == noApplicationProtocol:
		return "the server does not offer h3 (no_application_protocol)"
	}
	return "QUIC handshake: " + connectionReason(err)
}

// noApplicationProtocol is the TLS alert as an error of QUIC's (RFC 9001 section
// 4.8, RFC 7301 section 3.2).
const noApplicationProtocol = quic.TransportErrorCode(0x100 + 120)

func versionList(versions []quic.Version) string {
	var names []string
	for _, v := range versions {
		names = append(names, fmt.Sprintf("%#x", uint32(v)))
	}
	return strings.Join(names, ", ")
}

// connectionReason words why a connection ended.
func connectionReason(err error) string {
	var application *quic.ApplicationError
	var transport *quic.TransportError
	var idle *quic.IdleTimeoutError
	var reset *quic.StatelessResetError
	switch {
	case errors.As(err, &application) && application.Remote:
		return "the server closed the connection: " + withText(h3.ErrorCode(application.ErrorCode).String(), application.ErrorMessage)
	case errors.As(err, &reset):
		return "the server does not know the connection any more (stateless reset)"
	case errors.As(err, &idle):
		return "the connection was idle for too long"
	case errors.As(err, &transport) && transport.Remote:
		return "the server closed the connection: " + withText(transport.ErrorCode.String(), transport.ErrorMessage)
	case errors.As(err, &transport):
		return withText(transport.ErrorCode.String(), transport.ErrorMessage)
	case errors.Is(err, errRefused):
		return errRefused.Error()
	case err == nil:
		return "the connection ended"
	}
	return err.Error()
}

// resetReason words why a stream ended.
func resetReason(err *quic.StreamError) string {
	code := h3.ErrorCode(err.ErrorCode).String()
	if err.Remote {
		return "the server reset the stream: " + code
	}
	return "stream reset: " + code
}

func withText(code, text string) string {
	if text == "" {
		return code
	}
	return code + ": " + text
}
