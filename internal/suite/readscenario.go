package suite

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
)

var scenarioKeys = keyTable{
	what: "a scenario",
	known: []string{"name", "about", "url", "http", "tls", "connections", "streams", "load", "requests_per_conn", "method", "headers", "body",
		"warmup", "measure", "expect", "needs", "helpers", "bound", "control", "margin", "varies", "expected", "mode", "stand_in", "programs", "install"},
	must:  []string{"name", "url"},
	hints: map[string]string{"rate": "it stands in load: {kind: open, rate: 1000}"},
}

var expectKeys = keyTable{
	what:  "expect",
	known: []string{"status", "bytes", "sha256"},
}

// Bounds of numbers: far above what a host can do, near enough to catch a
// wrong unit or a doubled digit.
const (
	maxConnections     = 1_000_000
	maxRequestsPerConn = 1_000_000_000
	maxBodyBytes       = 1 << 40
	maxWarmup          = time.Hour
	minMeasure         = time.Millisecond
	maxMeasure         = 24 * time.Hour
)

// scenario reads one entry of scenarios.
func (r *reader) scenario(n ast.Node) placed {
	sc := placed{in: r, Scenario: Scenario{Connections: 50, Streams: 1, Method: "GET", Measure: 10 * time.Second}}
	for _, f := range r.fields(n, scenarioKeys) {
		switch f.key {
		case "name":
			sc.Name, sc.nameAt = r.name(f), f.val
		case "about":
			sc.About = r.sentence(f)
		case "url":
			sc.URL, sc.urlAt = r.url(f), f.val
			sc.OfVariants = sc.isPath() && r.job.target == TargetNone && r.job.hasVariants
		case "http":
			sc.HTTP, sc.httpAt = r.http(f), f.val
		case "tls":
			r.tls(f, &sc)
		case "connections":
			sc.Connections = int(r.integer(f, 1, maxConnections))
		case "streams":
			sc.Streams, sc.streamsAt = int(r.integer(f, 1, maxStreams)), f.val
		case "load":
			sc.Load = r.load(f)
		case "requests_per_conn":
			sc.RequestsPerConn = int(r.integer(f, 0, maxRequestsPerConn))
		case "method":
			sc.Method = r.method(f)
		case "headers":
			sc.Headers = r.headers(f)
		case "body":
			sc.Body, _ = r.text(f, "text")
		case "warmup":
			sc.Warmup = r.duration(f, 0, maxWarmup)
		case "measure":
			sc.Measure = r.duration(f, minMeasure, maxMeasure)
		case "expect":
			sc.Expect = r.expect(f)
		case "needs":
			sc.Needs = r.needs(f)
		case "helpers":
			sc.Helpers = r.helpers(f)
		case "bound":
			sc.Bound = choice(r, f, option[Bound]{word: "server", value: BoundServer}, option[Bound]{word: "app", value: BoundApp})
		case "control":
			sc.Control = r.boolean(f)
		case "margin":
			sc.Margin, sc.marginAt = new(r.share(f, 0.0001, 0.5)), f.name
		case "varies":
			sc.Varies = r.varies(f)
		case "expected":
			sc.Expected = r.sentence(f)
		case "mode":
			sc.Mode = r.mode(f)
		case "stand_in":
			sc.StandIn = r.standIn(f)
		case "programs":
			sc.Programs = r.programs(f)
		case "install":
			sc.Install = r.sentence(f)
		}
	}
	r.checkProtocol(&sc)
	return sc
}

// A request target is visible ASCII without a fragment, which is never sent
// (RFC 9112, 3.2; RFC 3986, 3.5).
var sendable = regexp.MustCompile(`^[!-"$-~]+$`)

// url reads a path or an absolute URL.
func (r *reader) url(f field) string {
	text, ok := r.text(f, "a path or a URL")
	if !ok {
		return ""
	}
	u, err := url.Parse(text)
	switch {
	case !sendable.MatchString(text):
		r.fault(f.val, "url: %q, expected visible ASCII without #, everything else percent-encoded", text)
	case err != nil:
		r.fault(f.val, "url: %q is not a URL, expected a path such as /x or http://HOST:PORT/PATH", text)
	case u.Scheme == "" && strings.HasPrefix(text, "/") && u.Host == "":
		return text
	case (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.User == nil:
		return text
	default:
		r.fault(f.val, "url: %q, expected a path such as /x or http://HOST:PORT/PATH", text)
	}
	return ""
}

// standIn reads a path on the embedded target.
func (r *reader) standIn(f field) string {
	const form = "a path on the embedded target such as /proxy/delay/2ms"
	text, ok := r.text(f, form)
	if ok && (!sendable.MatchString(text) || !strings.HasPrefix(text, "/")) {
		r.fault(f.val, "stand_in: %q, expected %s", text, form)
		return ""
	}
	return text
}

// Methods are case-sensitive tokens (RFC 9110, 9.1); all that exist are of
// capitals.
var validMethod = regexp.MustCompile(`^[A-Z][A-Z-]{0,31}$`)

func (r *reader) method(f field) string {
	text, ok := r.text(f, "a method such as GET")
	if ok && !validMethod.MatchString(text) {
		r.fault(f.val, "method: %q, expected capitals such as GET", text)
		return ""
	}
	return text
}

func (r *reader) expect(f field) Expect {
	var expect Expect
	for _, f := range r.fields(f.val, expectKeys) {
		switch f.key {
		case "status":
			// Nothing below 200 ends an exchange (RFC 9110, 15.2).
			expect.Status = int(r.integer(f, 200, 599))
		case "bytes":
			n := r.integer(f, 0, maxBodyBytes)
			expect.Bytes = &n
		case "sha256":
			expect.SHA256 = r.sha256(f)
		}
	}
	return expect
}

// mode reads a label; an empty text is none.
func (r *reader) mode(f field) string {
	if text, ok := scalarText(f.val); ok && text == "" {
		return ""
	}
	return r.name(f)
}

// needs reads a list of words.
func (r *reader) needs(f field) []string {
	var needs []string
	entries, _ := r.list(f, "a list of words such as [http]")
	for _, entry := range entries {
		need := r.name(field{key: f.key, val: entry})
		switch {
		case need == "": // told already
		case slices.Contains(needs, need):
			r.fault(entry, "%s: %q is there twice", f.key, need)
		default:
			needs = append(needs, need)
		}
	}
	return needs
}
