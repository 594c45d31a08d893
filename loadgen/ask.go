package loadgen

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"
)

// Answer is what a target says to one request.
type Answer struct {
	Status int
	Bytes  int64  // of the body
	SHA256 string // of the body, in hexadecimal
	OK     bool   // as the plan wants it
}

// answerMax is how much of a body is looked at.
const answerMax = 1 << 30

// Ask sends the request of one of a valid plan's targets once, by clients that know
// nothing of load (net/http, quic-go), and reads the answer whole. It fails when there is
// none.
func Ask(ctx context.Context, plan Plan, target int) (Answer, error) {
	t := plan.Targets[target]
	if plan.Timeout > 0 { // else it may take as long as it likes
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, plan.ConnectTimeout+plan.Timeout)
		defer cancel()
	}
	request, err := t.httpRequest(ctx)
	if err != nil {
		return Answer{}, err
	}
	client, release, err := plan.roundTripper(request.URL.Hostname())
	if err != nil {
		return Answer{}, err
	}
	defer release()
	response, err := client.RoundTrip(request)
	if err != nil {
		return Answer{}, fmt.Errorf("%w: %s: %w", ErrUnreachable, request.URL.Redacted(), err)
	}
	defer response.Body.Close()
	hash := sha256.New()
	n, err := io.Copy(hash, io.LimitReader(response.Body, answerMax))
	if err != nil {
		return Answer{}, fmt.Errorf("%s: read the answer: %w", request.URL.Redacted(), err)
	}
	a := Answer{Status: response.StatusCode, Bytes: n, SHA256: hex.EncodeToString(hash.Sum(nil))}
	a.OK = (t.ExpectStatus == a.Status || t.ExpectStatus == 0 && a.Status >= 200 && a.Status < 300) && (t.ExpectBytes < 0 || t.ExpectBytes == n) &&
		(t.ExpectSHA256 == "" || strings.EqualFold(t.ExpectSHA256, a.SHA256))
	return a, nil
}

// httpRequest is the target's request for net/http.
func (t Target) httpRequest(ctx context.Context) (*http.Request, error) {
	r, err := http.NewRequestWithContext(ctx, t.Method, t.URL, bytes.NewReader(t.Body))
	if err != nil {
		return nil, err
	}
	if len(t.Body) == 0 {
		r.Body = http.NoBody
	}
	if t.Host != "" {
		r.Host = t.Host
	}
	for _, f := range t.fields() {
		if strings.EqualFold(f.Name, "Host") { // which net/http takes from nowhere else
			r.Host = f.Value
			continue
		}
		r.Header.Add(f.Name, f.Value)
	}
	return r, nil
}

// roundTripper is a client of the plan's protocol, without redirects, compression or
// proxies.
func (p Plan) roundTripper(host string) (client http.RoundTripper, release func(), err error) {
	config, err := p.TLS.config(host, p.Protocol.alpn())
	if err != nil {
		return nil, nil, err
	}
	if p.Protocol == HTTP3 {
		t := &http3.Transport{TLSClientConfig: config, QUICConfig: &quic.Config{HandshakeIdleTimeout: p.ConnectTimeout}, DisableCompression: true}
		return t, func() { t.Close() }, nil
	}
	var versions http.Protocols
	versions.SetHTTP1(p.Protocol == HTTP1)
	versions.SetHTTP2(p.Protocol == HTTP2)
	versions.SetUnencryptedHTTP2(p.Protocol == HTTP2)
	t := &http.Transport{
		DialContext: (&net.Dialer{Timeout: p.ConnectTimeout}).DialContext, TLSHandshakeTimeout: p.ConnectTimeout,
		TLSClientConfig: config, DisableCompression: true, DisableKeepAlives: true, Protocols: &versions,
	}
	return t, t.CloseIdleConnections, nil
}
