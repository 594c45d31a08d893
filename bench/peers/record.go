package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// recorder is a socket that answers every request and keeps the first one's
// bytes. It closes a connection whose request asks for that, as a server does.
type recorder struct {
	listener net.Listener
	serving  sync.WaitGroup

	mu      sync.Mutex
	request []byte // guarded by mu; nil until there is one
}

// What every request gets, after a pause: it is the request that is wanted, and
// not thousands of sockets in TIME_WAIT.
const (
	recorderAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
	recorderCloses = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"
	recorderPause  = 10 * time.Millisecond
)

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
			request := pending[:end+4]
			pending = pending[end+4:]
			r.keep(request)
			answer, closes := recorderAnswer, asksToClose(request)
			if closes {
				answer = recorderCloses
			}
			time.Sleep(recorderPause)
			if _, err := conn.Write([]byte(answer)); err != nil || closes {
				return
			}
		}
	}
}

// asksToClose finds "Connection: close", in whatever case.
func asksToClose(request []byte) bool {
	return bytes.Contains(bytes.ToLower(request), []byte(strings.ToLower(closeHeader)+"\r\n"))
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
	request []byte // nil of a peer that cannot send what is recorded
	version string
}

// recordedChurnRequests is enough for one to be seen.
const recordedChurnRequests = 10

// recordRequests runs every peer for a second against one recorder. All see
// the same address, so that their requests can be compared byte by byte.
func recordRequests(ctx context.Context, peers []peer, l load) ([]recording, error) {
	r, err := newRecorder()
	if err != nil {
		return nil, err
	}
	defer r.close()
	l.url = "http://" + r.listener.Addr().String() + "/"
	l.connections, l.seconds, l.churnRequests = 1, 1, recordedChurnRequests
	var recordings []recording
	for _, p := range peers {
		if p.lacks(l) != "" {
			recordings = append(recordings, recording{peer: p.name(), version: p.version()})
			continue
		}
		rec, err := recordRequest(ctx, r, p, l)
		if err != nil {
			return nil, fmt.Errorf("record the request of %s: %w", p.name(), err)
		}
		recordings = append(recordings, rec)
	}
	return recordings, nil
}

func recordRequest(ctx context.Context, r *recorder, p peer, l load) (recording, error) {
	reported, err := runBriefly(ctx, p, l)
	if err != nil {
		return recording{}, err
	}
	request := r.take()
	if request == nil {
		return recording{}, errors.New("it sent none")
	}
	rec := recording{peer: p.name(), request: request, version: reported.version}
	if rec.version == "" {
		rec.version = p.version()
	}
	return rec, nil
}

// runBriefly lets one peer put its load on something, to see what it does.
func runBriefly(ctx context.Context, p peer, l load) (report, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(l.seconds)*time.Second+runSlack)
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, p.program(), p.loadArgs(l)...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := startPinned(cmd, l.cpu); err != nil {
		return report{}, err
	}
	if err := cmd.Wait(); err != nil {
		return report{}, withStderr(err, stderr.Bytes())
	}
	return p.parseReport(l, stdout.Bytes())
}
