// Package h3 is the client side of HTTP/3 (RFC 9114, with the field compression
// of RFC 9204) as a codec: the bytes of a request, and what the bytes that come
// back say. It knows no QUIC, no socket and no clock; whoever owns the QUIC
// connection feeds it one stream at a time. A small response whose field section
// repeats costs no allocation and some tens of nanoseconds.
//
// # Terms
//
//   - request stream: the client's bidirectional stream of one exchange. The
//     request and the FIN go out, the response and the FIN come back.
//   - unidirectional stream: one that the server opened. Its type, the first
//     thing on it, says what it is for: control, QPACK encoder, QPACK decoder,
//     or something we do not know and ignore.
//   - field section: the header fields of a response or its trailers, as QPACK
//     encodes them. It consists of a prefix and field lines.
//   - interim response: one with a 1xx status. The one after them is final.
//   - answer: what a field section says to us, its status and content-length.
//   - fault: how the server broke the protocol, as a code and a constant text. It
//     ends the stream, or the connection with all its streams.
//
// # Flow
//
//  1. [Render] checks a [request.Spec] and encodes all that goes out on a request
//     stream, once. All streams send the same bytes.
//  2. On a fresh connection [Opening] goes out on a unidirectional stream that
//     stays open; a [Control] begins with its zero value.
//  3. Each unidirectional stream of the server has a [Uni]. Feed reads its type,
//     then what such a stream may carry, and enters it in the Control; End and
//     Reset tell when a stream that has to stay open does not.
//  4. Each request stream has a [Response]. Begin forgets the exchange before,
//     Feed takes received bytes in pieces of any size. A frame is looked at twice:
//     when its header is complete, to see whether it may come at all, and when its
//     payload is. DATA and frames of unknown types are counted as they pass by
//     and never gathered.
//  5. A field section is compared with those that [Heads] has seen; only a new one
//     is decoded. As we refuse the dynamic table, equal bytes mean the same on
//     every connection, so that the connections of one worker share a Heads.
//  6. FIN is told to End, which says whether the response was complete.
//
// # The codec's stance
//
// The generator judges servers, so what RFC 9114 calls an error is one. Where
// the RFC leaves the choice, as with settings that are sent twice, we take the
// error. The codec is lenient in these places:
//
//   - Field values other than those of :status and content-length are passed over
//     by their length, neither Huffman-decoded nor looked at: this is where the
//     bytes of a response that differs each time would cost most.
//   - The encoder stream may set a table capacity of 0, which changes nothing,
//     though with the table refused it is to carry nothing at all.
//   - The decoder stream may cancel streams: a server says so about any stream
//     that was reset, whether it referred to a table or not.
//
// # Settings
//
// Both QPACK settings are 0, which is what HTTP/3 begins with. A dynamic table
// would make streams wait for each other, so that loss on the encoder's stream
// showed in the latency of others; and small responses gain little from it.
//
// # Reading order
//
// doc.go, response.go (the state of a request stream), response_check.go (what
// may come when), frames.go and varint.go (how bytes become frames), heads.go
// (why most field sections are never decoded), section.go (field lines),
// answer.go (what they say), static.go, prefixed.go. Then the server's other
// streams: control.go, uni.go. codes.go and faults.go hold codes, bounds and
// texts; request.go and request_check.go stand apart.
package h3
