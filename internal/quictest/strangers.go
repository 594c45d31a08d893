package quictest

import (
	"encoding/binary"
	"math/rand/v2"
	"net"
	"net/netip"
	"testing"
)

// Silent is a socket that takes every datagram and never answers. What arrives is
// never read: the kernel throws it away when the socket's buffer is full.
func Silent(t testing.TB) netip.AddrPort { return addrOf(listenUntilEnd(t)) }

// VersionNegotiator answers every Initial packet with a Version Negotiation
// packet that names only a version which nobody speaks.
func VersionNegotiator(t testing.TB) netip.AddrPort {
	return answerer(t, negotiateVersion)
}

// Garbage answers every datagram with one of up to 1200 random bytes. They follow
// from the seed.
func Garbage(t testing.TB, seed uint64) netip.AddrPort {
	random := rand.New(rand.NewPCG(seed, 0))
	return answerer(t, func([]byte) []byte {
		b := make([]byte, 1+random.IntN(1200))
		for i := range b {
			b[i] = byte(random.Uint32())
		}
		return b
	})
}

// answerer gives each datagram that arrives one answer, or none when that is nil.
func answerer(t testing.TB, answer func(datagram []byte) []byte) netip.AddrPort {
	socket := listenUntilEnd(t)
	done := make(chan struct{})
	// Cleanups run last in, first out.
	t.Cleanup(func() {
		socket.Close()
		<-done
	})
	go answerLoop(socket, answer, done)
	return addrOf(socket)
}

func answerLoop(socket *net.UDPConn, answer func(datagram []byte) []byte, done chan<- struct{}) {
	defer close(done)
	datagram := make([]byte, maxDatagramBytes)
	for {
		n, from, err := socket.ReadFromUDPAddrPort(datagram)
		if err != nil {
			return
		}
		if b := answer(datagram[:n]); b != nil {
			socket.WriteToUDPAddrPort(b, from)
		}
	}
}

// noVersion has the pattern 0x?a?a?a?a, which is reserved: no client can have
// offered it in earnest (RFC 9000, 15).
const noVersion = 0x1a2a3a4a

// negotiateVersion returns a Version Negotiation packet (RFC 9000, 17.2.1) for a
// datagram that begins with an Initial packet (17.2.2), and nil for any other.
// The connection IDs are the client's, exchanged.
func negotiateVersion(initial []byte) []byte {
	const (
		longHeader  = 0x80
		packetType  = 0x30
		fixedBytes  = 1 + 4 // first byte, version
		initialType = 0x00
	)
	if len(initial) < fixedBytes || initial[0]&longHeader == 0 || initial[0]&packetType != initialType {
		return nil
	}
	if binary.BigEndian.Uint32(initial[1:]) == 0 {
		return nil // a Version Negotiation packet itself
	}
	destination, rest, ok := cutConnectionID(initial[fixedBytes:])
	if !ok {
		return nil
	}
	source, _, ok := cutConnectionID(rest)
	if !ok {
		return nil
	}
	b := []byte{longHeader, 0, 0, 0, 0}
	b = append(append(b, byte(len(source))), source...)
	b = append(append(b, byte(len(destination))), destination...)
	return binary.BigEndian.AppendUint32(b, noVersion)
}

// cutConnectionID splits a connection ID with its length of one byte off.
func cutConnectionID(b []byte) (id, rest []byte, ok bool) {
	if len(b) == 0 || len(b) < 1+int(b[0]) {
		return nil, nil, false
	}
	return b[1 : 1+b[0]], b[1+b[0]:], true
}
