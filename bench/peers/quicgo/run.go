package quicgo

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/quic-go/quic-go/http3"
	"golang.org/x/sys/unix"
)

// Run puts the load on its server. Requests that have begun are waited for at the
// end, as long as their connections live. An error is one of opening the
// connections; what fails after that is in the report.
func Run(l Load) (Report, error) {
	p, err := dial(l)
	if err != nil {
		return Report{}, err
	}
	all := newTally()
	cpuBefore, err := cpuTime()
	if err != nil {
		return Report{}, errors.Join(err, p.close())
	}
	start := time.Now()
	var streams sync.WaitGroup
	for _, conn := range p.connections {
		for range l.Streams {
			streams.Go(func() { requestLoop(conn, l, start.Add(l.Duration), all) })
		}
	}
	streams.Wait()
	elapsed := time.Since(start)
	cpuAfter, err := cpuTime()
	return all.report(elapsed, cpuAfter-cpuBefore), errors.Join(err, p.close())
}

// requestLoop makes requests one after the other until the time is over, or the
// connection is: there is no other one for this goroutine.
func requestLoop(conn *http3.ClientConn, l Load, end time.Time, all *tally) {
	for {
		sent := time.Now()
		if sent.After(end) {
			return
		}
		status, err := request(conn, l)
		all.add(status, err, time.Since(sent))
		if err != nil && conn.Context().Err() != nil {
			return
		}
	}
}

// request makes one and reads its answer to the end.
func request(conn *http3.ClientConn, l Load) (status int, err error) {
	req, err := http.NewRequest(http.MethodGet, l.URL, nil)
	if err != nil {
		return 0, err
	}
	for name, values := range l.Header {
		req.Header[name] = values
	}
	resp, err := conn.RoundTrip(req)
	if err != nil {
		return 0, err
	}
	_, readErr := io.Copy(io.Discard, resp.Body)
	return resp.StatusCode, errors.Join(readErr, resp.Body.Close())
}

// cpuTime is what this process has used, of user and system.
func cpuTime() (time.Duration, error) {
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		return 0, fmt.Errorf("read the CPU time: %w", err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()), nil
}
