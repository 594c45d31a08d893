// Package quictest gives tests the HTTP/3 servers that a client should survive:
// one whose every byte a test decides, some that never speak QUIC at all, and a
// path to any of them that loses datagrams.
//
// The server is golang.org/x/net/quic and the frames of this package, because
// clients of the repository are quic-go: an implementation that is tested
// against itself agrees with its own mistakes. From quic-go come only the
// encodings of numbers and of header fields.
//
// # Terms
//
//   - serve: the function of a test that is the server's side of a connection.
//   - life: the endpoint from its start, or a restart, to the next restart or the
//     end of the test. It knows the connections of its own time only.
//   - message: header fields and body of a request or a response (RFC 9114, 4.1).
//   - block: header fields as QPACK compresses them (RFC 9204), here always
//     without the dynamic table.
//   - lane: one direction of one client's way through a relay.
//
// # Flow
//
//  1. [Start] makes a certificate, opens a socket and begins the first life. What
//     [Options] holds is decided for all connections, before any comes up.
//  2. Each connection whose handshake is complete is a [Conn] and gets a goroutine
//     in which serve runs. [Answer] and [Echo] are well-behaved ones.
//  3. serve opens the control stream ([Conn.Settings], or [Conn.Control] for wrong
//     bytes), takes requests ([Conn.Accept]), and sends what the test wants, frame
//     by frame or byte by byte ([Stream], [Request]).
//  4. [Server.Restart] ends a life as a crash does, and begins the next on the same
//     port.
//  5. A [Relay] may stand in front. [Silent], [Garbage] and [VersionNegotiator] are
//     servers with which no handshake can succeed.
//
// All is on 127.0.0.1, at ports that the kernel chooses, and ends with the test.
//
// # Reading order
//
// options.go, server.go (lives), line.go (why a restart says no goodbye);
// conn.go, stream.go, request.go (what serve has), frames.go (encodings),
// message.go, behaved.go (a plain server); relay.go, lane.go; strangers.go;
// socket.go.
package quictest
