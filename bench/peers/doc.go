// Peers measures load generators side by side: how many requests one CPU can
// generate, what each request costs it, and whether the tools agree about one
// server. It is the program behind "make bench".
//
//	go run ./bench/peers [flags]
//	go run ./bench/peers -install
//
// One server runs pinned to one CPU, one generator at a time pinned to another.
//
// # Terms
//
//   - peer: a load generator, scalbench among them.
//   - course: what is asked of a server: a path, and whether a connection
//     carries all requests or one.
//   - heat: one course on one server; every heat has its own table.
//   - round: every peer once in the heat, in an order that rotates from round
//     to round, so that drift of the host meets all of them alike.
//   - sample: what one peer did in one round.
//   - busy: CPU time per elapsed time, from before the peer starts until it has
//     ended. With the server near 100 % the server was the limit, and the peers'
//     rates say nothing about the peers; what a request costs them still does.
//     With neither near 100 % something else had the CPUs.
//   - agreement: where the server was the limit all peers must find one rate.
//     How far each is from the first peer is a table of its own.
//   - cache folder: where -install puts what is in no distribution, and where
//     peers are looked for before PATH.
//
// # Flow
//
//  1. main.go is the whole; plan.go reads the flags, choose.go finds what is
//     installed (cachedir.go). With -install, install.go decides and runs what
//     installs the rest, and nothing is measured.
//  2. quiet.go refuses a host on which something else is running.
//  3. record.go points every peer at a socket that keeps the bytes of its
//     request, because a longer request costs more; requests.go tells how they
//     differ; header.go lists them among the facts above the tables.
//  4. heat.go starts a server, lets every peer run in every round (run.go, with
//     watch.go beside it) and stops it. Before a run that opens a connection
//     for each request, timewait.go waits for the sockets of the run before.
//  5. summary.go forms medians and ratios, agreement.go differences;
//     heattable.go and table.go print them, results.go writes all samples.
//
// A new peer is one file: a type with the methods of the peer interface
// (peer.go), and a line in allPeers. A new server likewise (server.go); a new
// course is a row of allCourses (course.go).
package main
