package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
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
	// start runs it on one CPU. It need not be ready on return.
	start(ctx context.Context, scratchDir string, cpu int) (*instance, error)
}

// instance is a server that runs.
type instance struct {
	cmd     *exec.Cmd
	baseURL string // "http://127.0.0.1:PORT"
	// end asks it to end; nil: it is killed.
	end func() error
}

// allServers lists the servers there can be.
func allServers(scalbenchPath string) []server {
	return []server{sink{}, nginx{}, target{path: scalbenchPath}}
}

// readyTimeout bounds the start of a server, the compiler not included.
const readyTimeout = 10 * time.Second

// waitReady asks for the path of every course until all have been answered with
// 200: a server that is up and misconfigured must not be measured.
func (in *instance) waitReady(ctx context.Context, courses []course) error {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for _, c := range courses {
		for {
			err := ask(ctx, &client, in.baseURL+c.path)
			if err == nil {
				break
			}
			select {
			case <-ctx.Done():
				return fmt.Errorf("wait for %s: %w", in.baseURL+c.path, err)
			case <-time.After(20 * time.Millisecond):
			}
		}
	}
	return nil
}

// ask wants a 200.
func ask(ctx context.Context, client *http.Client, url string) error {
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

// localURL is where a server on a port of this host is found.
func localURL(port int) string { return "http://127.0.0.1:" + strconv.Itoa(port) }
