// Package h1 is the client side of HTTP/1.1 (RFC 9112) as a codec: bytes in,
// bytes out, finished exchanges out. It reads no socket and no clock, and once
// it is set up it allocates nothing.
//
// # Terms
//
//   - head: status line and header fields up to and with the empty line.
//   - interim: a response with a 1xx status; any number up to a bound may stand
//     before the final one.
//   - framing: what says where the body ends: nothing follows, a length, chunks,
//     or the peer's FIN.
//   - fault: a constant text that says how bytes are no valid response. A fault
//     ends the exchange as exchange.ProtocolError and the connection with it.
//
// # Flow
//
//  1. [Render] checks a [RequestSpec] and renders its bytes once. All
//     connections of a worker share them through one [Config].
//  2. [Conn.Open] follows a fresh transport connection.
//  3. [Conn.Start] takes an exchange; [Conn.Out] hands out the request's bytes and
//     [Conn.Stamp] learns when they left.
//  4. [Conn.Feed] takes received bytes, in pieces of any size. It runs a state
//     machine: head, then one of the framings, then complete. Where
//     [Conn.Skippable] says so, the body may be thrown away by the kernel and
//     told to [Conn.Skipped] instead.
//  5. [Conn.End] takes the FIN or the error of recv, [Conn.Expire] the deadline,
//     [Conn.Abort] whatever else makes the caller give up.
//  6. [Conn.Done] returns the finished exchange; [Conn.Reusable] says whether the
//     connection can carry another one. There is no pipelining.
//
// # The parser's stance
//
// The generator judges servers, so what RFC 9112 calls invalid is a fault; what
// it lets a recipient accept is accepted, for nobody stands behind this client
// whom a lenient reading could mislead:
//
//   - A single LF ends a line of the head (section 2.2 lets a recipient take it);
//     chunk lines and trailers need CR LF, for 2.2 does not cover chunk framing.
//     A CR anywhere else is a fault.
//   - The status line may lack the reason phrase and the space before it.
//   - Status codes 600 to 999 count as complete responses with that status, as
//     RFC 9110 section 15 wants (they are to be treated like 5xx, and never match
//     2xx). Codes below 100 are a fault: they have no class, and zero means that
//     no response arrived.
//   - Content-Length may be a list or repeated when all values are equal (RFC
//     9112 section 6.3). A bad one is a fault in every response, even where no
//     body can follow.
//   - A Content-Length or Transfer-Encoding in 1xx, 204, 304 and answers to HEAD
//     promises nothing: these end with the head (6.3). That a server must not
//     send them in 1xx and 204 (RFC 9110 section 8.6) binds the server alone.
//   - Transfer-Encoding is "chunked" alone, in HTTP/1.1, without Content-Length.
//   - Bad whitespace around a chunk size is removed (RFC 9110 section 5.6.3).
//
// # Reading order
//
// doc.go, conn.go (the state), conn_feed.go (the way of the bytes), conn_end.go
// (how exchanges end), head.go and head_framing.go (one head, a pure function),
// heads.go (why most heads are never parsed), chunk.go, lines.go, octets.go,
// faults.go (bounds and texts); request.go and request_check.go stand apart.
package h1
