package loadgen

import (
	"github.com/scalws/scalbench/internal/hdr"
	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/loadgen/internal/exchange"
)

// window is one row of the time series while a worker fills it: what ended in
// one stretch of the measure window. Each worker has two, one being filled and
// one on its way to the collector and back; they change hands by pointer at
// the edge of a row, so that nothing is shared while it is written.
type window struct {
	index    int
	ok       uint64
	errors   uint64
	response *hdr.Histogram // of what ended ok

	slice *sliceRate // of a slice alone
}

func newWindow() *window { return &window{response: hdr.New(hdr.Coarse)} }

// newSliceWindow is the row of one slice, as exact as a result.
func newSliceWindow() *window { return &window{response: hdr.New(hdr.Fine), slice: new(sliceRate)} }

func (w *window) record(x *exchange.Exchange) {
	switch {
	case x.Outcome == exchange.OK:
		w.ok++
		if w.slice == nil { // a slice has those that were intended in it, whenever they ended
			w.response.Record(int64(x.Done - x.Intended))
		}
	case x.Outcome.IsError():
		w.errors++
	}
}

func (w *window) reset(index int) {
	w.index, w.ok, w.errors = index, 0, 0
	if w.slice != nil {
		*w.slice = sliceRate{}
	}
	w.response.Reset()
}

func (w *window) merge(o *window) {
	w.ok += o.ok
	w.errors += o.errors
	w.response.Merge(o.response)
}

// windowFeed carries the windows of one worker to the collector and back.
type windowFeed struct {
	filled chan *window // worker to collector
	empty  chan *window // collector to worker
	length mono.Time
	edge   mono.Time // when the row being filled ends
}

func newWindowFeed(length mono.Time) *windowFeed {
	f := &windowFeed{filled: make(chan *window, rowsWaitingMax), empty: make(chan *window, rowsWaitingMax), length: length}
	f.empty <- newWindow()
	f.empty <- newWindow()
	return f
}

// newSliceFeed is that of a worker whose rows are slices: none ends by itself, and
// who has the workers take turns reads them in between.
func newSliceFeed() *windowFeed { return &windowFeed{filled: make(chan *window, 1), edge: never} }

// rowsWaitingMax is how many rows the collector may be behind before a worker
// has to wait for it: a minute, with rows of a second.
const rowsWaitingMax = 64

// begin hands out the first row, which starts at from.
func (f *windowFeed) begin(from mono.Time) *window {
	f.edge = from + f.length
	w := <-f.empty
	w.reset(0)
	return w
}

// turn exchanges a row whose edge has been reached for an empty one. When the
// worker slept over several edges, the rows between were empty and are not
// made. When the collector has not given a row back yet, the worker does not
// wait: it takes a fresh one.
func (f *windowFeed) turn(w *window, now mono.Time) *window {
	index := w.index + 1 + int((now-f.edge)/f.length)
	f.edge += f.length * mono.Time(index-w.index)
	f.filled <- w
	select {
	case w = <-f.empty: // the usual case
	default:
		w = newWindow()
	}
	w.reset(index)
	return w
}

// giveBack returns a row that has been merged. More of them than fit are there
// when the worker once had to make one; they are left to the garbage collector.
func (f *windowFeed) giveBack(w *window) {
	select {
	case f.empty <- w:
	default:
	}
}

// end hands in the last row.
func (f *windowFeed) end(w *window) {
	if w != nil {
		f.filled <- w
	}
	close(f.filled)
}
