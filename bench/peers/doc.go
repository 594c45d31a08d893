// Peers measures load generators side by side: how many requests one CPU can
// generate, and what each request costs it. It is the program behind
// "make bench".
//
//	go run ./bench/peers [flags]
//
// One server runs pinned to one CPU, one generator at a time pinned to another.
//
// # Terms
//
//   - peer: a load generator, scalbench among them.
//   - course: one server and one path of it; every course has its own table.
//   - round: every peer once on the course, in an order that rotates from round
//     to round, so that drift of the host meets all of them alike.
//   - sample: what one peer did in one round.
//   - busy: CPU time per elapsed time, from before the peer starts until it has
//     ended. With the server near 100 % the server was the limit, and the peers'
//     rates say nothing about the peers; what a request costs them still does.
//     With neither near 100 % something else had the CPUs.
//
// # Flow
//
//  1. main.go is the whole; plan.go reads the flags and finds what is installed.
//  2. quiet.go refuses a host on which something else is running.
//  3. record.go points every peer at a socket that keeps the bytes of its
//     request, because a longer request costs more.
//  4. course.go starts a server, lets every peer run in every round (run.go) and
//     stops it.
//  5. summary.go forms medians and ratios, table.go prints them.
//
// A new peer is one file: a type with the methods of the peer interface
// (peer.go), and a line in allPeers. A new server likewise (server.go).
package main
