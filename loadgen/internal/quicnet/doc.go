// Package quicnet carries exchanges over QUIC connections, on quic-go. For
// HTTP/3 it stands where netloop, transport and a codec stand for the other
// protocols: exchanges go in, ended ones come out. A data path of our own can
// take its place behind the same calls.
//
// Terms. An engine is one worker's QUIC: one UDP socket for each source
// address, and as many connections as the worker has. A stream is a slot of a
// connection; it carries one exchange at a time, each on a QUIC stream of its
// own. The run loop is the goroutine that quic-go has for each connection.
//
// The lock. quic-go works in goroutines of its own, so the worker cannot own
// its state by being the only thread. Instead one lock, the engine's, is held by
// whoever works for this worker. Who holds it waits for nothing, but for one read
// that should find its data and may have to give up after 200 us: of a response
// whose first datagram was lost. With one CPU a worker the lock is not contended. Workers share nothing.
//
// Flow of an exchange:
//
//  1. The worker calls [Conn.Start]: a QUIC stream is opened and the request,
//     rendered once, is queued on it whole.
//  2. The connection's run loop packs it, and its send goroutine hands the
//     datagram to our socket, which gathers what a turn brings and sends it with
//     one system call, equal-sized datagrams of all connections as one
//     (UDP_SEGMENT). Just before, the exchange is stamped as sent.
//  3. The socket reads as many datagrams as there are and gives them to their
//     connections. The run loop that meets the end of a response calls us from
//     within itself: the response is read and parsed there, the worker records
//     it and begins the next exchange, and the run loop goes on to send that one
//     together with its acknowledgement. No goroutine is woken for a response.
//  4. A response that does not come in one piece is read by a goroutine of its
//     stream as it arrives (patient.go): its first byte is stamped when it comes
//     and the flow-control windows are opened. So is one that has not ended
//     after a while, whose end may wait for a window.
//
// Reading order: engine.go, dial.go, conn.go, stream.go, patient.go, servers.go,
// socket.go, receive.go, send.go, reasons.go, stats.go, trace.go.
package quicnet
