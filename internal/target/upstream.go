package target

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"github.com/valyala/fasthttp"
)

const (
	// maxUpstreamConns bounds the connections to the upstream, idle and busy
	// together. A request that finds all of them busy waits for one.
	maxUpstreamConns = 1024

	// maxUpstreamBodyBytes is what is taken of an answer: the largest body an
	// embedded server has.
	maxUpstreamBodyBytes = largeBytes
)

// upstream is the server behind /proxy and /cache-hit. It is safe for use by
// many goroutines.
//
// Nothing is ever asked twice. A client would retry where an idle connection
// turns out to be closed, as RFC 9110, 9.2.2 allows for GET; here each failure
// becomes one answer 502 or 504, so that it stands in the ledger of whoever
// loads this server.
type upstream struct {
	client  fasthttp.HostClient
	base    string // http://HOST:PORT, for messages
	host    string
	timeout time.Duration // of one question

	conns   *conns          // all connections to it, busy ones too
	dialing context.Context // done when the end begins; every dial watches it
	cancel  context.CancelFunc
}

// newUpstream makes the upstream at base, http://HOST:PORT. It connects when
// it is asked something.
func newUpstream(base string, timeout time.Duration) *upstream {
	u := &upstream{base: base, host: strings.TrimPrefix(base, "http://"), timeout: timeout, conns: newConns()}
	u.dialing, u.cancel = context.WithCancel(context.Background())
	u.client.Addr = u.host
	u.client.Name = "scalbench-target"
	u.client.DialTimeout = u.dial
	u.client.MaxConns = maxUpstreamConns
	u.client.MaxConnWaitTimeout = timeout
	u.client.ConnPoolStrategy = fasthttp.LIFO // few connections, warm ones
	u.client.MaxIdemponentCallAttempts = 1
	u.client.MaxResponseBodySize = maxUpstreamBodyBytes
	return u
}

// fetch asks for a path with a query, either may be empty, and reads the whole
// answer into response. The error is a [*upstreamError].
func (u *upstream) fetch(method, path, query []byte, response *fasthttp.Response) error {
	request := fasthttp.AcquireRequest()
	defer fasthttp.ReleaseRequest(request)
	uri := request.URI()
	uri.SetScheme("http")
	uri.SetHost(u.host)
	uri.SetPathBytes(path)
	uri.SetQueryStringBytes(query)
	request.Header.SetMethodBytes(method)
	request.SetTimeout(u.timeout)
	if err := u.client.Do(request, response); err != nil {
		// What failed one connection has most likely ended the idle ones too:
		// without them a restart of the upstream costs one failure for each
		// connection in use, not one for each there ever was.
		u.client.CloseIdleConnections()
		return u.failure(err)
	}
	return nil
}

// upstreamError is a question that got no whole answer.
type upstreamError struct {
	status int // 502 or 504, for whoever asked
	text   string
}

func (e *upstreamError) Error() string { return e.text }

// maxReasonBytes cuts what the client library says, which may quote a head.
const maxReasonBytes = 200

// failure words err and tells a slow upstream (504) from a broken one (502;
// RFC 9110, 15.6.3 and 15.6.5).
func (u *upstream) failure(err error) *upstreamError {
	status, reason := fasthttp.StatusBadGateway, err.Error()
	var network net.Error
	switch {
	case errors.Is(err, fasthttp.ErrNoFreeConns):
		status, reason = fasthttp.StatusGatewayTimeout, fmt.Sprintf("all %d connections busy for %s", maxUpstreamConns, u.timeout)
	case errors.Is(err, fasthttp.ErrTimeout), errors.As(err, &network) && network.Timeout():
		status, reason = fasthttp.StatusGatewayTimeout, fmt.Sprintf("no whole answer within %s", u.timeout)
	case errors.Is(err, fasthttp.ErrConnectionClosed):
		reason = "closed the connection without an answer"
	case errors.Is(err, io.ErrUnexpectedEOF):
		reason = "closed the connection inside its answer"
	case errors.Is(err, fasthttp.ErrBodyTooLarge):
		reason = fmt.Sprintf("an answer of more than %d bytes", maxUpstreamBodyBytes)
	case len(reason) > maxReasonBytes:
		reason = reason[:maxReasonBytes] + "..."
	}
	return &upstreamError{status: status, text: fmt.Sprintf("upstream %s: %s", u.base, reason)}
}

// dial connects as listen.go listens: without what Go adds to a socket.
func (u *upstream) dial(address string, timeout time.Duration) (net.Conn, error) {
	dialer := net.Dialer{Timeout: timeout, KeepAlive: -1}
	dialer.SetMultipathTCP(false)
	conn, err := dialer.DialContext(u.dialing, "tcp", address)
	if err != nil {
		return nil, err
	}
	tracked := &trackedConn{Conn: conn, in: u.conns}
	u.conns.add(tracked)
	if err := u.dialing.Err(); err != nil { // end may have passed before add
		return nil, errors.Join(err, tracked.Close())
	}
	return tracked, nil
}

// trackedConn leaves its set when it is closed.
type trackedConn struct {
	net.Conn
	in *conns
}

func (c *trackedConn) Close() error {
	c.in.remove(c)
	return c.Conn.Close()
}

// end fails all questions that are out and closes all connections.
func (u *upstream) end() {
	u.cancel()
	u.conns.closeAll()
	u.client.CloseIdleConnections()
}
