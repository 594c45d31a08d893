package target

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"strconv"
	"time"
)

// defaultUpstreamTimeout is far above any answer of an upstream on the same
// host, and below the 30 s after which a load generator gives up by itself.
const defaultUpstreamTimeout = 5 * time.Second

// Config says where the embedded server listens, where it keeps its files and
// whom it asks. The zero value is complete: a free port of 127.0.0.1 and a fresh temporary directory.
type Config struct {
	// Listen is host:port of a TCP address. "" is 127.0.0.1:0; port 0 is a
	// free port, which the listening line names.
	Listen string

	// Dir is an existing directory in which the files of the static routes
	// are made; they are removed at the end, the directory stays, and nothing
	// that is already there is overwritten. "" is a fresh temporary directory
	// that is removed with its content.
	Dir string

	// Upstream is http://HOST:PORT of the server that /proxy and /cache-hit
	// ask, commonly another embedded server. "" is none: they answer 404.
	Upstream string

	// UpstreamTimeout bounds one question to the upstream, from connecting to
	// the last byte of its answer: 1 ms to 60 s. 0 is 5 s.
	UpstreamTimeout time.Duration

	// Cert and Key are PEM files of a certificate, with its chain, and of its
	// key. With both the server speaks HTTP/2 and HTTP/1.1 over TLS and nothing
	// else; "" for both is cleartext.
	Cert, Key string

	// HTTP3 is HTTP/3 beside them, on the UDP port of the same number, which the
	// other two tell of in Alt-Svc. It needs Cert and Key: there is no QUIC in
	// cleartext.
	HTTP3 bool

	// Headers are fields, each as "Name: value", that every answer has beside its own;
	// the same name twice is two fields. What the server says itself, such as
	// Content-Length, is refused. nil is none.
	Headers []string

	// Burn is the share of its CPU time, from 0 to 0.9, that the server wastes on
	// purpose: one that is the limit then answers that share less than without. What it
	// came to is logged at the end. 0 is nothing.
	Burn float64

	// ReusePort shares the address with other servers that ask for the same
	// (SO_REUSEPORT): the kernel spreads connections over them.
	ReusePort bool

	// Log takes one line for each real fault, such as a file that cannot be
	// opened, and what was burnt. What clients do (resets, unfinished requests) is no
	// fault. nil is os.Stderr.
	Log io.Writer
}

// Validate returns all faults of c joined, nil when there is none. It looks at
// Dir, Cert and Key on disk, so that a wrong address and a wrong directory are
// told together.
func (c Config) Validate() error {
	return errors.Join(c.validateListen(), c.validateDir(), c.validateUpstream(), c.validateUpstreamTimeout(), c.validateCertificate(), c.validateHeaders(), c.validateBurn())
}

func (c Config) validateListen() error {
	if c.Listen == "" {
		return nil
	}
	_, port, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return fmt.Errorf("listen address %q: expected host:port such as 127.0.0.1:0", c.Listen)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return fmt.Errorf("listen address %q: port %q: expected a number from 0 to 65535", c.Listen, port)
	}
	return nil
}

func (c Config) validateDir() error {
	if c.Dir == "" {
		return nil
	}
	info, err := os.Stat(c.Dir)
	if err != nil {
		return fmt.Errorf("directory of the static files: %w", err)
	}
	if !info.IsDir() {
		return fmt.Errorf("directory of the static files: %q is not a directory", c.Dir)
	}
	return nil
}

func (c Config) validateUpstream() error {
	if c.Upstream == "" {
		return nil
	}
	u, err := url.Parse(c.Upstream)
	if err != nil || u.Port() == "" || *u != (url.URL{Scheme: "http", Host: u.Host}) {
		return fmt.Errorf("upstream %q: expected http://HOST:PORT", c.Upstream)
	}
	if _, err := strconv.ParseUint(u.Port(), 10, 16); err != nil {
		return fmt.Errorf("upstream %q: port %q: expected a number from 0 to 65535", c.Upstream, u.Port())
	}
	return nil
}

func (c Config) validateUpstreamTimeout() error {
	if d := c.UpstreamTimeout; d != 0 && (d < time.Millisecond || d > maxHold) {
		return fmt.Errorf("upstream timeout %s: expected a duration from 1ms to %s, or 0 for %s", d, maxHold, defaultUpstreamTimeout)
	}
	return nil
}

func (c Config) validateCertificate() error {
	switch {
	case c.Cert == "" && c.Key == "" && c.HTTP3:
		return errors.New("HTTP/3: expected a certificate and its key, it is never in cleartext")
	case c.Cert == "" && c.Key == "":
		return nil
	case c.Cert == "":
		return fmt.Errorf("key %q: expected the certificate that it belongs to as well", c.Key)
	case c.Key == "":
		return fmt.Errorf("certificate %q: expected its key as well", c.Cert)
	case c.Upstream != "":
		return fmt.Errorf("upstream %q: expected none with a certificate, what asks it is there in cleartext only", c.Upstream)
	}
	_, err := c.certificate()
	return err
}

func (c Config) validateHeaders() error {
	_, err := c.fields()
	return err
}

func (c Config) validateBurn() error {
	if !(c.Burn >= 0 && c.Burn <= burnMax) {
		return fmt.Errorf("burn %v: expected a share from 0 to %v", c.Burn, burnMax)
	}
	return nil
}

// certificate reads Cert and Key, which must be there.
func (c Config) certificate() (tls.Certificate, error) {
	pair, err := tls.LoadX509KeyPair(c.Cert, c.Key)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("certificate %q with key %q: %w", c.Cert, c.Key, err)
	}
	return pair, nil
}

// scheme is that of the URLs that the server answers.
func (c Config) scheme() string {
	if c.Cert != "" {
		return "https"
	}
	return "http"
}

// anyPort tells whether the port of Listen, which is valid, is a free one.
func (c Config) anyPort() bool {
	_, text, _ := net.SplitHostPort(c.Listen)
	port, err := strconv.ParseUint(text, 10, 16)
	return err == nil && port == 0
}

// withDefaults returns c with its zero fields filled in.
func (c Config) withDefaults() Config {
	if c.Listen == "" {
		c.Listen = "127.0.0.1:0"
	}
	if c.UpstreamTimeout == 0 {
		c.UpstreamTimeout = defaultUpstreamTimeout
	}
	if c.Log == nil {
		c.Log = os.Stderr
	}
	return c
}
