package quicnet

import (
	"time"

	"github.com/quic-go/quic-go"
)

// Stats is what all QUIC connections of an engine came to, those that have
// ended.
type Stats struct {
	Connections     uint64
	PacketsSent     uint64
	PacketsReceived uint64
	PacketsLost     uint64          // declared lost by quic-go; some may have arrived late
	RTTMin, RTTMax  time.Duration   // of the smoothed ones; 0: no connection had one
	SmoothedRTT     []time.Duration // of each connection at its end (RFC 9002 section 5.3), of the first rttMax
	ZeroRTTAccepted uint64          // connections whose early requests the server took
	ZeroRTTRefused  uint64
}

// rttMax bounds what is kept of the round-trip times in a run with a connection
// for each request.
const rttMax = 100_000

func (s *Stats) add(c quic.ConnectionStats) {
	s.Connections++
	s.PacketsSent += c.PacketsSent
	s.PacketsReceived += c.PacketsReceived
	s.PacketsLost += c.PacketsLost
	if c.SmoothedRTT <= 0 {
		return
	}
	if s.RTTMin == 0 || c.SmoothedRTT < s.RTTMin {
		s.RTTMin = c.SmoothedRTT
	}
	s.RTTMax = max(s.RTTMax, c.SmoothedRTT)
	if len(s.SmoothedRTT) < rttMax {
		s.SmoothedRTT = append(s.SmoothedRTT, c.SmoothedRTT)
	}
}

// Stats returns the sum so far. It is complete after Shutdown.
func (e *Engine) Stats() Stats { return e.stats }
