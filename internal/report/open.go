package report

import (
	"slices"
	"strings"

	"github.com/scalws/scalbench/internal/units"
	"github.com/scalws/scalbench/loadgen"
)

// rate is what was answered; in an open loop, of what was offered.
func rate(b *strings.Builder, r *loadgen.Result) {
	offered := ""
	if r.OfferedRPS != nil {
		offered = " of " + units.Rate(*r.OfferedRPS) + " offered"
	}
	line(b, "rate", "%s req/s%s   %s ok, %s failed", units.Rate(r.RPS), offered, group(r.CompletedInWindow), group(r.Ledger.NotOK()))
}

// bothViews tells the latency; in an open loop from when a request was due, beside
// it from when it was sent, and why they part when they do.
func bothViews(b *strings.Builder, r *loadgen.Result, verbose bool) {
	if r.Latency.Response == nil {
		return
	}
	if r.OfferedRPS == nil {
		line(b, "latency", "%s", latencies(r.Latency.Response))
		return
	}
	line(b, "latency", "%s   from when a request was due", latencies(r.Latency.Response))
	if r.Latency.Service != nil && !verbose {
		line(b, "service", "%s   from when it was sent", latencies(r.Latency.Service))
	}
	if r.Waited == nil || *r.Waited == 0 || float64(*r.Waited) < waitedMin*float64(r.Ledger.Scheduled) {
		return
	}
	why := plural(connections(r), "connection") + " could not carry what was offered"
	if streams := r.Plan.Streams; streams > 1 {
		why = plural(connections(r), "connection") + " of " + plural(streams, "stream") + " could not carry what was offered"
	}
	if slices.ContainsFunc(r.Warnings, func(w loadgen.Warning) bool { return w.Code == loadgen.StallSeen }) {
		why = "the server stalled"
	}
	line(b, "waited", "%s: %s of the requests waited before they could be sent", why, units.Percent(float64(*r.Waited)/float64(r.Ledger.Scheduled)))
}

// waitedMin is the share of requests that waited from which on it is told.
const waitedMin = 0.001
