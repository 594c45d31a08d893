// Package target is the embedded server: the default thing to load, so that a
// load test needs nothing installed. It runs as a process of its own
// (`scalbench target`), never inside the generator, whose CPU time it would
// otherwise share.
//
// It is one HTTP/1.1 server on fasthttp, whose job is to be cheaper than the
// generator and to do exactly what the path says. With a certificate it is one
// of HTTP/2 and HTTP/1.1 over TLS on net/http instead, which does the same, and
// where it is asked for one of HTTP/3 on quic-go beside them.
//
// # Routes
//
//	/respond                    2 bytes, "ok", from memory; POST and PUT too, their body is read and ignored
//	/respond-1k                 1 KiB from memory, the content of /static-small
//	/static-small               a file of 1 KiB: open, fstat, read, close for every request
//	/static-1m                  a file of 1 MiB: open, fstat, sendfile, close for every request
//	/delay/2ms                  "ok" after that time, 0 to 60 s
//	/delay-steps?p50=1ms&p90=5ms&p99=20ms
//	                            "ok" after times of a known distribution
//	/stall?every=1s&for=200ms   "ok" at once, but held to the end of the stall in the first `for` of each `every`
//	/proxy                      what the upstream answers to /respond-1k; /proxy/X?Y: to /X?Y
//	/cache-hit                  the same from memory after the first time; /cache-hit/X?Y
//	/fault/KIND                 misbehaves as KIND says
//	/ok                         "ok": readiness
//
// All of them answer GET and HEAD, /fault GET alone. Another method is 405,
// another path 404, a bad parameter 400; each says in its body what would have
// been right.
//
// Fields that somebody wants ([Config].Headers) are in every answer, but for the
// bytes of /fault: what one more field costs is a comparison that needs no second
// server.
//
// [Config].Burn makes it slower by a known share ([burner]), which is what a
// measurement of losses is held against; so does the query burn=0.02 on every route, for
// the requests that have it: two servers in one process, of which one loses that share.
//
// # Known delays
//
// A held request is answered some ten microseconds after its time, on a CPU that is
// free, and never before ([delayer]); to whole milliseconds, as the timers of an idle
// Go process have it, a delay of 2 ms would be one of 3.
//
// /delay-steps is a distribution in steps, for a look at percentiles that are known
// beforehand. pN is the delay up to the Nth percentile, from where the one before
// ends, and the last one's goes to the end: with those above, of each hundred
// requests 50 are held for 1 ms, 40 for 5 ms and 10 for 20 ms. N is 1 to 100 and
// grows, the delays are 0 to 60 s and do not fall. Nothing is random: of all
// requests to this route since the server's start, over whatever connections, number
// n, counted from 0, is that of rank 37 n mod 100, so any hundred in a row are
// exactly the distribution. (A percentile that is measured where two steps meet may
// fall to either side; in the middle of one it has room.)
//
// # Over TLS
//
// [Config].Cert and [Config].Key make it a server of TLS 1.2 and 1.3 with the
// protocol chosen by ALPN: h2, else HTTP/1.1. It answers like the one in
// cleartext, but for /proxy, /cache-hit and /fault, which are 404: the first two
// would measure two protocols at a time, and the last is about bytes that are
// no HTTP. A file is read and encrypted, for want of a sendfile(2) that could.
//
// A client may have 1000 streams on a connection and 4 MiB on the way to it. One
// that stops within its handshake or a head is dropped after 60 s.
//
// # HTTP/3
//
// [Config].HTTP3 adds HTTP/3 on the UDP port of the same number, with the same
// certificate, routes and answers, and /fault too, on streams; where it listens
// stays one https URL. The other versions say in Alt-Svc (RFC 7838) that it is
// there: h3=":PORT"; ma=60.
//
// Streams and bytes on the way are limited as with HTTP/2, and a handshake to 60 s.
// A connection on which nothing comes for 120 s is dropped. What is left of a
// request that stops within its head goes with its connection. Early data (0-RTT)
// is taken, for every route.
//
// quic-go asks for socket buffers of 7 MiB and takes what the host gives, by
// net.core.rmem_max and wmem_max; too small ones lose datagrams of many clients,
// which then show as latency. It refuses connections that nobody has accepted in
// time: [quicListener] takes them as they come, which is enough for thousands at
// once.
//
// # The upstream
//
// [Config].Upstream is another server, commonly this one in another process
// ([StartGroup]). Without it /proxy and /cache-hit are 404.
//
// A request of /proxy is one request to the upstream, over one of at most 1024
// connections that are kept for 10 s without use. The method, path and query
// are handed on, and of the answer status, content type and body, which may
// have 1 MiB. Nothing is ever asked twice, also where RFC 9110, 9.2.2 would
// allow it: every failure is an answer of its own, with one sentence in its
// body, which the first ones have in the log too:
//
//   - 502: refused, reset, closed before the answer was whole (also when an idle
//     connection turns out to be closed), or no HTTP;
//   - 504: no whole answer within [Config].UpstreamTimeout, connecting included.
//
// A failure closes all idle connections: they are most likely as dead as the
// one that failed.
//
// /cache-hit keeps an answer to GET that has status 200, up to 64 of them by
// path and query, until the upstream is seen to fail on any route: from then on
// it asks again. Cache-Status (RFC 9211) says "scalbench-target; hit", or
// "scalbench-target; fwd=uri-miss" for what the upstream has just answered.
// Requests that miss at the same time all ask.
//
// # Misbehaviours
//
// Exactly these bytes answer the request, " | " standing for CR LF, and but for
// status/CODE nothing of fasthttp's. FIN: the server has nothing more to send;
// it reads what the client sends for up to 1 s more, so that no RST follows.
// RST: the connection is gone for both sides.
//
//	close-before        nothing, FIN
//	close-in-head       HTTP/1.1 200 OK | Content-Le, FIN
//	close-in-body       HTTP/1.1 200 OK | Transfer-Encoding: chunked | | a | "half ": 5 bytes of a chunk of 10, FIN
//	close-after         a good answer (200, Content-Length: 2, "ok") without Connection: close, FIN
//	rst-before          nothing, RST
//	rst-in-body         200, Content-Length: 10, "half ": 5 bytes of 10, RST
//	stall-before        nothing; held until the client closes, at most 60 s, then FIN
//	stall-in-head       HTTP/1.1 200 OK | Content-Le; held like that
//	stall-in-body       200, Content-Length: 10, "half "; held like that
//	short-body          200, Content-Length: 10, "half ", FIN
//	long-body           200, Content-Length: 2, "ok and more", FIN
//	two-lengths         200, Content-Length: 2, Content-Length: 3, "ok!", FIN
//	length-and-chunked  200, Content-Length: 2, Transfer-Encoding: chunked, "ok" as a chunk and the last chunk, FIN
//	bad-chunk           200, chunked, "ok" as a chunk, then xyz where a chunk's size belongs, FIN
//	extra-bytes         two good answers at once for one request, FIN
//	slow                200, Content-Length: 2, Connection: close, "ok": correct, a byte every 1 ms, FIN
//	garbage             7 bytes, the alert that a TLS server sends to who speaks HTTP to it, FIN
//	huge-head           200, 65 fields of 1024 bytes each, Content-Length: 2, "ok", FIN
//	status/CODE         a good answer with that status, 200 to 599; the connection is kept
//	http10-close        HTTP/1.0 200 OK without a length, "ok", FIN: correct
//
// Options, in the query, of every kind:
//
//	after=N             the first N requests of each connection are answered well: 200, "ok", kept
//	share=0.1           of the others only that share misbehaves: of the first n of a kind since the server's
//	                    start exactly floor(n x share), evenly spread; to a millionth
//	every=1ms           of slow alone: the time between two bytes, up to 1 s
//
// What a server is asked to do wrong is no fault of it and is not logged.
//
// With HTTP/3 a misbehaviour has the stream of its request, never the connection:
// FIN and RST are the end and the reset (H3_INTERNAL_ERROR) of that stream, a head
// is a HEADERS frame, a body or a chunk a DATA frame, and what is held lasts until
// the client gives the stream up. As in cleartext these are bytes, not calls: a
// frame is cut off (close-in-head, close-in-body, stall-in-head), fields
// contradict the body (short-body, long-body, two-lengths), one is there that
// HTTP/3 forbids (length-and-chunked), a second answer follows (extra-bytes), or it
// is no frame (garbage). rst-in-body writes a frame of a reserved type (RFC 9114,
// 7.2.8) behind its half body, so that this has left when the reset does; at the
// client the reset may still come to the reader first. A request's number in its
// connection, for after=N, is that of its stream. close-after, bad-chunk and
// http10-close have nothing like them and are 404.
//
// # Terms
//
//   - hold: the time a request is kept before it is answered (delay or stall).
//   - rank: which of a hundred requests one is, in the order of their delays.
//   - stall: the first part of each period, in which no request is answered.
//     Periods are counted from the server's start on the monotonic clock, for
//     all connections alike: the server freezes, as it does in a long garbage
//     collection. A generator that omits it suffers from coordinated omission.
//   - upstream: the server that this one asks to answer a request.
//   - misbehaviour: an answer that is wrong, late or broken off on purpose.
//   - take over: the connection leaves fasthttp for good, or a stream quic-go, to
//     carry bytes that no HTTP server would send. It is counted and cut off like any
//     other.
//   - end: the listener is closed, held requests get 503, questions to the
//     upstream are given up with 503, idle connections are closed, and what is
//     still busy after [endGrace] is cut off. With HTTP/3 a client that has been told
//     to go away is busy until it has closed its connection.
//
// # Content of the files
//
// A file of n bytes is n/64 lines of 64 bytes: the decimal offset of the line,
// padded with zeros to 63 digits, and a newline. They are text on purpose: a
// misplaced byte shows its own offset. A shell makes the same ones:
//
//	seq -f '%063.0f' 0 64 1023       # static-small, 1 KiB
//	seq -f '%063.0f' 0 64 1048575    # static-1m, 1 MiB
//
// # Flow
//
//  1. [Run] validates the [Config], makes the files and listens, on TCP and where
//     HTTP/3 is asked for on UDP too.
//  2. It writes one line, `listening http://127.0.0.1:PORT`, or https, and serves.
//  3. decide finds the route and what is wrong with the request, for all servers;
//     hold.go and steps.go say how long it waits, delayer.go wakes it.
//  4. handle answers in cleartext, and handleSecure over TLS and QUIC; proxy.go
//     decides whom a request is passed to, misbehave.go whether it is answered wrong.
//  5. The context's end or the end of stdin (the parent died) stops the server;
//     the files are removed.
//
// process.go and group.go are the other side: [Start] runs the command that ends
// up in Run as a child, reads its line and holds its stdin; [StartGroup] does so
// for an upstream and the server that is told its URL; [Place] gives each its
// CPUs.
//
// # Reading order
//
// config.go, run.go, server.go, routes.go, field.go, decide.go, hold.go, steps.go, delayer.go,
// alarm_linux.go, burn.go; cleartext.go,
// secure.go, secure_answer.go, static.go, quic.go, quic_accept.go; proxy.go,
// upstream.go, cache.go; misbehave.go, misbehaviours.go, takeover.go,
// stream_misbehave.go, stream_answers.go; then files.go, listen.go, conns.go,
// faultlog.go; process.go, group.go and placement.go by themselves.
package target
