// Package loadgen puts load on a web server and says, truly, how it answered.
//
// [Run] turns a [Plan] (plain data: what to ask, how often, from which CPUs)
// into a [Result] (plain data: the ledger, the latencies, the rate, what the
// generator itself cost, and what has to be known to believe it).
//
// # Terms
//
//   - exchange: one request and its response, with its timestamps.
//   - slot: the place of one exchange; a connection has as many as it carries
//     requests at a time (one on HTTP/1.1). A slot begins its next exchange
//     when the last one has ended: a closed loop.
//   - open loop: exchanges are intended by a schedule, whatever the server does.
//     Those that no connection has room for wait; their wait is in response time.
//   - stream: a slot of an HTTP/2 or HTTP/3 connection.
//   - intended: when an exchange was to be sent; in a closed loop the moment its
//     slot became free. Service time runs from sent, response time from intended.
//   - worker: one thread, locked and pinned to one CPU, that owns an event loop,
//     its connections, their slots and the histograms.
//   - timeline: warm-up, measure and drain as instants, the same for all workers.
//   - ledger: how many exchanges were intended inside the measure window, and
//     what became of each. It must add up.
//   - slice, pair: a stretch of some ten milliseconds of load on one of two targets, and
//     one of each directly after the other ([RunPairs]).
//   - outcome: how one exchange ended; warning: something to know about a result.
//
// # Flow
//
//  1. Run validates the plan, resolves the target and makes a worker per CPU.
//  2. Every worker opens its connections; they meet before the clock starts.
//  3. Run fixes the Timeline. In each turn a worker waits for its sockets, feeds
//     what arrived, through TLS where there is TLS, to the connection's codec,
//     records the exchanges that have ended and begins the next ones. Nothing is shared while measuring.
//  4. At the end of the window nothing new begins; what is out may finish
//     within the drain. What does not is unfinished, never lost.
//  5. Run merges the recorders (adding histograms, never averaging), checks the
//     ledger, takes what the server and this process used, and returns.
//
// # Reading order
//
// plan.go, run.go, make.go, timeline.go, worker.go, codec.go, connection.go,
// recorder.go, ledger.go, result.go, warning.go. Then request.go (what is asked),
// secure.go and tls.go (TLS), rest.go (why a worker does not always sleep); open.go
// (the open loop); quic.go, sessions.go, bell_linux.go, quicstats.go (HTTP/3); usage.go,
// hostcounters.go, fairness.go, conclude.go (what has to be known to believe a
// result); slices.go, pairs.go, duel.go, side.go (two targets in turns); threshold.go, capacity.go, merge.go (what is made of results).
package loadgen
