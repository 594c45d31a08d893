// Package quicgo is the client of HTTP/3 that a Go programmer would write with
// quic-go's http3, as a load generator to compare others with. It is meant to be
// plain, and not tuned: what a better one saves is measured against it.
//
// # Terms
//
//   - mode: the first argument of a program that makes it this client.
//   - stream: a request at a time on a connection; each has a goroutine.
//
// # Flow
//
//  1. [Main] is the mode: [ParseLoad] reads the arguments, [Run] puts the load on
//     the server, and the [Report] is printed as JSON.
//  2. [Run] opens all connections over one UDP socket (dial.go), one QUIC
//     connection and one http3.ClientConn each, and starts a goroutine for each
//     stream.
//  3. A goroutine makes a request, reads the answer to its end and makes the next
//     one until the time is over. All of them record into one [Report].
//
// Read main.go, load.go, run.go, dial.go, report.go.
package quicgo
