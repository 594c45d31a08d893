// Package integration compares what the load generator says with what others
// saw: nginx in its access log, the kernel in a trace of system calls, a reader
// of the documents who types what stands there. It holds tests alone; what is
// not installed is skipped with the line that installs it, and all of it with
// -short.
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
//
// Therefore all lines together, whatever their status, are the requests sent in
// all phases, however a run has ended.
//
// # Reading order
//
// nginx_test.go (the server and its log), program_test.go (the binary), then
// the tests: sent_test.go, cut_test.go, syscalls_test.go, commands_test.go,
// names_test.go.
package integration
