// Package suite holds what is measured, as plain data, and reads it from YAML
// with the position of every fault.
//
// # Terms
//
//   - suite: a file of scenarios, and of what a session needs to compare variants
//     by them.
//   - scenario: what is asked of the server, how often at a time, for how
//     long, and what a right answer is.
//   - target: who answers when a scenario's url is only a path and no variant is
//     measured. "embedded" is the server of `scalbench target`.
//   - variant: one way to start a server; a comparison holds a new one against a
//     base.
//   - plan: how often, how long and in what order; a preset is a plan with a name.
//   - param: a word in the texts of a suite whose value may be given from outside.
//   - placeholder: a word whose value is known when a server is started.
//   - edit: in what the configuration of a variant is not the file it is made of.
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
//	    load: {kind: closed}     # or {kind: open, rate: 1000, arrival: constant}
//	    requests_per_conn: 0     # 0: keep-alive, 1: a connection for each request
//	    method: GET
//	    headers: {Accept: "*/*"} # or a list of such, to repeat a name
//	    body: text
//	    warmup: 1s
//	    measure: 10s
//	    expect: {status: 200, bytes: 1024, sha256: ...}  # of the first body on each connection
//	    needs: [http]            # what the server must provide
//	    helpers:                 # processes beside the server, started before it
//	      - name: upstream       # the embedded target asks this one for /proxy
//	        command: [scalbench, target]
//	        cpus: upstream       # upstream or server: whose CPUs
//	        ports: {fcgi: 0}     # as of a variant
//	        ready: {url: "tcp://127.0.0.1:{port}"}  # or http, or unix:///PATH
//	    bound: server            # server or app: who limits the rate
//	    control: false           # true: expected to show no difference
//	    mode: ""                 # label before the name in tables
//	    varies: []               # beside the suite's
//	    stand_in: /delay/2ms     # what the embedded target plays it with, in the place of servers
//	    expected: one sentence   # on the difference that is expected; nothing judges by it
//
// An open load sends at times of its own, in the window, after a warm-up at the rate
// that it begins with:
//
//	load:
//	  kind: open
//	  rate: 1000             # requests a second; "1000..20000", "1000@10s,5000@10s";
//	                         # 70%: of what the base of a session does in a closed loop
//	  arrival: constant      # or poisson
//
// The notation of a rate is that of loadgen.ParseRate, which this package is beside
// and not above: whoever knows it has it checked ([Parser]), so that its faults are
// told with the others and at their place.
//
// An https URL may say more about its certificate:
//
//	tls:
//	  verify: true           # false: whatever the server shows
//	  ca: certs/ca.pem       # trusted beside the system's CAs; from where this file is
//	  sni: www.example.com   # asked for and verified instead of the URL's host
//
// What a session needs beside scenarios:
//
//	params: {conns: 64}          # "{conns}" in a text; a value of nothing must be given
//	host: xeon                   # first part of the names of results; or hosts/xeon.yaml
//	placement: {server: 0-3, upstream: 4-7, generator: "8-15,24-31"}
//	plan: {preset: release, rounds: 3, max_rounds: 3, runs: 5, warmup: 10s, measure: 30s,
//	       order: rotate, shuffle: false, interleave: variant, restart: run, seed: 1}
//	quiet: {load1: 2, busy: 2%, timeout: 1h}
//	require: [governor=performance]
//	variants: [variants/*.yaml]  # or written here, as scenarios
//	compare: [{base: old, new: new}]
//	gate: {policy: parity, max_margin: 5%, limits: {p99: 1.15, rss: 1.15}}
//	profile: on-fail             # never, always; or {when: on-fail, groups: {sandbox: seccomp|landlock},
//	                             # hz: 997, measure: 10s, keep_data: false}; a group: {symbols, modules, leaf}
//	helpers: []                  # of every scenario
//	varies: [config]             # in what compared variants may differ, of [Things]
//
// interleave: scenario measures all variants of a scenario before the next one; with sliced
// both variants of a comparison are up and take turns, which policy noninferior alone judges:
//
//	plan: {interleave: sliced, rounds: 5, runs: 2, warmup: 500ms, measure: 6s}
//	gate: {policy: noninferior, margin: 2%}
//
// Then warmup is that of each of the two and measure the time of both together, every
// variant is in one comparison, loads are closed, and ports are free ones or different.
//
// Suites of one host may share a file, which has name, placement, quiet and require.
// What a suite says of these itself wins, each as a whole.
//
// And a variant:
//
//	name: on
//	command: [wrap.sh, /opt/server, -c, "{config}"]  # "scalbench" is this program
//	config:                      # or only the path
//	  from: server.yaml
//	  drop: [tls.old]
//	  set: {listen.port: "{port}", "hosts[0].name": a}
//	env: {CACHE: off}            # the text of the token
//	user: bench
//	workers: 4
//	nofile: 65536                # soft limit of open files; else as many as scenarios need
//	ports: {http: 8080, https: 0}  # 0: a free one
//	ready: {url: "http://127.0.0.1:{port}/ok", status: 200, body: ok, timeout: 10s}
//	expect: {exe: /opt/server, sha256: ..., uid: nonroot, seccomp: 2, no_new_privs: true,
//	         argv: [...], processes: 1, grace: 1s}
//	provides: [http, tls, h2]    # a scenario that needs more is not applicable
//	log: {files: ["{dir}/error.log"], fail: [bind, panic], ignore: [expired]}
//	about: {commit: c89b145, features: [a, b]}
//	instances: {count: 3, layout: multi, id: gw}
//	same_ok: one sentence
//	programs: [nginx]            # that the host must have, beside the command's; also of a helper or a scenario
//	install: apt install nginx   # the line that installs them; likewise
//
// A scenario's path is asked at the port http or https of each variant. Its warmup
// and measure are those of `scalbench load`; a session has the plan's. What a plan is
// without a key, and what wins, is with [Plan.With].
//
// # Configurations
//
// drop and set are edits of YAML (and JSON) by path: keys after dots, indices in
// brackets, keys with such characters in quotes. drop comes first, then set, each in
// the order of the file. Any other form is edited as text:
//
//	config:
//	  from: nginx.conf
//	  replace: {"listen 80;": "listen {port};"}
//
// Every old text must be there exactly once, and every path must be there: an edit
// that matches nothing is a fault, at its place in the suite. What no edit is about
// keeps its bytes. A value of set that is one placeholder is written without quotes,
// so that a port is a number.
//
// # Placeholders
//
// Commands, values of env, ready's url, expect's argv, log's files and edits' new texts know
// {config} {dir} {instance} {cpus} {workers} {cert} {key}, {port} for the first port
// and {port.NAME} for each, {NAME} for the URL of a helper and {NAME.address} for its
// HOST:PORT, or the path of its socket; a helper knows {dir} {cpus} {cert} {key}, its ports
// and other helpers. An unknown one is a fault, and {{word}} is
// the text {word}. Params are replaced in every text of every file, when it is read,
// but not in keys; a param has the name of no placeholder.
//
// A configuration may name the helpers of every scenario. One that does not run, since a
// server is started for scenarios without it, has an address at which nobody is.
//
// # Rules
//
// Only suite, scenarios, name and url must be there, and name and command of a
// helper or a variant; the types say what the others are without it. Values are taken
// from the text of the token: a header 010 stays 010. A path is from the directory of
// the file that it is written in; the program of a command is looked up as a shell
// would, and so is expect's exe without a slash; its arguments are texts. Unknown keys are refused, never ignored.
// Anchors, aliases, merge keys, tags and several documents in one file are
// refused: a suite reads the same to people and to programs.
//
// # Flow
//
//  1. [Parser] turns the bytes into a syntax tree; a syntax error is the one
//     fault that hides others.
//  2. read*.go walk the tree, one function per mapping, one line per key.
//  3. tree.go and values.go read single nodes, check type and range, and
//     collect faults; they go on after each one.
//  4. entriesOf opens the files of variants and scenarios, each with a reader of
//     its own; [Parser.Load] opens configurations too, and tries their edits.
//  5. What spans several keys is checked, the faults are sorted by file and position
//     and returned together as [Faults].
//  6. Who starts a variant has its placeholders replaced ([Variant.Expand]) and its
//     configuration made ([Config.Effective]).
//
// The walk is ours since the library's strict mode stops at its first fault.
//
// # Reading order
//
// Types: suite.go, variant.go, plan.go, preset.go, host.go, gate.go, profile.go. Reading: parse.go,
// readsuite.go, readscenario.go, readload.go, readheaders.go, readtls.go,
// readhelpers.go, readvariant.go, readserver.go, readconfig.go, readplan.go,
// readhost.go, hostfile.go, readgate.go, readprofile.go, check.go, sliced.go; what they are made of: files.go, source.go,
// param.go, placeholder.go, tree.go, values.go, numbers.go, fault.go, nearest.go.
// Configurations: config.go, configedit.go, configpath.go, configspan.go,
// configflow.go.
package suite
