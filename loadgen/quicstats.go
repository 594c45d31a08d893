package loadgen

import (
	"slices"
	"time"

	"github.com/scalws/scalbench/loadgen/internal/quicnet"
)

// QUICStats is what the QUIC connections of a run came to, all phases and all
// connections together, as quic-go has counted it.
type QUICStats struct {
	Connections     uint64 `json:"connections"`
	PacketsSent     uint64 `json:"packets_sent"`
	PacketsReceived uint64 `json:"packets_received"`
	PacketsLost     uint64 `json:"packets_lost"` // of those sent: declared lost; some may have come late, and what a probe has repaired is not among them (RFC 9002 section 6)
	// SmoothedRTT is of the connections at their end: the least, the median (of the first
	// 100 000 of each worker) and the largest (RFC 9002 section 5.3). It holds what the
	// server waits before it acknowledges.
	// Nil: no connection had one.
	SmoothedRTTMinUS    *float64 `json:"smoothed_rtt_min_us,omitempty"`
	SmoothedRTTMedianUS *float64 `json:"smoothed_rtt_median_us,omitempty"`
	SmoothedRTTMaxUS    *float64 `json:"smoothed_rtt_max_us,omitempty"`
	// ProbeTimeouts and Retries are nil unless the plan asked for QUICStats: to
	// count them costs CPU time.
	ProbeTimeouts   *uint64 `json:"probe_timeouts,omitempty"`
	Retries         *uint64 `json:"retries,omitempty"`
	ZeroRTTAccepted uint64  `json:"zero_rtt_accepted"` // connections whose early requests the server took
	ZeroRTTRefused  uint64  `json:"zero_rtt_refused"`
}

// quicStats adds up what the workers' connections came to; nil when they had
// none.
func (f finished) quicStats() *QUICStats {
	if f.plan.Protocol != HTTP3 {
		return nil
	}
	var sum QUICStats
	var rtts []time.Duration
	var least, largest time.Duration
	for _, w := range f.workers {
		s := w.quic.Stats()
		sum.Connections += s.Connections
		sum.PacketsSent += s.PacketsSent
		sum.PacketsReceived += s.PacketsReceived
		sum.PacketsLost += s.PacketsLost
		sum.ZeroRTTAccepted += s.ZeroRTTAccepted
		sum.ZeroRTTRefused += s.ZeroRTTRefused
		rtts = append(rtts, s.SmoothedRTT...)
		if s.RTTMin > 0 && (least == 0 || s.RTTMin < least) {
			least = s.RTTMin
		}
		largest = max(largest, s.RTTMax)
	}
	if len(rtts) > 0 {
		slices.Sort(rtts)
		us := func(d time.Duration) float64 { return float64(d) / 1e3 }
		sum.SmoothedRTTMinUS, sum.SmoothedRTTMedianUS, sum.SmoothedRTTMaxUS = ptr(us(least)), ptr(us(rtts[len(rtts)/2])), ptr(us(largest))
	}
	if f.events != nil {
		sum.ProbeTimeouts, sum.Retries = ptr(f.events.Probes.Load()), ptr(f.events.Retries.Load())
	}
	return &sum
}

// quicEvents counts what only events tell, when the plan asks for it or somebody
// wants the events themselves.
func quicEvents(p Plan, o Observer) *quicnet.Events {
	if p.Protocol != HTTP3 || !p.QUICStats && o.Qlog == nil {
		return nil
	}
	return new(quicnet.Events)
}
