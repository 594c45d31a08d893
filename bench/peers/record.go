package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"
)

// recorder is a socket that answers every request and keeps the first one's
// bytes.
type recorder struct {
	listener net.Listener
	serving  sync.WaitGroup

	mu      sync.Mutex
	request []byte // guarded by mu; nil until there is one
}

// recorderAnswer is what every request gets.
const recorderAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

func newRecorder() (*recorder, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("record requests: %w", err)
	}
	r := &recorder{listener: l}
	r.serving.Add(1)
	go r.acceptLoop()
	return r, nil
}

func (r *recorder) acceptLoop() {
	defer r.serving.Done()
	for {
		conn, err := r.listener.Accept()
		if err != nil {
			return // closed
		}
		r.serving.Add(1)
		go r.answerLoop(conn)
	}
}

// answerLoop ends when the client closes, which all do that have ended.
func (r *recorder) answerLoop(conn net.Conn) {
	defer r.serving.Done()
	defer func() { _ = conn.Close() }()
	var pending []byte
	chunk := make([]byte, 4096)
	for {
		n, err := conn.Read(chunk)
		if err != nil {
			return
		}
		pending = append(pending, chunk[:n]...)
		for {
			end := bytes.Index(pending, []byte("\r\n\r\n"))
			if end < 0 {
				break
			}
			r.keep(pending[:end+4])
			pending = pending[end+4:]
			if _, err := conn.Write([]byte(recorderAnswer)); err != nil {
				return
			}
		}
	}
}

// keep stores the first request since the last take.
func (r *recorder) keep(request []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.request == nil {
		r.request = bytes.Clone(request)
	}
}

// take returns the stored request and forgets it.
func (r *recorder) take() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	request := r.request
	r.request = nil
	return request
}

// close waits for the connections, whose clients have ended before.
func (r *recorder) close() {
	_ = r.listener.Close()
	r.serving.Wait()
}

// recording is what one peer sent, and how it names its version.
type recording struct {
	peer    string
	request []byte
	version string
}

// recordRequests runs every peer for a second against one recorder. All see
// the same address, so that their requests can be compared byte by byte.
func recordRequests(ctx context.Context, peers []peer, l load) ([]recording, error) {
	r, err := newRecorder()
	if err != nil {
		return nil, err
	}
	defer r.close()
	l.url = "http://" + r.listener.Addr().String() + "/"
	l.connections, l.seconds = 1, 1
	var recordings []recording
	for _, p := range peers {
		rec, err := recordRequest(ctx, r, p, l)
		if err != nil {
			return nil, fmt.Errorf("record the request of %s: %w", p.name(), err)
		}
		recordings = append(recordings, rec)
	}
	return recordings, nil
}

func recordRequest(ctx context.Context, r *recorder, p peer, l load) (recording, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(l.seconds)*time.Second+runSlack)
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, p.program(), p.loadArgs(l)...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := startPinned(cmd, l.cpu); err != nil {
		return recording{}, err
	}
	if err := cmd.Wait(); err != nil {
		return recording{}, fmt.Errorf("%w\n%s", err, stderr.Bytes())
	}
	reported, err := p.parseReport(stdout.Bytes())
	if err != nil {
		return recording{}, err
	}
	request := r.take()
	if request == nil {
		return recording{}, errors.New("it sent none")
	}
	rec := recording{peer: p.name(), request: request, version: reported.version}
	if rec.version == "" {
		rec.version = peerVersion(p)
	}
	return rec, nil
}

// compareRequests says whether all peers send the same, and what they send if
// not.
func compareRequests(recordings []recording) string {
	first := recordings[0].request
	same, sameLines := true, true
	for _, rec := range recordings[1:] {
		same = same && bytes.Equal(rec.request, first)
		sameLines = sameLines && slices.Equal(sortedLines(rec.request), sortedLines(first))
	}
	switch {
	case len(recordings) == 1:
		return fmt.Sprintf("%d bytes: %q", len(first), first)
	case same:
		return fmt.Sprintf("identical, %d bytes: %q", len(first), first)
	case sameLines:
		return fmt.Sprintf("the same lines in different order, %d bytes: %q", len(first), first)
	}
	var each []string
	for _, rec := range recordings {
		each = append(each, fmt.Sprintf("%s %d bytes: %q", rec.peer, len(rec.request), rec.request))
	}
	return "DIFFERENT: " + strings.Join(each, "; ")
}

// sortedLines splits a request into its lines, in an order of no meaning.
func sortedLines(request []byte) []string {
	return slices.Sorted(slices.Values(strings.Split(string(request), "\r\n")))
}
