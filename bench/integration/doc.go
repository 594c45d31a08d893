// Package integration compares what the load generator says with what others
// saw: servers in their access logs, Go's own client in the bytes that it got,
// the kernel in a trace of system calls, a reader of the documents who types what
// stands there. It holds tests alone; what is not installed is skipped with the
// line that installs it, and all of it with -short.
//
// # What nginx logs
//
// nginx writes a line when a request has ended. Against [loadgen.Result]:
//
//   - A complete response: its status, and the whole body in bytes.
//   - A client that left while the body was being sent: still the status of
//     the head, 200, with fewer bytes, 0 if none of it had been written.
//   - A client that left before nginx had begun to answer: 499, with 0 bytes.
//     nginx notices only while it waits; from a file it answers too soon.
//   - A connection without a request: nothing.
//   - A stream of HTTP/2 above the last one of its GOAWAY: nothing.
//
// Therefore all lines together, whatever their status, are the requests sent in
// all phases, each once though it was restarted, however a run has ended.
//
// # The matrix
//
// A cell is a server, a protocol (h1, h1s, h2, h2c), a method and a length of
// body. In each the oracle asks once and its bytes are compared; the program asks
// twenty times, and its counts, the server's log and the digests of the bodies
// that arrived must agree. `make test` has Go's server and nginx; the environment
// variable SCALBENCH_SERVERS, a list such as "go,h2o" or "all", says otherwise,
// and `make test-servers` sets it.
//
// # The suites of the reports
//
// A few rows of bench/suites/reports are run with the embedded target in the place of
// every server; SCALBENCH_REPORTS, a list of suites or "all", has whole suites run.
//
// # Reading order
//
// program_test.go (the binary), then by what they need: nginx_test.go (a server
// and its log), sent_test.go, cut_test.go; servers/ (all servers), load_test.go
// (a load on one of them), matrix_test.go, trust_test.go, mismatch_test.go,
// limits_test.go; reports_test.go, sandbox_test.go, training_test.go; sessions: killed_test.go with
// wholefile_test.go, incidents_test.go with fakes_test.go, suites_test.go; by themselves
// syscalls_test.go, commands_test.go, names_test.go.
package integration
