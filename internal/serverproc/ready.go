package serverproc

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"
)

// Ready says when a server may be loaded.
type Ready struct {
	// URL is http or https, asked with GET; or tcp://HOST:PORT or unix:///PATH for
	// what speaks something else (FastCGI), which is ready when it accepts.
	URL    string
	Status int    // expected; 0 is any 2xx. Redirects are not followed
	Body   []byte // expected, byte for byte; empty is any

	Timeout time.Duration // of the whole wait; 0 is 10 s

	// CA are PEM certificates that the server's must be signed by. Without them it
	// is not verified: whose answer it was is proven by who listens, not by a name.
	CA []byte
}

// Defaults and bounds of the wait.
const (
	readyMax   = 10 * time.Second
	attemptMax = 2 * time.Second       // one that hangs is given up for another
	pauseLeast = 2 * time.Millisecond  // between attempts, doubled each time
	pauseMost  = 64 * time.Millisecond // so a server that is slow is not loaded by asking
)

// Validate reports everything that is wrong with the check.
func (r Ready) Validate() error {
	var faults []error
	if u, err := url.Parse(r.URL); err != nil {
		faults = append(faults, fmt.Errorf("ready: url: %w", err))
	} else if web := u.Scheme == "http" || u.Scheme == "https"; !(web && u.Host != "" || u.Scheme == "tcp" && u.Port() != "" || u.Scheme == "unix" && u.Path != "") {
		faults = append(faults, fmt.Errorf("ready: url: %q, expected http[s]://HOST/PATH, tcp://HOST:PORT or unix:///PATH", r.URL))
	} else if !web && (r.Status != 0 || len(r.Body) > 0 || len(r.CA) > 0) {
		faults = append(faults, fmt.Errorf("ready: url: %q has no status, no body and no certificate", r.URL))
	}
	if r.Status != 0 && (r.Status < 200 || r.Status > 599) {
		faults = append(faults, fmt.Errorf("ready: status: %d, expected 200 to 599", r.Status))
	}
	if r.Timeout < 0 {
		faults = append(faults, fmt.Errorf("ready: timeout: %s, expected 0 or more", r.Timeout))
	}
	if len(r.CA) > 0 && !x509.NewCertPool().AppendCertsFromPEM(r.CA) {
		faults = append(faults, errors.New("ready: ca: no certificate in PEM"))
	}
	return errors.Join(faults...)
}

// AwaitReady polls until the check holds. It fails at once when the server has ended,
// and else after the timeout with what the last attempt saw; both with the end of the
// server's log.
//
// That it holds does not say who has answered: [FreePorts] before and [Check] after.
func (s *Server) AwaitReady(ctx context.Context, r Ready) error {
	if err := r.Validate(); err != nil {
		return fmt.Errorf("server %q: %w", s.spec.Name, err)
	}
	timeout := r.Timeout
	if timeout == 0 {
		timeout = readyMax
	}
	client := r.client()
	defer client.CloseIdleConnections()
	within, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	err := s.poll(within, func(ctx context.Context) error { return r.attempt(ctx, client) })
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("wait for server %q to be ready: %w", s.spec.Name, context.Cause(ctx))
	case within.Err() != nil:
		err = fmt.Errorf("not within %s: %w", timeout, err)
	}
	return s.withLogTail(fmt.Errorf("wait for server %q to be ready: %w", s.spec.Name, err))
}

var (
	// errEnded says that a server has ended while something was expected of it.
	errEnded = errors.New("it has ended")
	// errFinal says that another attempt would give the same.
	errFinal = errors.New("and will not say anything else")
)

// poll makes attempts until one succeeds, the server ends or ctx does; then it returns
// why the last attempt failed.
func (s *Server) poll(ctx context.Context, attempt func(context.Context) error) error {
	for pause := pauseLeast; ; pause = min(2*pause, pauseMost) {
		err := attempt(ctx)
		select {
		case <-s.exited: // whoever has answered, it was not this server
			return fmt.Errorf("%w (%s)", errEnded, s.exit)
		default:
		}
		if err == nil || errors.Is(err, errFinal) {
			return err
		}
		select {
		case <-s.exited:
			return fmt.Errorf("%w (%s)", errEnded, s.exit)
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
}

// client is one that asks exactly what it is told, without a proxy, and on a new
// connection each time: an idle one would be the server's 65th.
func (r Ready) client() *http.Client {
	config := &tls.Config{InsecureSkipVerify: true}
	if len(r.CA) > 0 {
		pool := x509.NewCertPool()
		pool.AppendCertsFromPEM(r.CA) // it can: Validate
		config = &tls.Config{RootCAs: pool}
	}
	return &http.Client{
		Transport:     &http.Transport{TLSClientConfig: config, DisableKeepAlives: true, DisableCompression: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// attempt looks once; nil says that the check holds.
func (r Ready) attempt(ctx context.Context, client *http.Client) error {
	ctx, cancel := context.WithTimeout(ctx, attemptMax)
	defer cancel()
	u, err := url.Parse(r.URL)
	if err != nil {
		return err
	}
	switch u.Scheme {
	case "tcp":
		return accepts(ctx, "tcp", u.Host)
	case "unix":
		return accepts(ctx, "unix", u.Path)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, r.URL, nil)
	if err != nil {
		return err
	}
	request.Header.Set("User-Agent", "scalbench")
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	return r.judge(response)
}

func accepts(ctx context.Context, network, address string) error {
	conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
	if err != nil {
		return err
	}
	return conn.Close()
}

// judge holds a response against what was expected.
func (r Ready) judge(response *http.Response) error {
	switch got := response.StatusCode; {
	case r.Status == 0 && (got < 200 || got > 299):
		return fmt.Errorf("%s answers %d, expected 2xx", r.URL, got)
	case r.Status != 0 && got != r.Status:
		return fmt.Errorf("%s answers %d, expected %d", r.URL, got, r.Status)
	case len(r.Body) == 0:
		return nil
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, int64(len(r.Body))+1))
	if err != nil {
		return fmt.Errorf("%s: read body: %w", r.URL, err)
	}
	if !bytes.Equal(body, r.Body) {
		return fmt.Errorf("%s answers %s, expected %s", r.URL, shown(body), shown(r.Body))
	}
	return nil
}

// shown quotes at most the beginning of a body.
func shown(body []byte) string {
	const most = 60
	if len(body) > most {
		return fmt.Sprintf("%q... (%d bytes or more)", body[:most], len(body))
	}
	return fmt.Sprintf("%q", body)
}
