package probe

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"
)

// Protocol is the HTTP version that is spoken. The zero value is HTTP/1.1.
type Protocol uint8

// The protocols. HTTP/2 is agreed by ALPN on https:// and prior knowledge on
// http:// (RFC 9113 section 3); HTTP/3 needs https://.
const (
	HTTP1 Protocol = iota
	HTTP2
	HTTP3
)

// String returns the name in results: h1, h2 or h3.
func (p Protocol) String() string { return [...]string{"h1", "h2", "h3"}[p] }

// RateMax is the highest rate, in probes a second. Above it one wants a load
// test: a probe is a goroutine and often a connection.
const RateMax = 1000

// Config says what is probed and how. URL and Rate have no default.
type Config struct {
	URL      string      // http:// or https://, with a host
	Protocol Protocol    //
	Method   string      // "": GET
	Host     string      // Host field or :authority; "": the URL's
	Header   http.Header // beside User-Agent and Accept; replaces those
	Body     []byte      //

	ExpectStatus int // the one status that is ok; 0: any 2xx

	Rate      float64       // probes a second, above 0, at most RateMax
	Count     int64         // how many; 0: no limit
	Duration  time.Duration // how long probes are begun; 0: until the context's end
	KeepAlive bool          // keep a connection between probes; false: a new one for each

	Timeout        time.Duration // from the request to its last byte; 0: never
	ConnectTimeout time.Duration // for dns, tcp and tls or quic together; 0: never
	Family         int           // 4 or 6: addresses of that IP version only; 0: both

	TLS TLS
}

// TLS says how https:// is spoken. The zero value verifies the server's
// certificate for the URL's host against the system's authorities.
type TLS struct {
	Insecure  bool   // take any certificate
	CAs       []byte // PEM: authorities beside the system's
	Cert, Key []byte // PEM: the client's certificate and its key
	SNI       string // name sent, and wanted in the certificate; "": the URL's host
}

// Validate returns all faults of c joined, nil when there is none.
func (c Config) Validate() error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if _, err := c.target(); err != nil {
		faults = append(faults, err)
	}
	if !(c.Rate > 0) || c.Rate > RateMax { // NaN too
		fault("rate: %v, want more than 0 and at most %d a second", c.Rate, RateMax)
	}
	if c.Count < 0 {
		fault("requests: %d, want 0 or more", c.Count)
	}
	for _, d := range []struct {
		name string
		d    time.Duration
	}{{"duration", c.Duration}, {"timeout", c.Timeout}, {"connect timeout", c.ConnectTimeout}} {
		if d.d < 0 {
			fault("%s: %s, want 0 or more", d.name, d.d)
		}
	}
	if c.Family != 0 && c.Family != 4 && c.Family != 6 {
		fault("address family: %d, want 4, 6 or 0 for both", c.Family)
	}
	if c.ExpectStatus != 0 && (c.ExpectStatus < 200 || c.ExpectStatus > 999) {
		fault("expected status: %d, want 200 to 999", c.ExpectStatus)
	}
	if c.Method != "" && !httpguts.ValidHeaderFieldName(c.Method) { // both are tokens: RFC 9110 sections 5.1 and 9.1
		fault("method %q: want a word without spaces, such as GET", c.Method)
	}
	for name, values := range c.Header {
		if !httpguts.ValidHeaderFieldName(name) {
			fault("header %q: want a name without spaces and colons", name)
		}
		for _, v := range values {
			if !httpguts.ValidHeaderFieldValue(v) {
				fault("header %q: its value has a control character", name) // not echoed: it may be a secret
			}
		}
	}
	if _, err := c.tlsConfig(""); err != nil {
		faults = append(faults, err)
	}
	return errors.Join(faults...)
}

// target is the URL, taken apart.
func (c Config) target() (*url.URL, error) {
	u, err := url.Parse(c.URL)
	if err != nil {
		var inner *url.Error
		if errors.As(err, &inner) {
			err = inner.Err
		}
		if strings.Contains(c.URL, "@") { // what is wrong may be inside a password
			return nil, errors.New("URL with a user in it: not valid, and a user in it is not sent")
		}
		return nil, fmt.Errorf("URL %q: %w", c.URL, err)
	}
	switch {
	case u.Scheme == "" || u.Opaque != "":
		return nil, fmt.Errorf("URL %q: want http://host[:port]/path or https://…", c.URL)
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("URL %q: scheme %q is not supported, want http:// or https://", c.URL, u.Scheme)
	case u.Hostname() == "":
		return nil, fmt.Errorf("URL %q: no host in it", c.URL)
	case u.User != nil:
		return nil, fmt.Errorf("URL %q: a user in it is not sent, want basic authentication (-a) or a header", u.Redacted())
	case c.Protocol == HTTP3 && u.Scheme != "https":
		return nil, fmt.Errorf("URL %q: HTTP/3 is only spoken on https://", c.URL)
	}
	if u.Port() != "" {
		if n, err := strconv.ParseUint(u.Port(), 10, 16); err != nil || n == 0 {
			return nil, fmt.Errorf("URL %q: port %q, want 1 to 65535", c.URL, u.Port())
		}
	}
	return u, nil
}

// portOf is the port that a URL of target means.
func portOf(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}

// tlsConfig is what crypto/tls needs for a host. There is no session cache: each
// handshake is a full one.
func (c Config) tlsConfig(host string) (*tls.Config, error) {
	made := &tls.Config{ServerName: host, InsecureSkipVerify: c.TLS.Insecure, NextProtos: c.Protocol.offered()}
	if c.TLS.SNI != "" {
		made.ServerName = c.TLS.SNI
	}
	if len(c.TLS.CAs) > 0 {
		var err error
		if made.RootCAs, err = x509.SystemCertPool(); err != nil { // a host without any
			made.RootCAs = x509.NewCertPool()
		}
		if !made.RootCAs.AppendCertsFromPEM(c.TLS.CAs) {
			return nil, errors.New("certificate authorities: no certificate in PEM")
		}
	}
	if len(c.TLS.Cert) > 0 || len(c.TLS.Key) > 0 {
		pair, err := tls.X509KeyPair(c.TLS.Cert, c.TLS.Key)
		if err != nil {
			return nil, fmt.Errorf("client certificate: %s", strings.TrimPrefix(err.Error(), "tls: "))
		}
		made.Certificates = []tls.Certificate{pair}
	}
	return made, nil
}

// offered are the protocols of ALPN (RFC 7301). HTTP/1.1 is offered beside
// HTTP/2 so that a server without it can say what it has.
func (p Protocol) offered() []string {
	switch p {
	case HTTP2:
		return []string{"h2", "http/1.1"}
	case HTTP3:
		return []string{"h3"}
	}
	return []string{"http/1.1"}
}
