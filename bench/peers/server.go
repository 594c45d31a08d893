package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/quic-go/quic-go/http3"
)

// server is something to load.
type server interface {
	// name is the word on the command line and in the tables.
	name() string
	// program is what has to be installed, install how.
	program() string
	install() string
	// recipes are ways to install it; none: it has to be there.
	recipes() []recipe
	// version describes what will run.
	version() string
	// start runs it. It need not be ready on return.
	start(ctx context.Context, at site) (*instance, error)
}

// site is where a server runs, and how it is to be spoken to.
type site struct {
	scratchDir string    // holds the embedded files and the certificate
	cpu        int       // the only one it may use
	over       transport // of all its courses
}

// siteOf is the site for a plan's courses over one transport.
func siteOf(p plan, over transport) site {
	return site{scratchDir: p.load.scratchDir, cpu: p.serverCPU, over: over}
}

// secure tells whether the server needs its certificate.
func (at site) secure() bool { return at.over != clearTCP }

// certificate and key are the paths of their files.
func (at site) certificate() string { return filepath.Join(at.scratchDir, certificateFile) }
func (at site) key() string         { return filepath.Join(at.scratchDir, keyFile) }

// url is where a server on a port of this host is found.
func (at site) url(port int) string {
	return at.scheme() + "127.0.0.1:" + strconv.Itoa(port)
}

// scheme is the beginning of its URLs.
func (at site) scheme() string {
	if at.secure() {
		return "https://"
	}
	return "http://"
}

// instance is a server that runs.
type instance struct {
	cmd     *exec.Cmd
	site    site
	baseURL string // "http://127.0.0.1:PORT" or https
	// end asks it to end; nil: it is killed.
	end func() error
}

// allServers lists the servers there can be.
func allServers(scalbenchPath, cache string) []server {
	return []server{sink{}, nginx{}, target{path: scalbenchPath}, caddy{path: locateCaddy(cache)}}
}

// readyTimeout bounds the start of a server, the compiler not included.
const readyTimeout = 10 * time.Second

// waitReady asks for the path of every course, in its protocol, until all have
// been answered with 200: a server that is up and misconfigured must not be
// measured.
func (in *instance) waitReady(ctx context.Context, courses []course) error {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	var roots *x509.CertPool
	if in.site.secure() {
		var err error
		if roots, err = readRoots(in.site.certificate()); err != nil {
			return err
		}
	}
	for _, c := range courses {
		if err := in.waitForCourse(ctx, c, roots); err != nil {
			return fmt.Errorf("wait for %s: %w", in.baseURL+c.path, err)
		}
	}
	return nil
}

// waitForCourse returns the last error when ctx ends first.
func (in *instance) waitForCourse(ctx context.Context, c course, roots *x509.CertPool) error {
	client, end := clientOf(c.protocol, roots)
	defer end()
	for {
		err := ask(ctx, client, in.baseURL+c.path, c.protocol)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// clientOf speaks one protocol alone. end closes its sockets.
func clientOf(p protocol, roots *x509.CertPool) (client *http.Client, end func()) {
	trusts := &tls.Config{RootCAs: roots}
	if p == h3QUIC {
		over := &http3.Transport{TLSClientConfig: trusts}
		return &http.Client{Transport: over}, func() { _ = over.Close() }
	}
	var speaks http.Protocols
	speaks.SetHTTP1(p != h2TLS)
	speaks.SetHTTP2(p == h2TLS)
	over := &http.Transport{DisableKeepAlives: true, Protocols: &speaks, TLSClientConfig: trusts}
	return &http.Client{Transport: over}, over.CloseIdleConnections
}

// ask wants a 200 in the protocol.
func ask(ctx context.Context, client *http.Client, url string, want protocol) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	_, readErr := io.Copy(io.Discard, response.Body)
	if err := errors.Join(readErr, response.Body.Close()); err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("answered %s", response.Status)
	}
	if response.Proto != want.http() {
		return fmt.Errorf("answered in %s", response.Proto)
	}
	return nil
}

// endTimeout is how long a server may take to end when asked.
const endTimeout = 3 * time.Second

// stop ends the server and waits for it. Its exit status is of no interest:
// most are killed.
func (in *instance) stop() {
	ended := make(chan struct{})
	go func() {
		_ = in.cmd.Wait()
		close(ended)
	}()
	if in.end != nil && in.end() == nil {
		select {
		case <-ended:
			return
		case <-time.After(endTimeout):
		}
	}
	_ = in.cmd.Process.Kill()
	<-ended
}

// freePortTries are made to find a port that is free in TCP and in UDP.
const freePortTries = 10

// freePort returns a port that nobody uses now, in TCP and in UDP. Between here
// and the server's own bind another program may take it; then the server fails
// and says so.
func freePort() (port int, err error) {
	for range freePortTries {
		if port, err = tryPort(); err == nil {
			return port, nil
		}
	}
	return 0, fmt.Errorf("find a free port: %w", err)
}

func tryPort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer func() { _ = l.Close() }()
	socket, err := net.ListenPacket("udp", l.Addr().String())
	if err != nil {
		return 0, err
	}
	return l.Addr().(*net.TCPAddr).Port, socket.Close()
}
