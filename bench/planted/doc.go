// Planted measures how well losses are found that are known: the experiments of
// docs/METHOD.md, section 18. It is the program behind "make experiments".
//
//	go run ./bench/planted [flags]
//
// Both servers are the embedded one, each try with a process of its own; B burns a share of
// its CPU time, which is the truth that answers are held against. A and B are one process
// that is asked for different shares (the query burn=0.02): two processes of one program are
// not equal, and by how much nobody knows beforehand. The experiment fresh is about that.
//
// # Terms
//
//   - try: one run of `scalbench ab`, or of a session and its gate.
//   - loss: the share that B burns; 0 is two equal servers.
//   - called: the verdict of a try is slower or faster.
//   - covered: the interval of a try holds the truth.
//
// # Experiments
//
//   - aa: equal servers. What is called is a false call.
//   - losses: 0.5, 1, 2 and 5 %: found or not, when, and the estimate against the truth.
//   - fresh: equal servers, but two processes. What is called is mostly true.
//   - connections: equal servers, with connections that are renewed or that stay.
//   - slices: equal servers in slices of 20 to 1000 ms: how wide the interval is after the
//     same time.
//   - settle: a loss of 2 %, by how much of a slice is not counted.
//   - method: the same losses in sessions and by the gate of the published reports, in a minute each.
//
// # Flow
//
// main.go reads the flags and runs what was asked for, plan.go says what each experiment
// consists of, try.go runs a try of ab, on a server of server.go, and session.go one of a session; tables.go makes a
// table of their answers. Every try is a line of the file of -raw; none is left out.
package main
