package quicgo

import (
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Report is what a run came to.
type Report struct {
	Requests int64 `json:"requests"` // answered to the end, whatever the status
	// Errors are those of them without a status of 2xx, and requests that failed.
	Errors  int64   `json:"errors"`
	Seconds float64 `json:"seconds"` // from the first request to the end of the last answer
	// CPUMicrosPerRequest is user and system time of this process in those
	// seconds, by Requests; 0 without one.
	CPUMicrosPerRequest float64 `json:"cpu_us_per_request"`
	// Of the time from a request to the end of its answer; 0 without one.
	P50Micros float64 `json:"p50_us"`
	P99Micros float64 `json:"p99_us"`
	// FirstError is the text of the first request that failed, "" without one.
	FirstError string `json:"first_error,omitempty"`
}

// Latencies are kept from a nanosecond to a minute, in three digits.
const (
	latencyMax    = time.Minute
	latencyDigits = 3
)

// tally is what the goroutines of a client count into. There is one for all: they
// share a CPU, so that the lock is free when it is wanted, and a histogram for each
// of hundreds would be most of the memory.
type tally struct {
	mu        sync.Mutex // guards the following
	requests  int64
	errors    int64
	first     string
	latencies *hdrhistogram.Histogram
}

func newTally() *tally {
	return &tally{latencies: hdrhistogram.New(1, int64(latencyMax), latencyDigits)}
}

// add counts one request.
func (t *tally) add(status int, err error, took time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err != nil {
		t.errors++
		if t.first == "" {
			t.first = err.Error()
		}
		return
	}
	t.requests++
	if status < 200 || status > 299 {
		t.errors++
	}
	// A time that is out of range is counted at its end, and not left out.
	_ = t.latencies.RecordValue(int64(min(took, latencyMax)))
}

// report sums up, after the last add.
func (t *tally) report(elapsed, cpu time.Duration) Report {
	r := Report{
		Requests: t.requests, Errors: t.errors, Seconds: elapsed.Seconds(), FirstError: t.first,
		P50Micros: inMicros(time.Duration(t.latencies.ValueAtQuantile(50))),
		P99Micros: inMicros(time.Duration(t.latencies.ValueAtQuantile(99))),
	}
	if t.requests > 0 {
		r.CPUMicrosPerRequest = inMicros(cpu) / float64(t.requests)
	}
	return r
}

// inMicros is a time as a number of microseconds.
func inMicros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }
