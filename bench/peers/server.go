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
)

// server is something to load.
type server interface {
	// name is the word on the command line and in the tables.
	name() string
	// program is what has to be installed, install how.
	program() string
	install() string
	// version describes what will run.
	version() string
	// start runs it. It need not be ready on return.
	start(ctx context.Context, at site) (*instance, error)
}

// site is where a server runs, and how it is to be spoken to.
type site struct {
	scratchDir string // holds the embedded files and the certificate
	cpu        int    // the only one it may use
	secure     bool   // over TLS
}

// siteOf is the site for a plan's courses, those over TLS or the others.
func siteOf(p plan, secure bool) site {
	return site{scratchDir: p.load.scratchDir, cpu: p.serverCPU, secure: secure}
}

// certificate and key are the paths of their files.
func (at site) certificate() string { return filepath.Join(at.scratchDir, certificateFile) }
func (at site) key() string         { return filepath.Join(at.scratchDir, keyFile) }

// url is where a server on a port of this host is found.
func (at site) url(port int) string {
	return at.scheme() + "127.0.0.1:" + strconv.Itoa(port)
}

// scheme is the beginning of its URLs.
func (at site) scheme() string {
	if at.secure {
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
func allServers(scalbenchPath string) []server {
	return []server{sink{}, nginx{}, target{path: scalbenchPath}}
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
	if in.site.secure {
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
	var speaks http.Protocols
	speaks.SetHTTP1(c.protocol != h2TLS)
	speaks.SetHTTP2(c.protocol == h2TLS)
	transport := &http.Transport{DisableKeepAlives: true, Protocols: &speaks, TLSClientConfig: &tls.Config{RootCAs: roots}}
	defer transport.CloseIdleConnections()
	for {
		err := ask(ctx, &http.Client{Transport: transport}, in.baseURL+c.path, c.protocol)
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

// freePort returns a TCP port that nobody listens on now. Between here and the
// server's own bind another program may take it; then the server fails and
// says so.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port, nil
}
