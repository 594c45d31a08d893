package probe

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	"github.com/scalws/scalbench/internal/mono"
)

// prober makes probes. Its methods may be called by several goroutines.
type prober struct {
	config Config
	clock  mono.Clock
	dialer *dialer
	kept   kept
}

func newProber(c Config, clock mono.Clock) (*prober, error) {
	d, err := newDialer(c, clock)
	if err != nil {
		return nil, err
	}
	return &prober{config: c, clock: clock, dialer: d}, nil
}

func (p *prober) close() { p.kept.close() }

// probe is one probe, from its beginning to how it ended. The context's end makes
// it unfinished.
func (p *prober) probe(ctx context.Context, r *Probe) {
	s := &stopwatch{clock: p.clock, probe: r}
	s.begin()
	conn, err := p.connection(ctx, s)
	if err != nil {
		return
	}
	whole := p.exchange(ctx, conn, s)
	if whole && p.config.KeepAlive && conn.usable() {
		p.kept.put(conn)
		return
	}
	conn.close()
}

// connection returns the kept connection or opens one. When that fails the probe
// has ended.
func (p *prober) connection(ctx context.Context, s *stopwatch) (connection, error) {
	if conn := p.kept.take(); conn != nil {
		s.probe.Reused = true
		return conn, nil
	}
	ctx, cancel := withTimeout(ctx, p.config.ConnectTimeout, errConnectTimeout)
	defer cancel()
	conn, err := p.dialer.open(ctx, s)
	if err != nil {
		s.end()
		s.probe.Outcome, s.probe.Error = unconnected(ctx, err, p.config.ConnectTimeout)
		return nil, err
	}
	return conn, nil
}

// exchange sends the request, reads the response to its end, and tells whether
// the connection is good for another one.
func (p *prober) exchange(ctx context.Context, conn connection, s *stopwatch) (keep bool) {
	ctx, cancel := withTimeout(ctx, p.config.Timeout, errTimeout)
	defer cancel()
	sent := s.since
	var first firstByte
	s.enter(PhaseFirstByte)
	response, err := conn.RoundTrip(p.request(first.traced(ctx, conn, p.clock)))
	at := first.at()
	// Giving up closes the connection. A server that notices may still end its
	// response, as if it were whole: what comes then is no answer in time, here and
	// below.
	begun := at != 0 && (ctx.Err() == nil || p.config.Timeout == 0 || at.Sub(sent) <= p.config.Timeout)
	if begun {
		s.leaveAt(at)
		s.enter(PhaseLastByte)
		s.probe.firstByte, s.probe.Kernel = at, first.kernelAt(sent)
	}
	switch {
	case err != nil:
	case response.StatusCode == http.StatusSwitchingProtocols: // its body is the connection, and nothing ends it
		s.probe.Status, err = response.StatusCode, errSwitched
	default:
		s.probe.Status = response.StatusCode
		s.probe.BodyBytes, err = io.Copy(io.Discard, response.Body)
	}
	s.end()
	if err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		s.probe.Outcome, s.probe.Error = unanswered(ctx, err, conn.socketFault(), begun, s.since.Sub(sent))
	} else {
		s.probe.Outcome, s.probe.Error = p.config.judge(response.StatusCode)
	}
	if response != nil {
		response.Body.Close()
	}
	return err == nil && !response.Close
}

// errSwitched is an answer to something that was not asked.
var errSwitched = errors.New("the server answered 101 Switching Protocols, which nobody asked for")

// withTimeout is context.WithTimeoutCause where zero is no timeout.
func withTimeout(ctx context.Context, d time.Duration, cause error) (context.Context, context.CancelFunc) {
	if d == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, d, cause)
}

// request is made anew for each probe: http.Request belongs to the transport
// until the response is read.
func (p *prober) request(ctx context.Context) *http.Request {
	c := p.config
	r := (&http.Request{
		Method: c.method(), URL: p.dialer.url, Host: c.Host, Header: http.Header{"User-Agent": {"scalbench"}, "Accept": {"*/*"}},
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Close: c.Protocol == HTTP1 && !c.KeepAlive, // says so, as a load test with one request per connection does
	}).WithContext(ctx)
	for name, values := range c.Header {
		r.Header[http.CanonicalHeaderKey(name)] = values
	}
	if len(c.Body) > 0 {
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(c.Body)), int64(len(c.Body))
	}
	return r
}

// judge says whether a complete response is the one that was expected.
func (c Config) judge(status int) (Outcome, string) {
	switch {
	case c.ExpectStatus != 0 && status != c.ExpectStatus:
		return BadStatus, fmt.Sprintf("status %d, not %d", status, c.ExpectStatus)
	case c.ExpectStatus == 0 && status/100 != 2:
		return BadStatus, fmt.Sprintf("status %d, not 2xx", status)
	}
	return OK, ""
}

// firstByte is when the first byte of a response was seen and when the kernel had
// it. It is written by the goroutine that reads the connection, which may go on
// after the probe has given up.
type firstByte struct {
	seen, kernel atomic.Int64 // mono.Time; 0: not yet, not known
}

// traced returns a context whose request writes f. For an interim response the
// trace is called again: the first one counts, the server answered with it.
func (f *firstByte) traced(ctx context.Context, conn connection, clock mono.Clock) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotFirstResponseByte: func() {
		now := clock.Now()
		if f.seen.Load() == 0 {
			f.kernel.Store(int64(conn.lastKernel())) // before seen: who finds that finds this
			f.seen.Store(int64(now))
		}
	}})
}

func (f *firstByte) at() mono.Time { return mono.Time(f.seen.Load()) }

// kernelAt returns the kernel's stamp; zero when it is not between sending and
// seeing, where it was if no clock was set meanwhile.
func (f *firstByte) kernelAt(sent mono.Time) mono.Time {
	if k := mono.Time(f.kernel.Load()); k >= sent && k <= f.at() {
		return k
	}
	return 0
}
