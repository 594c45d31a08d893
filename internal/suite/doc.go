// Package suite holds what is measured, as plain data, and reads it from YAML
// with the position of every fault.
//
// # Terms
//
//   - suite: a file of scenarios and, in time, of variants, plan and gate.
//   - scenario: what is asked of the server, how often at a time, for how
//     long, and what a right answer is.
//   - target: who answers when a scenario's url is only a path. "embedded" is
//     the server of `scalbench target`.
//   - helper: a process that a scenario needs beside the server, such as the
//     upstream of a proxy; [Helper] says how it behaves.
//   - fault: what is wrong with a file, at file:line:column, and what was
//     expected there. Lines and columns count from 1, columns in characters.
//
// # The file
//
//	suite: target                # name, also of the results' directory
//	about: one plain sentence    # optional
//	target: embedded             # needed when a url is only a path
//	scenarios:
//	  - name: static-small
//	    about: A file of 1 KiB, opened and read for every request.
//	    url: /static-small       # or http://HOST:PORT/PATH, or https
//	    http: 1.1                # or 2 or 3; these of the target with the key tls only
//	    tls: {}                  # a path over TLS, with certificates made for the run
//	    connections: 64
//	    streams: 1               # requests at a time on a connection; more with http: 2 or 3 only
//	    load: {kind: closed}
//	    requests_per_conn: 0     # 0: keep-alive, 1: a connection for each request
//	    method: GET
//	    headers: {Accept: "*/*"} # or a list of such, to repeat a name
//	    body: text
//	    warmup: 1s
//	    measure: 10s
//	    expect: {status: 200, bytes: 1024}
//	    needs: [http]            # what the server must provide
//	    helpers:                 # processes beside the server, started before it
//	      - name: upstream       # the embedded target asks this one for /proxy
//	        command: [scalbench, target]
//	        cpus: upstream       # upstream or server: whose CPUs
//	    bound: server            # server or app: who limits the rate
//	    control: false           # true: expected to show no difference
//
// An https URL may say more about its certificate:
//
//	tls:
//	  verify: true           # false: whatever the server shows
//	  ca: certs/ca.pem       # trusted beside the system's CAs; from where this file is
//	  sni: www.example.com   # asked for and verified instead of the URL's host
//
// Only suite, scenarios, name and url must be there, and name and command of a
// helper; [Scenario] and [Helper] say what the others are without it. Values are
// taken from the text of the token: a header 010 stays 010. Keys that the format
// will have but that nothing reads yet are refused as such, never ignored.
// Anchors, aliases, merge keys, tags and several documents in one file are
// refused: a suite reads the same to people and to programs.
//
// # Flow
//
//  1. [Parse] turns the bytes into a syntax tree; a syntax error is the one
//     fault that hides others.
//  2. read*.go walk the tree, one function per mapping, one line per key.
//  3. tree.go and values.go read single nodes, check type and range, and
//     collect faults; they go on after each one.
//  4. What spans several keys is checked, the faults are sorted by position and
//     returned together as [Faults].
//
// The walk is ours since the library's strict mode stops at its first fault.
//
// # Reading order
//
// suite.go, parse.go, readsuite.go, readscenario.go, readheaders.go,
// readtls.go, readhelpers.go, tree.go, values.go; then fault.go, nearest.go.
package suite
