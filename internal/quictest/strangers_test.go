package quictest

import (
	"bytes"
	"crypto/tls"
	"errors"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/quic-go/quic-go"
)

// wantNoHandshake fails the test unless a client waits in vain.
func wantNoHandshake(t *testing.T, to netip.AddrPort, tlsConfig *tls.Config) {
	t.Helper()
	_, err := dial(t, to, tlsConfig, &quic.Config{HandshakeIdleTimeout: 50 * time.Millisecond})
	var idle *quic.IdleTimeoutError
	var late *quic.HandshakeTimeoutError
	if !errors.As(err, &idle) && !errors.As(err, &late) {
		t.Errorf("handshake: %v, want a timeout", err)
	}
}

func TestSilent(t *testing.T) {
	wantNoHandshake(t, Silent(t), &tls.Config{ServerName: "localhost"})
}

func TestGarbage(t *testing.T) {
	wantNoHandshake(t, Garbage(t, 1), &tls.Config{ServerName: "localhost"})
	first, again, other := ask(t, Garbage(t, 1), "?"), ask(t, Garbage(t, 1), "?"), ask(t, Garbage(t, 2), "?")
	if len(first) == 0 || !bytes.Equal(first, again) || bytes.Equal(first, other) {
		t.Errorf("% x, % x, % x; want two alike and the third different", first, again, other)
	}
}

// ask sends a datagram and returns the one that comes back.
func ask(t *testing.T, to netip.AddrPort, datagram string) []byte {
	t.Helper()
	socket := listenUntilEnd(t)
	socket.SetDeadline(time.Now().Add(patience))
	if _, err := socket.WriteTo([]byte(datagram), net.UDPAddrFromAddrPort(to)); err != nil {
		t.Fatal(err)
	}
	answer := make([]byte, maxDatagramBytes)
	n, from, err := socket.ReadFromUDPAddrPort(answer)
	if err != nil || from != to {
		t.Fatalf("answer from %v: %v", from, err)
	}
	return answer[:n]
}

func TestVersionNegotiator(t *testing.T) {
	_, err := dial(t, VersionNegotiator(t), &tls.Config{ServerName: "localhost"}, nil)
	var e *quic.VersionNegotiationError
	if !errors.As(err, &e) {
		t.Errorf("handshake: %v (%T), want a version negotiation error", err, err)
	}
}

func TestNegotiateVersion(t *testing.T) {
	for _, test := range []struct{ name, datagram, want string }{
		// Destination "ab" and source "c" change places.
		{"Initial", "\xc3\x00\x00\x00\x01\x02ab\x01c and so on", "\x80\x00\x00\x00\x00\x01c\x02ab\x1a\x2a\x3a\x4a"},
		{"no source", "\xc3\x00\x00\x00\x01\x02ab\x00", "\x80\x00\x00\x00\x00\x00\x02ab\x1a\x2a\x3a\x4a"},
		{"Handshake", "\xe3\x00\x00\x00\x01\x02ab\x01c and so on", ""},
		{"short header", "\x43\x00\x00\x00\x01\x02ab\x01c and so on", ""},
		{"Version Negotiation", "\xc3\x00\x00\x00\x00\x02ab\x01c and so on", ""},
		{"version cut off", "\xc3\x00\x00\x00", ""},
		{"no destination", "\xc3\x00\x00\x00\x01", ""},
		{"destination cut off", "\xc3\x00\x00\x00\x01\x02a", ""},
		{"source cut off", "\xc3\x00\x00\x00\x01\x02ab\x02c", ""},
		{"empty", "", ""},
	} {
		if got := string(negotiateVersion([]byte(test.datagram))); got != test.want {
			t.Errorf("%s: % x, want % x", test.name, got, test.want)
		}
	}
}
