package loadgen

import (
	"time"

	"github.com/scalws/scalbench/internal/hdr"
)

// Window is one row of the time series: what ended in one stretch of the
// measure window. Latencies are response times of what ended ok; they are nil
// where there are too few samples for them.
type Window struct {
	StartS float64  `json:"t_s"` // since the window's beginning
	OK     uint64   `json:"ok"`
	Errors uint64   `json:"errors"`
	P50US  *float64 `json:"p50_us,omitempty"`
	P99US  *float64 `json:"p99_us,omitempty"`
	MaxUS  *float64 `json:"max_us,omitempty"`
}

// series gathers the rows of all workers while they run.
type series struct {
	length time.Duration
	rows   []Window
	done   chan struct{}
	told   chan Window   // to the observer; nil: there is none
	heard  chan struct{} // closed when the observer has been told all
}

// collect merges the rows with the same index of all workers and hands each on
// once every worker has finished it.
func collect(feeds []*windowFeed, length time.Duration, row func(Window)) *series {
	s := &series{length: length, done: make(chan struct{}), heard: make(chan struct{})}
	if row != nil {
		s.told = make(chan Window, rowsToldMax)
		go s.tellLoop(row)
	}
	go s.collectLoop(feeds)
	return s
}

// rowsToldMax is how many rows an observer may be behind. It may write to a
// terminal that has been stopped: then it misses rows, and nobody waits for it.
const rowsToldMax = 64

// tell hands a row to the observer.
func (s *series) tell(row Window) {
	select {
	case s.told <- row: // nil blocks for ever, so that default is taken
	default:
	}
}

func (s *series) tellLoop(row func(Window)) {
	defer close(s.heard)
	for r := range s.told {
		row(r)
	}
}

func (s *series) collectLoop(feeds []*windowFeed) {
	defer close(s.done)
	merged := newWindow()
	heads := make([]*window, len(feeds)) // the next row of each worker; nil: there is none any more
	for i, f := range feeds {
		heads[i] = <-f.filled
	}
	for index := 0; ; index++ {
		merged.reset(index)
		running := false
		for i, f := range feeds {
			if w := heads[i]; w != nil && w.index == index {
				merged.merge(w)
				f.giveBack(w)
				heads[i] = <-f.filled
			}
			running = running || heads[i] != nil
		}
		if !running && merged.ok+merged.errors == 0 {
			return
		}
		r := merged.public(s.length)
		s.rows = append(s.rows, r)
		s.tell(r)
		if !running {
			return
		}
	}
}

// wait returns the rows when all are complete. An observer that does not come
// back is left behind after a moment.
func (s *series) wait() []Window {
	<-s.done
	if s.told != nil {
		close(s.told)
		select {
		case <-s.heard:
		case <-time.After(observerPatience):
		}
	}
	return s.rows
}

const observerPatience = 200 * time.Millisecond

func (w *window) public(length time.Duration) Window {
	row := Window{StartS: (time.Duration(w.index) * length).Seconds(), OK: w.ok, Errors: w.errors}
	row.P50US, row.P99US = quantileUS(w.response, 0.50), quantileUS(w.response, 0.99)
	if w.response.Count() > 0 {
		row.MaxUS = ptr(float64(w.response.MaxNS()) / 1e3)
	}
	return row
}

// quantileUS returns a quantile in microseconds, nil when it is not supported.
func quantileUS(h *hdr.Histogram, q float64) *float64 {
	ns, ok := h.QuantileNS(q)
	if !ok {
		return nil
	}
	return ptr(float64(ns) / 1e3)
}

func ptr[T any](v T) *T { return &v }
