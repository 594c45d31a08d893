// Peers measures load generators side by side: how many requests one CPU can
// generate, what each request costs it, and whether the tools agree about one
// server. It is the program behind "make bench".
//
//	go run ./bench/peers [flags]
//	go run ./bench/peers -install
//	go run ./bench/peers quicgo [flags] URL
//
// One server runs pinned to one CPU, one generator at a time pinned to another.
//
// # Terms
//
//   - peer: a load generator, scalbench among them.
//   - course: what is asked of a server: a path, a protocol, and whether a
//     connection carries all requests or one. Those over TLS and QUIC are called
//     so.
//   - transport: what carries HTTP: TCP in clear text, TLS, or QUIC.
//   - streams: requests at a time on a connection of HTTP/2 or HTTP/3.
//   - heat: one course on one server; every heat has its own table.
//   - round: every peer once in the heat, in an order that rotates from round
//     to round, so that drift of the host meets all of them alike. A peer that
//     lacks what the course needs is skipped, and the heat says why.
//   - probe: what a server saw of a peer over TLS or QUIC, where its bytes cannot be
//     kept: version, cipher, connections, and as much of its requests as it tells.
//     Over TLS it is nginx with a log, over QUIC the witness, a server of this
//     program.
//   - linger: what a peer does that lives on after its load and waits. That time is
//     left out.
//   - sample: what one peer did in one round.
//   - busy: CPU time per elapsed time, from before the peer starts until it has
//     ended. With the server near 100 % the server was the limit, and the peers'
//     rates say nothing about the peers; what a request costs them still does.
//     With neither near 100 % something else had the CPUs.
//   - agreement: where the server was the limit all peers must find one rate.
//     How far each is from the first peer is a table of its own.
//   - cache folder: where -install puts what is in no distribution, and where
//     programs are looked for before PATH.
//
// # Flow
//
//  1. main.go is the whole; plan.go reads the flags, choose.go finds what is
//     installed (cachedir.go). With -install, install.go decides and runs what
//     installs the rest, and nothing is measured.
//  2. quiet.go refuses a host on which something else is running.
//  3. evidence.go has everything looked at that the peers send, because a
//     longer request costs more. record.go points every peer at a socket that
//     keeps the bytes of its request, requests.go tells how they differ. For
//     courses over TLS and QUIC probe.go runs every peer against nginx, whose log
//     probelog.go reads, or witness.go. header.go lists it all among the facts above
//     the tables.
//  4. heat.go starts a server for each transport (with the certificate of
//     certificate.go), lets every peer run in every round (run.go, with watch.go
//     beside it) and stops it. Before a run that opens a connection for each request,
//     timewait.go waits for the sockets of the run before.
//  5. summary.go forms medians and ratios, agreement.go differences;
//     heattable.go and table.go print them, results.go writes all samples.
//
// A new peer is one file: a type with the methods of the peer interface
// (peer.go), and a line in allPeers; package quicgo is a peer that is written here,
// and runs as a process of its own all the same. A new server likewise
// (server.go), with a configuration here or in bench/configs; a new course is a row
// of allCourses (course.go), a new protocol a constant of protocol.go that the
// peers' arguments heed.
package main
