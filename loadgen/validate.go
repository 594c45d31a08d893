package loadgen

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/scalws/scalbench/loadgen/internal/h1"
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
	check(len(p.Targets) == 1, "targets: %d given, want exactly 1", len(p.Targets))
	for _, t := range p.Targets {
		faults = append(faults, t.validate()...)
	}
	check(p.Connections >= 1 && p.Connections <= maxConnections, "connections: %d, want 1 to %d", p.Connections, maxConnections)
	check(p.RequestsPerConn >= 0, "requests per connection: %d, want 0 (keep the connection) or more", p.RequestsPerConn)
	check(p.Requests >= 0, "requests: %d, want 1 or more", p.Requests)
	for _, d := range []struct {
		name     string
		value    time.Duration
		positive bool
	}{
		{"warm-up", p.WarmUp, false}, {"duration", p.Measure, p.Requests == 0}, {"drain", p.Drain, false},
		{"timeout", p.Timeout, false}, {"connect timeout", p.ConnectTimeout, true}, {"window", p.Window, true},
	} {
		check(d.value >= 0 && d.value <= maxDuration, "%s: %v, want 0 to %v", d.name, d.value, maxDuration)
		check(d.value != 0 || !d.positive, "%s: 0, want more", d.name)
	}
	check(p.Window == 0 || p.Window >= windowMin, "window: %v, want at least %v", p.Window, windowMin)
	check(p.Family == 0 || p.Family == 4 || p.Family == 6, "ip: %d, want 4, 6 or 0 for both", p.Family)
	check(p.ServerPID >= ServerNone, "server pid: %d, want a pid, auto or none", p.ServerPID)
	return errors.Join(faults...)
}

func (t Target) validate() []error {
	var faults []error
	if _, err := t.parsedURL(); err != nil {
		faults = append(faults, err)
	} else if _, err := t.render(); err != nil {
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
		return nil, faultf("URL %q: %v", t.URL, err)
	}
	switch {
	case u.Scheme == "" || (u.Host == "" && u.Scheme != "http"):
		return nil, faultf("URL %q: want http://host[:port]/path", t.URL)
	case u.Scheme == "https":
		return nil, faultf("URL %q: https is not supported yet, want http://", u.Redacted())
	case u.Scheme != "http":
		return nil, faultf("URL %q: scheme %q is not supported, want http://", u.Redacted(), u.Scheme)
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
	if u.Port() == "" {
		return 80, nil
	}
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	if err != nil || port == 0 {
		return 0, faultf("URL %q: port %s, want 1 to 65535", u.Redacted(), u.Port())
	}
	return uint16(port), nil
}

// render makes the request's bytes: Host, User-Agent and Accept, each unless
// the caller's own header has it, then the caller's header.
func (t Target) render() (h1.Request, error) {
	u, err := t.parsedURL()
	if err != nil {
		return h1.Request{}, err
	}
	host := t.Host
	if host == "" {
		host = u.Host
	}
	spec := h1.RequestSpec{Method: t.Method, Target: u.RequestURI(), Host: host, Body: t.Body}
	for _, f := range []Field{{"User-Agent", userAgent}, {"Accept", "*/*"}} {
		if !t.has(f.Name) {
			spec.Header = append(spec.Header, h1.Field(f))
		}
	}
	for _, f := range t.Header {
		spec.Header = append(spec.Header, h1.Field(f))
	}
	return h1.Render(spec)
}

// userAgent names us without a version: two versions of the generator must
// send the same bytes, or their results cannot be compared.
const userAgent = "scalbench"

func (t Target) has(name string) bool {
	for _, f := range t.Header {
		if strings.EqualFold(f.Name, name) {
			return true
		}
	}
	return false
}
