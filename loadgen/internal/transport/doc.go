// Package transport is TLS between a worker's event loop and its codecs, without
// I/O: encrypted bytes in and out on one side, plain ones on the other. A
// connection in cleartext needs nothing of it.
//
// # Terms
//
//   - wire: the net.Conn that crypto/tls sees. It is memory: what it reads was
//     put there by the worker, what it writes is taken from there by the worker.
//   - handshake: everything until both sides are authenticated. It runs in a
//     goroutine of its own, because crypto/tls cannot be resumed after a read
//     that would have had to wait, and because its arithmetic takes a
//     quarter of a millisecond that other exchanges must not wait for.
//   - record layer: what encrypts and decrypts behind the handshake. For TLS 1.3
//     it is our own, on the secrets that crypto/tls has agreed on: without copies,
//     locks and allocations. For TLS 1.2, and where sessions are to be resumed,
//     it is crypto/tls.
//   - secured: the handshake has ended well; from then on the worker alone
//     calls the connection, and a read that would have to wait says [ErrAgain].
//
// # Flow
//
//  1. [New] begins the handshake of a fresh TCP connection. The goroutine tells
//     the worker's [Handshakes] whenever there is something to do.
//  2. The worker gives it what arrives ([Conn.Arrived]), sends
//     what [Conn.Take] returns, and sees by [Conn.Handshake] that it has ended.
//  3. Then each received piece goes to Arrived and is read by [Conn.Next] until
//     ErrAgain: one wake-up, one recv. What a turn has to send goes to
//     [Conn.Write] in one call and leaves with one Take: one record up to 16
//     KiB, one send.
//  4. [Conn.Abandon] ends a handshake that nobody waits for any more, or that the
//     peer has ended.
//
// # Reading order
//
// conn.go (the whole), handshakes.go (how the goroutines reach the worker),
// wire.go, records.go, secrets.go.
package transport
