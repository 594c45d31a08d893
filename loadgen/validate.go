package loadgen

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// ErrPlan is what every fault of a plan wraps: the caller said something that
// cannot be done, as opposed to something that went wrong.
var ErrPlan = errors.New("invalid plan")

// fault is one thing wrong with a plan.
type fault struct{ text string }

func (f fault) Error() string        { return f.text }
func (f fault) Is(target error) bool { return target == ErrPlan }

func faultf(format string, args ...any) error { return fault{fmt.Sprintf(format, args...)} }

// Limits that keep a plan inside what a worker can do and a histogram hold.
const (
	maxConnections = 1 << 20
	maxStreams     = 10_000
	restMaxMax     = time.Millisecond
	maxDuration    = 365 * 24 * time.Hour
	windowMin      = time.Millisecond // a row is merged by a goroutine beside the workers
)

// Validate reports everything that is wrong with the plan, as one joined error
// whose parts are ErrPlan; nil when it can be run.
func (p Plan) Validate() error {
	var faults []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			faults = append(faults, faultf(format, args...))
		}
	}
	faults = append(faults, p.validateSlices()...)
	for _, t := range p.Targets {
		faults = append(faults, t.validate(p.Protocol)...)
	}
	check(p.Connections >= 1 && p.Connections <= maxConnections, "connections: %d, want 1 to %d", p.Connections, maxConnections)
	check(p.Protocol <= HTTP3, "protocol: %d, want h1, h2 or h3", p.Protocol)
	check(p.Streams >= 1 && p.Streams <= maxStreams, "streams: %d, want 1 to %d", p.Streams, maxStreams)
	check(p.Streams <= 1 || p.Protocol != HTTP1, "streams: %d, but HTTP/1.1 carries one request at a time on a connection", p.Streams)
	check(p.RequestsPerConn == 0 || p.Streams <= p.RequestsPerConn, "streams: %d, but a connection carries only %d requests", p.Streams, p.RequestsPerConn)
	check(p.Connections > maxConnections || p.Streams > maxStreams || p.Connections*p.Streams <= maxConnections, "%d connections of %d streams: want at most %d requests at a time", p.Connections, p.Streams, maxConnections)
	faults = append(faults, p.TLS.validate()...)
	faults = append(faults, p.validateQUIC()...)
	faults = append(faults, p.validateOpen()...)
	check(p.RequestsPerConn >= 0, "requests per connection: %d, want 0 (keep the connection) or more", p.RequestsPerConn)
	check(p.Requests >= 0, "requests: %d, want 1 or more", p.Requests)
	for _, d := range []struct {
		name     string
		value    time.Duration
		positive bool
	}{
		{"warm-up", p.WarmUp, false}, {"duration", p.Measure, p.Requests == 0}, {"drain", p.Drain, false},
		{"timeout", p.Timeout, false}, {"deadline", p.Deadline, false}, {"connect timeout", p.ConnectTimeout, true}, {"window", p.Window, true},
	} {
		check(d.value >= 0 && d.value <= maxDuration, "%s: %v, want 0 to %v", d.name, d.value, maxDuration)
		check(d.value != 0 || !d.positive, "%s: 0, want more", d.name)
	}
	check(p.RestMax >= 0 && p.RestMax <= restMaxMax, "longest rest: %v, want 0 to %v", p.RestMax, restMaxMax)
	check(p.Window == 0 || p.Window >= windowMin, "window: %v, want at least %v", p.Window, windowMin)
	check(p.Family == 0 || p.Family == 4 || p.Family == 6, "ip: %d, want 4, 6 or 0 for both", p.Family)
	check(p.ServerPID >= ServerNone, "server pid: %d, want a pid, auto or none", p.ServerPID)
	return errors.Join(faults...)
}

func (t Target) validate(p Protocol) []error {
	var faults []error
	if _, err := t.parsedURL(); err != nil {
		faults = append(faults, err)
	} else if err := t.renders(p); err != nil {
		faults = append(faults, fault{err.Error()})
	}
	if t.ExpectStatus != 0 && (t.ExpectStatus < 200 || t.ExpectStatus > 999) {
		faults = append(faults, faultf("expected status: %d, want 200 to 999, or 0 for any 2xx", t.ExpectStatus))
	}
	if t.ExpectBytes < -1 {
		faults = append(faults, faultf("expected bytes: %d, want 0 or more, or -1 for any number", t.ExpectBytes))
	}
	if t.Method == "HEAD" && t.ExpectBytes > 0 {
		faults = append(faults, faultf("expected bytes: %d, but an answer to HEAD has no body", t.ExpectBytes))
	}
	if t.ExpectSHA256 != "" {
		if hash, err := hex.DecodeString(t.ExpectSHA256); err != nil || len(hash) != sha256.Size {
			faults = append(faults, faultf("expected sha256: %q, want %d hexadecimal digits", t.ExpectSHA256, 2*sha256.Size))
		}
	}
	for _, pid := range t.ServerPIDs {
		if pid < 1 {
			faults = append(faults, faultf("server pid: %d, want a pid", pid))
		}
	}
	return faults
}

// parsedURL reads the URL, which must be absolute and of a scheme we speak.
func (t Target) parsedURL() (*url.URL, error) {
	u, err := url.Parse(t.URL)
	if err != nil {
		var inner *url.Error
		if errors.As(err, &inner) {
			err = inner.Err
		}
		if strings.Contains(t.URL, "@") { // what is wrong may be inside a password
			return nil, faultf("URL with a user in it: not valid, and a user in it is not sent")
		}
		return nil, faultf("URL %q: %v", t.URL, err)
	}
	switch {
	case u.Scheme == "" || (u.Host == "" && u.Scheme != "http" && u.Scheme != "https"):
		return nil, faultf("URL %q: want http://host[:port]/path or https://…", t.URL)
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, faultf("URL %q: scheme %q is not supported, want http:// or https://", u.Redacted(), u.Scheme)
	case u.Hostname() == "":
		return nil, faultf("URL %q: no host in it", t.URL)
	case u.User != nil:
		return nil, faultf("URL %q: a user in it is not sent, want basic authentication (-a) or a header", u.Redacted())
	}
	if _, err := portOf(u); err != nil {
		return nil, err
	}
	return u, nil
}

// portOf is the port of a URL, that of the scheme when it names none.
func portOf(u *url.URL) (uint16, error) {
	switch {
	case u.Port() == "" && u.Scheme == "https":
		return 443, nil
	case u.Port() == "":
		return 80, nil
	}
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	if err != nil || port == 0 {
		return 0, faultf("URL %q: port %s, want 1 to 65535", u.Redacted(), u.Port())
	}
	return uint16(port), nil
}
