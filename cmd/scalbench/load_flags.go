package main

import (
	"time"

	"github.com/spf13/pflag"

	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/internal/units"
	"github.com/scalws/scalbench/loadgen"
)

// loadOptions is what the flags of `scalbench load` say, as they stand on the
// command line.
type loadOptions struct {
	scenario, suite string
	attach          []string
	plan            string

	requests        count
	connections     count
	streams         count
	duration        time.Duration
	warmUp          time.Duration
	drain           time.Duration
	waitOngoing     bool
	timeout         time.Duration
	connectTimeout  time.Duration
	window          time.Duration
	restMax         time.Duration
	noKeepAlive     bool
	requestsPerConn count
	cpus            cpuList
	serverPID       string
	sourceIPs       string
	seed            uint64
	ipv4, ipv6      bool
	httpVersion     string
	http2           bool
	http3           bool
	offer           rateOptions
	quicStats       bool
	thresholds      []string
	limits          []loadgen.Threshold // of thresholds
	findMax         string
	goal            loadgen.CapacityGoal // of findMax
	qlogDir         string
	tls             tlsOptions

	method, body, bodyFile, contentType, accept, auth, host string
	header                                                  []string
	expectStatus                                            int
	expectBytes                                             int64
	expectSHA256                                            string

	format  string
	outFile string
	quiet   bool
	verbose bool
	strict  bool
	noSave  bool

	announce bool
}

// register declares the flags with their defaults: those of DESIGN section 5.
func (o *loadOptions) register(f *pflag.FlagSet) {
	f.SortFlags = false
	o.connections, o.streams = 50, 1

	f.VarP(&o.connections, "connections", "c", "connections in all")
	f.VarP(&o.requests, "requests", "n", "measure this many requests (10k, 1m) instead of a duration")
	f.DurationVarP(&o.duration, "duration", "z", 10*time.Second, "length of the measure window")
	f.DurationVar(&o.warmUp, "warmup", 0, "load before the window that is not counted (a scenario brings its own)")
	f.DurationVar(&o.drain, "drain", time.Second, "how long requests may finish after the window")
	f.BoolVarP(&o.waitOngoing, "wait-ongoing-requests-after-deadline", "w", false, "let all requests finish: a drain as long as the timeout")
	f.DurationVarP(&o.timeout, "timeout", "t", 30*time.Second, "give a request up this long after sending; 0: never")
	f.DurationVar(&o.connectTimeout, "connect-timeout", 5*time.Second, "give a connection up after this")
	f.VarP(&o.streams, "parallel", "p", "requests at a time on each connection (HTTP/2, HTTP/3)")
	f.BoolVar(&o.noKeepAlive, "disable-keepalive", false, "a connection for each request")
	f.Var(&o.requestsPerConn, "requests-per-conn", "requests on a connection before a new one; 0: keep it")

	o.registerRequest(f)
	f.StringVar(&o.httpVersion, "http-version", "1.1", "HTTP version: 1.1, 2 or 3")
	f.BoolVar(&o.http2, "http2", false, "HTTP/2: by ALPN on https://, with prior knowledge on http://")
	f.BoolVar(&o.http3, "http3", false, "HTTP/3, over QUIC")
	f.BoolVar(&o.quicStats, "quic-stats", false, "tell round trips, packets and losses of QUIC, and count probes and retries (costs CPU time)")
	f.StringVar(&o.qlogDir, "qlog", "", "write the events of each QUIC connection into a `directory` (costs much CPU time)")
	o.registerBody(f)
	f.BoolVar(&o.ipv4, "ipv4", false, "connect to IPv4 addresses only")
	f.BoolVar(&o.ipv6, "ipv6", false, "connect to IPv6 addresses only")

	o.tls.register(f)
	o.offer.register(f)

	f.StringVar(&o.scenario, "scenario", "", "a scenario instead of a URL (see scalbench scenarios); several, with -n of each, for --attach: `a,b`")
	f.StringVar(&o.suite, "suite", "", "the `file` the scenario is in, or the name of an embedded suite (default target)")
	f.StringSliceVar(&o.attach, "attach", nil, "ask the scenario of a server that runs at a `URL` (http://HOST:PORT) instead of starting one; a second may be https; with -n all must end ok")
	f.StringVar(&o.plan, "plan", "", "a plan in JSON from a `file`, - for standard input, instead of all of the above")

	f.Var(&o.cpus, "cpus", "CPUs of the generator, one worker each (0-3,8)")
	f.StringVar(&o.sourceIPs, "source-ip", "", "local addresses to connect from, in turn (`list`: 127.0.0.1-127.0.0.20,10.0.0.7)")
	f.StringVar(&o.serverPID, "server-pid", "auto", "process whose CPU and memory are told: auto, none or a `pid`")
	f.Uint64Var(&o.seed, "seed", 0, "of everything random")
	f.DurationVar(&o.window, "window", time.Second, "length of a row of the time series")
	f.DurationVar(&o.restMax, "rest-max", 500*time.Microsecond, "longest rest of a worker beside a local server; 0: wake for every response")
	f.StringVar(&o.format, "output-format", "text", "text, json, ndjson or csv (a row per window), hgrm or quiet")
	f.StringVarP(&o.outFile, "output", "o", "", "write the JSON to a `file`, the text still to stdout")
	f.BoolVar(&o.quiet, "quiet", false, "no progress on stderr")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "print everything that was measured")
	f.StringArrayVar(&o.thresholds, "threshold", nil, "what must hold, else exit code 3: `p99<5ms`, error_rate<0.1%, rps>10000; may be repeated")
	f.StringVar(&o.findMax, "find-max-rps", "", "search for the highest rate at which thresholds hold, `p99<5ms,error_rate<0.1%`; -z is of a step")
	f.BoolVar(&o.strict, "strict", false, "a suspect result ends with exit code 5")
	f.BoolVar(&o.noSave, "no-save", false, "do not keep the result among the last 100 of this user (scalbench compare)")
	registerHarmless(f)
	o.registerAnnounce(f)
}

// registerRequest declares what is asked, and which status is an answer: load, probe and
// ab have it in common.
func (o *loadOptions) registerRequest(f *pflag.FlagSet) {
	f.StringVarP(&o.method, "method", "m", "GET", "request method")
	f.StringArrayVarP(&o.header, "header", "H", nil, "header field `\"name: value\"`; all that are given are sent")
	f.StringVarP(&o.body, "body", "d", "", "request body")
	f.StringVarP(&o.bodyFile, "body-file", "D", "", "request body from a `file`")
	f.StringVarP(&o.contentType, "content-type", "T", "", "Content-Type header")
	f.StringVarP(&o.accept, "accept", "A", "", "Accept header (default */*)")
	f.StringVarP(&o.auth, "basic-auth", "a", "", "basic authentication, `user:password`")
	f.StringVar(&o.host, "host", "", "Host header")
	f.IntVar(&o.expectStatus, "expect-status", 0, "the one status that is ok (default any 2xx)")
}

// registerBody declares what a body must be.
func (o *loadOptions) registerBody(f *pflag.FlagSet) {
	f.Int64Var(&o.expectBytes, "expect-bytes", -1, "length that a body must have")
	f.StringVar(&o.expectSHA256, "expect-sha256", "", "SHA-256 that the first body of each connection must have, in `hex`adecimal")
}

// harmlessFlags are flags of oha that ask for what is done anyway: no live view,
// no colour, no compression, latency from when a request was due.
func harmlessFlags() []string {
	return []string{"latency-correction", "no-tui", "no-color", "disable-color", "disable-compression"}
}

// registerHarmless accepts those, without listing them.
func registerHarmless(f *pflag.FlagSet) {
	for _, name := range harmlessFlags() {
		f.Bool(name, false, "done anyway")
		f.Lookup(name).Hidden = true
	}
}

// count is a flag that takes 10k and 1m.
type count int64

func (c *count) String() string { return units.Group(int64(*c)) }
func (c *count) Type() string   { return "n" }
func (c *count) Set(text string) error {
	n, err := units.Count(text)
	*c = count(n)
	return err
}

// cpuList is a flag that takes a list of CPUs; the zero value is "not said".
type cpuList struct{ set cpuset.Set }

func (l *cpuList) String() string { return l.set.String() }
func (l *cpuList) Type() string   { return "list" }
func (l *cpuList) Set(text string) (err error) {
	l.set, err = cpuset.Parse(text)
	return err
}
