package suite

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Suite is one suite file, with those that it names. [Parse] makes it; it is never
// changed after. What is below Scenarios is for sessions.
type Suite struct {
	Name      string
	About     string // one sentence; may be ""
	Params    []Param
	Target    Target
	Scenarios []Scenario // in the order of the file, at least one; names of a mode differ

	Variants  []Variant // in the order of the file; names differ
	Host      string    // first part of the names of results; "": the host's own name
	Placement Placement
	Plan      Plan // complete
	Quiet     Quiet
	Require   []Requirement
	Compare   []Comparison // of Variants
	Gate      Gate
	Profile   Profile
	Helpers   []Helper // of every scenario, started before its own
	Named     []Helper // all there are, of scenarios too, by name each once: those whose URL a placeholder may ask for
	Varies    []string // of [Things]: in what compared variants may differ; nil: in anything

	Sources []Source // the files that it was made of, its own first
}

// Target is who serves the scenarios whose URL is only a path.
type Target uint8

const (
	TargetNone     Target = iota // nobody: every scenario has a full URL
	TargetEmbedded               // the server of `scalbench target`, started for the run
)

// String returns the word of the file, "" for TargetNone.
func (t Target) String() string {
	if t == TargetEmbedded {
		return "embedded"
	}
	return ""
}

// Scenario is what is asked of the server and how.
type Scenario struct {
	Name  string // [a-z0-9._-], it names files
	About string // one sentence; may be ""

	Mode string // label before the name in tables, such as multi; "": none

	URL         string // path for the variants and the suite's target, or http[s]://HOST:PORT/PATH
	OfVariants  bool   // URL is a path that only variants have: the suite has no target
	HTTP        HTTP
	TLS         TLS
	Connections int // 1 to 1 000 000; default 50
	Streams     int // requests at a time on a connection, 1 to 1000; default 1, the only one of HTTP/1.1
	Load        Load

	// RequestsPerConn closes a connection after so many requests; 0, the
	// default, keeps it open.
	RequestsPerConn int

	Method  string   // default GET
	Headers []Header // in the order of the file, beside the generator's own
	Body    string   // sent as it is; default none

	Warmup  time.Duration // not counted; 0, the default, to 1 h
	Measure time.Duration // counted; 1 ms to 24 h, default 10 s
	Expect  Expect

	Needs   []string // what the server must provide, such as "http" or "php"
	Helpers []Helper // started before the server, in this order; names differ
	Bound   Bound
	Control bool // a row that is expected to show no difference

	// Margin is the loss that still passes in this row, a fraction; nil: that of the
	// gate. Only under the policy NonInferior.
	Margin *float64

	// StandIn is the path that the embedded target plays the scenario with, where it
	// stands in for the variants; "": that of URL.
	StandIn string

	Varies   []string // of [Things], beside the suite's
	Expected string   // one sentence on the difference that is expected; nothing judges by it

	Needed // beside what its helpers and the variants need, such as what the server starts for it
}

// UsesTarget tells whether URL is a path on the suite's target.
func (s Scenario) UsesTarget() bool { return s.isPath() && !s.OfVariants }

func (s Scenario) isPath() bool { return strings.HasPrefix(s.URL, "/") }

// NeedsHTTP3 tells whether the suite's target must be started with HTTP/3, which it
// has only where it is asked for.
func (s Scenario) NeedsHTTP3() bool { return s.UsesTarget() && s.HTTP == HTTP3 }

// HTTP is the protocol version of a scenario.
type HTTP uint8

const (
	HTTP1 HTTP = iota // HTTP/1.1, the default
	HTTP2             // HTTP/2: chosen by ALPN over TLS, else with prior knowledge (RFC 9113, 3.3)
	HTTP3             // HTTP/3: over QUIC, which is never without TLS (RFC 9114)
)

// String returns the word of the file.
func (h HTTP) String() string {
	switch h {
	case HTTP2:
		return "2"
	case HTTP3:
		return "3"
	}
	return "1.1"
}

// TLS says how the connections of a scenario are protected. The zero value is
// cleartext.
type TLS struct {
	// On is true for an https:// URL, and for a path with the key tls: the
	// suite's target then gets a certificate that is made for the run.
	On bool

	Insecure bool   // verify: false; the default verifies the server's certificate
	CA       string // path of a PEM file of CAs, beside the system's; "": none
	SNI      string // name to ask for and to verify, instead of the URL's; "": that
}

// Load is how requests are started.
type Load struct {
	Kind LoadKind

	// Rate is how many requests a second an open load offers, as loadgen.ParseRate
	// reads it: "1000", "1000..20000"; "" for a closed load, and where it is a share of
	// what the server can do.
	Rate string
	// CapacityFrac is that share, above 0 to 1: of the rate of the same scenario in a closed
	// loop, which a session measures before its first round. 0: the rate is Rate.
	CapacityFrac float64
	Arrival      Arrival // of an open load
}

// LoadKind is the rule that starts the next request.
type LoadKind uint8

const (
	// Closed starts a request when one completes: concurrency is fixed, the rate
	// follows the server. It is the default.
	Closed LoadKind = iota
	// Open starts requests at times of its own, whatever the server does: the
	// rate is fixed, and the concurrency follows, up to what the connections carry.
	Open
)

// String returns the word of the file.
func (k LoadKind) String() string {
	if k == Open {
		return "open"
	}
	return "closed"
}

// Arrival is how the requests of an open load lie in time.
type Arrival uint8

const (
	Constant Arrival = iota // equally spaced, the default
	Poisson                 // those of a Poisson process
)

// String returns the word of the file.
func (a Arrival) String() string {
	if a == Poisson {
		return "poisson"
	}
	return "constant"
}

// Header is one field of a request, as it is sent.
type Header struct {
	Name, Value string
}

// Expect is what a right response has. The zero value takes any 2xx with a
// body of any length.
type Expect struct {
	Status int    // 200 to 599; 0: any 2xx
	Bytes  *int64 // length of the body; nil: any
	SHA256 string // of the body, 64 hexadecimal digits; "": any. That of the first on each connection is looked at
}

// Helper is a process that a scenario needs beside the server, such as the
// upstream of a proxy. It runs from before the server starts until after it has
// ended.
//
// Without Ready it writes `listening URL` as its first line when it is ready, and
// ends with its standard input. The server is told that URL: the embedded target asks
// the helper called "upstream" for its /proxy and /cache-hit, and the command of a
// variant has it as {upstream}.
type Helper struct {
	Name    string   // [a-z0-9._-], not "server"
	Command []string // program and arguments, at least one; "scalbench" is this program itself
	CPUs    HelperCPUs

	// Of programs that are not ours. Only sessions know them.
	Ready Ready  // its URL is the helper's, and says when it is up; also tcp://HOST:PORT and unix:///PATH
	Ports []Port // as of a variant; without a URL the helper is at the first one, up when that accepts
	Env   []EnvVar
	User  string
	Log   LogRules
	Needed
}

// IsOurs tells whether a session is not needed for the helper: it is started, watched
// and ended by the line and the pipe that `scalbench target` has, and nothing else.
func (h Helper) IsOurs() bool {
	needsStart := func(arg string) bool {
		return slices.ContainsFunc(wordsOf(arg), func(word string) bool { return slices.Contains(helperWords, word) })
	}
	return h.Ready.URL == "" && len(h.Env) == 0 && len(h.Programs) == 0 && len(h.Ports) == 0 && h.User == "" && len(h.Log.Files)+len(h.Log.Fail)+len(h.Log.Ignore) == 0 &&
		!slices.ContainsFunc(h.Command, needsStart)
}

// HelperCPUs is where a helper runs.
type HelperCPUs uint8

const (
	// BesideServer is the part for upstreams and applications: CPUs that are
	// neither the server's nor the generator's, where the host has as many.
	// It is the default.
	BesideServer HelperCPUs = iota
	WithServer              // the server's own CPUs
)

// String returns the word of the file.
func (c HelperCPUs) String() string {
	if c == WithServer {
		return "server"
	}
	return "upstream"
}

// Bound is what limits the rate of a scenario.
type Bound uint8

const (
	BoundServer Bound = iota // the server under test, the default
	BoundApp                 // an application behind it: rps cannot see the server
)

// String returns the word of the file.
func (b Bound) String() string {
	if b == BoundApp {
		return "app"
	}
	return "server"
}

// Scenario returns the scenario called name. The error names the nearest one,
// or all.
func (s *Suite) Scenario(name string) (Scenario, error) {
	names := make([]string, 0, len(s.Scenarios))
	for _, sc := range s.Scenarios {
		if sc.Name == name {
			return sc, nil
		}
		names = append(names, sc.Name)
	}
	if near := Nearest(name, names); near != "" {
		return Scenario{}, fmt.Errorf("no scenario %q in suite %q; did you mean %q?", name, s.Name, near)
	}
	return Scenario{}, fmt.Errorf("no scenario %q in suite %q; it has %s", name, s.Name, strings.Join(names, ", "))
}
