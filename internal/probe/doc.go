// Package probe asks a server one request at a time, a few times a second, and
// tells where the time of each went.
//
// # Terms
//
//   - probe: one exchange with the connecting that it needed.
//   - intended time: when the schedule wants the probe, start + seq / rate. It
//     never moves; a late probe is late, and the next one is not later for it.
//   - phase: a stretch of a probe, named after what it waits for: dns, tcp, tls or
//     quic, first_byte, last_byte. Phases follow each other without gaps, so that
//     they add up to the total. One that did not happen is absent, not zero:
//     an address in the URL has no dns, a kept connection no tcp, HTTP/3 no tls.
//   - total: from the probe's beginning to its last byte. Unlike the service time
//     of a load test it holds the connecting, which is what a new visitor waits.
//   - response time: from the intended time to the last byte.
//   - own time: from the moment when the kernel had the first byte to the moment
//     when this process saw it. It is inside first_byte and no fault of the server.
//   - kept connection: the one that waits for the next probe, with KeepAlive. A
//     connection never carries two probes at once, on any protocol: what a probe
//     measures is then its own, and the kernel's stamp too.
//   - out: begun and not ended. Probes overlap, so that a server that stalls is
//     seen by all of them, up to outMax.
//   - missed: due while outMax were out already; never sent.
//   - lost: without a complete answer: every error but bad_status, and missed.
//   - unfinished: still out when the run was ended; neither answered nor lost.
//
// # Flow
//
//  1. [Config.Validate] finds what is wrong with what was asked.
//  2. [Run] begins the probes when they are due, each in a goroutine, and
//     gathers how they ended. It alone calls the [Observer].
//  3. prober.probe is one probe: the kept connection or a new one, the request,
//     the body, with a stamp at the end of each phase.
//  4. dialer.open looks the name up, connects and shakes hands; the kernel's
//     stamps come from stampedConn, whose reads are recvmsg(2).
//  5. The tally counts each outcome once and records each duration once; from it
//     come a [Row] each second and the [Summary] at the end.
//
// net/http (HTTP/1.1, HTTP/2) and quic-go (HTTP/3) carry the requests: at ten a
// second their cost does not matter, and the kernel's stamps show what is left of
// it. Connections are opened here and handed to them, because httptrace cannot
// tell a dial that a request waited for from one that it did not.
//
// # Reading order
//
// config.go, schedule.go, run.go (the story), probe.go, stopwatch.go, record.go
// (what one probe was), outcome.go, fault.go; dial.go, dial_quic.go,
// connection.go; stampedconn.go, stamp_linux.go, clockpair.go; tally.go, row.go,
// summary.go; text.go.
package probe
