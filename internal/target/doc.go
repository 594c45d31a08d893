// Package target is the embedded server: the default thing to load, so that a
// load test needs nothing installed. It runs as a process of its own
// (`scalbench target`), never inside the generator, whose CPU time it would
// otherwise share.
//
// It is one HTTP/1.1 server on fasthttp, whose job is to be cheaper than the
// generator and to do exactly what the path says.
//
// # Routes
//
//	/respond                    2 bytes, "ok", from memory; POST and PUT too, their body is read and ignored
//	/static-small               a file of 1 KiB: open, fstat, read, close for every request
//	/static-1m                  a file of 1 MiB: open, fstat, sendfile, close for every request
//	/delay/2ms                  "ok" after that time, 0 to 60 s
//	/stall?every=1s&for=200ms   "ok" at once, but held to the end of the stall in the first `for` of each `every`
//	/ok                         "ok": readiness
//
// All of them answer GET and HEAD. Another method is 405, another path 404, a
// bad parameter 400; each says in its body what would have been right.
//
// # Terms
//
//   - hold: the time a request is kept before it is answered (delay or stall).
//   - stall: the first part of each period, in which no request is answered.
//     Periods are counted from the server's start on the monotonic clock, for
//     all connections alike: the server freezes, as it does in a long garbage
//     collection. A generator that omits it suffers from coordinated omission.
//   - end: the listener is closed, held requests get 503, idle connections are
//     closed, and what is still busy after [endGrace] is cut off.
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
//  1. [Run] validates the [Config], makes the files and listens.
//  2. It writes one line, `listening http://127.0.0.1:PORT`, and serves.
//  3. handle picks the route; hold.go decides how long a request waits.
//  4. The context's end or the end of stdin (the parent died) stops the server;
//     the files are removed.
//
// process.go is the other side: [Start] runs the command that ends up in Run
// as a child, reads its line and holds its stdin.
//
// # Reading order
//
// config.go, run.go, server.go, routes.go, static.go, hold.go; then files.go,
// listen.go, conns.go, faultlog.go; process.go by itself.
package target
