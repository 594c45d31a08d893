// Package h2 is the client side of HTTP/2 (RFC 9113, with the header
// compression of RFC 7541) as a codec: bytes in, bytes out, exchanges begun and
// ended. It reads no socket and no clock. Once a connection is warm, an
// exchange whose response header block repeats costs no allocation.
//
// # Terms
//
//   - stream: the way of one exchange through the connection, from its HEADERS
//     on; a connection carries many at a time.
//   - queued: an exchange that was started and has no stream yet, because
//     nothing of it has been handed out.
//   - block: the header fields of one request, response or trailer section, as
//     HPACK compresses them.
//   - sender: a stream with a body to send that its own window lets go on.
//   - stream fault, connection fault: a constant text that says how the server
//     broke the protocol. The first ends one exchange as
//     exchange.ProtocolError, the second all that are out.
//   - handed back: an exchange that Done returns as exchange.Pending, because the
//     server has not processed it. Another connection may carry it.
//
// # Flow
//
//  1. [Render] checks a [request.Spec] and encodes its blocks once. All
//     connections of a worker share them through one [Config].
//  2. [Conn.Open] follows a fresh transport connection: preface and settings
//     are queued.
//  3. [Conn.Start] takes an exchange, [Conn.Out] gives it a stream and hands out
//     its HEADERS and what the windows allow of its body, and [Conn.Stamp] is
//     told when these bytes began to leave.
//  4. [Conn.Feed] takes received bytes, in pieces of any size. A frame is looked
//     at twice: when its header is complete, and when its payload is. DATA and
//     what is ignored is counted as it passes by and never gathered.
//  5. A response's block is compared with those seen before; only one that is new,
//     or refers to a table that has changed since, is decoded.
//  6. [Conn.End] takes the FIN or the error of recv, [Conn.Expire] what is over
//     its deadline (the connection lives on), [Conn.Abort] whatever else makes
//     the caller give up.
//  7. [Conn.Done] returns the exchanges that have ended; [Conn.Free] says how
//     many more the connection would take, [Conn.Reusable] whether to keep it.
//
// # The codec's stance
//
// The generator judges servers, so what RFC 9113 calls an error is one, and a
// fault of a stream stays with it. Only here is the codec lenient:
//
//   - DATA and HEADERS on a stream that has ended, when this or a later one was
//     reset by us: they may have crossed. Only the last such stream is kept in
//     mind, not all.
//   - An overrun of our receive windows is not looked for: they are filled up
//     again when half is used, so that a server would have to be 512 MiB ahead.
//   - Priorities and whatever else is of no concern to a client pass by unread.
//
// # Settings
//
// The windows announced are 1 GiB, so that flow control does not measure the
// generator. SETTINGS_HEADER_TABLE_SIZE stays at its default of 4096 bytes: it
// is what most clients have, so the server's encoder works as it would for them;
// 0 would spare us the decoder's state and have the server do something else
// than in production. SETTINGS_MAX_FRAME_SIZE stays at 16 KiB, which is a TLS
// record.
//
// # Reading order
//
// doc.go, conn.go (the state), conn_out.go (what leaves), conn_feed.go and
// conn_check.go (frames), conn_data.go, conn_headers.go, conn_settings.go,
// conn_control.go (one kind of frame each), conn_end.go (how exchanges end).
// Then the parts: streams.go, fifo.go, table.go (the server's dynamic table),
// decoder.go, blocks.go (why most blocks are never decoded), fieldtable.go (our
// dynamic table), head.go (what a block says), frames.go, faults.go (bounds and texts); request.go and
// request_check.go stand apart.
package h2
