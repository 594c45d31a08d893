package loadgen

import (
	"github.com/scalws/scalbench/internal/hdr"
	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/loadgen/internal/exchange"
)

// recorder counts what one worker saw. It belongs to that worker until it has
// returned; then recorders are merged. Recording an exchange allocates nothing.
//
// Two rules decide what is counted where. The ledger and the latencies are
// about the exchanges intended inside the window, whenever they ended. The
// rate and the bytes are about what completed inside it.
type recorder struct {
	timeline Timeline

	ledger ledger
	status [1000]uint64 // by status code, of the ledger's exchanges that got one

	completedInWindow uint64    // ok and done inside the window: what the rate counts
	bodyBytesIn       uint64    // of those
	firstSent         mono.Time // of the first that ended, in all phases
	lastEnd           mono.Time // of the ledger's exchanges
	sentInAllPhases   uint64    // requests of which at least a byte left
	reusedRequests    uint64    // of those, on a connection that had carried one before
	waited            uint64    // of the ledger's: nothing had room for them when they were due
	restarted         uint64    // sent, and not looked at by the server: started again elsewhere

	connectionsOpened uint64
	resumed           uint64 // of those, with a TLS session of before

	service   *hdr.Histogram // ok only
	response  *hdr.Histogram // ok, timeout, unfinished, never_sent
	sendDelay *hdr.Histogram // everything sent
	lateness  *hdr.Histogram // everything sent
	firstByte *hdr.Histogram // ok only, from sent
	failed    *hdr.Histogram // response time of the errors that are not in response
	connect   *hdr.Histogram // TCP handshakes of all phases
	tls       *hdr.Histogram // TLS handshakes of all phases
	quic      *hdr.Histogram // QUIC handshakes of all phases

	firstErrors [exchange.NumOutcomes]exchange.Exchange // the first of each kind; Pending: none

	feed   *windowFeed
	window *window // the row being filled; nil before the window
}

func newRecorder(feed *windowFeed) *recorder {
	r := &recorder{feed: feed}
	for _, h := range r.histograms() {
		*h = hdr.New(hdr.Fine)
	}
	return r
}

// histograms lists the histograms, so that making and merging miss none.
func (r *recorder) histograms() []**hdr.Histogram {
	return []**hdr.Histogram{&r.service, &r.response, &r.sendDelay, &r.lateness, &r.firstByte, &r.failed, &r.connect, &r.tls, &r.quic}
}

// intend counts an exchange as scheduled when its intended time lies in the
// window. Record, called exactly once for each, must balance it.
func (r *recorder) intend(at mono.Time) {
	if r.timeline.measures(at) {
		r.ledger.scheduled++
	}
}

// record counts an exchange that has ended.
func (r *recorder) record(x *exchange.Exchange) {
	if x.Sent != 0 {
		if r.sentInAllPhases == 0 {
			r.firstSent = x.Sent
		}
		r.sentInAllPhases++
		if x.Reused {
			r.reusedRequests++
		}
	}
	if r.timeline.measures(x.Done) {
		r.complete(x)
	}
	if r.window != nil && r.window.slice != nil {
		r.slice(x)
	}
	if !r.timeline.measures(x.Intended) {
		return
	}
	r.ledger.count(x)
	if x.Ready > x.Intended {
		r.waited++
	}
	r.lastEnd = max(r.lastEnd, x.Done)
	if x.Status != 0 {
		r.status[x.Status]++
	}
	r.latencies(x)
	if x.Outcome.IsError() && r.firstErrors[x.Outcome].Outcome == exchange.Pending {
		r.firstErrors[x.Outcome] = *x
	}
}

// slice counts an exchange of a slice, in whichever part of it it ended.
func (r *recorder) slice(x *exchange.Exchange) {
	if x.Outcome != exchange.OK {
		return
	}
	r.window.slice.done(x.Done, r.timeline)
	if r.timeline.measures(x.Intended) {
		r.window.response.Record(int64(x.Done - x.Intended))
	}
}

// complete counts an exchange that ended inside the window.
func (r *recorder) complete(x *exchange.Exchange) {
	if x.Outcome == exchange.OK {
		r.completedInWindow++
		r.bodyBytesIn += uint64(x.BodyBytes)
	}
	r.turnWindow(x.Done)
	r.window.record(x)
}

// turnWindow sees to it that the row being filled is that of an instant inside
// the window. Rows are only turned forward.
func (r *recorder) turnWindow(at mono.Time) {
	switch {
	case r.window == nil:
		r.window = r.feed.begin(r.timeline.From)
		r.turnWindow(at)
	case at >= r.feed.edge:
		r.window = r.feed.turn(r.window, at)
	}
}

// end hands in the last row of the time series. Calling it again does nothing.
func (r *recorder) end() {
	if r.feed != nil {
		r.feed.end(r.window)
		r.feed, r.window = nil, nil
	}
}

// latencies puts an exchange of the ledger into the histograms.
func (r *recorder) latencies(x *exchange.Exchange) {
	response := int64(x.Done - x.Intended)
	switch x.Outcome {
	case exchange.OK:
		r.service.Record(int64(x.Done - x.Sent))
		r.firstByte.Record(int64(x.FirstByte - x.Sent))
		r.response.Record(response)
	case exchange.Timeout, exchange.Unfinished, exchange.NeverSent:
		r.response.Record(response)
	default:
		r.failed.Record(response)
	}
	if x.Sent != 0 {
		r.sendDelay.Record(int64(x.Sent - x.Intended))
		r.lateness.Record(int64(x.Sent - max(x.Intended, x.Ready)))
	}
}

// merge adds what another worker saw.
func (r *recorder) merge(o *recorder) {
	r.ledger.merge(&o.ledger)
	for code, n := range o.status {
		r.status[code] += n
	}
	r.completedInWindow += o.completedInWindow
	r.lastEnd = max(r.lastEnd, o.lastEnd)
	r.bodyBytesIn += o.bodyBytesIn
	r.sentInAllPhases += o.sentInAllPhases
	r.reusedRequests += o.reusedRequests
	r.waited += o.waited
	r.restarted += o.restarted
	r.connectionsOpened += o.connectionsOpened
	r.resumed += o.resumed
	theirs := o.histograms()
	for i, h := range r.histograms() {
		(*h).Merge(*theirs[i])
	}
	for i, x := range o.firstErrors {
		mine := &r.firstErrors[i]
		if x.Outcome != exchange.Pending && (mine.Outcome == exchange.Pending || x.Done < mine.Done) {
			*mine = x
		}
	}
}
