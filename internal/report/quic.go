package report

import (
	"fmt"
	"strings"

	"github.com/scalws/scalbench/internal/units"
	"github.com/scalws/scalbench/loadgen"
)

// quic adds what the connections of HTTP/3 came to. Lost packets are told also to
// who did not ask: the latency holds what it takes to send them again.
func quic(b *strings.Builder, r *loadgen.Result, verbose bool) {
	q := r.QUIC
	if q == nil {
		return
	}
	if q.PacketsLost > 0 || verbose || r.Plan.QUICStats {
		line(b, "packets", "%s sent, %s lost, %s received%s", group(q.PacketsSent), group(q.PacketsLost), group(q.PacketsReceived), events(q))
	}
	if q.SmoothedRTTMedianUS != nil && (verbose || r.Plan.QUICStats) {
		line(b, "rtt", "%s smoothed, %s to %s over %s", units.Duration(micros(*q.SmoothedRTTMedianUS)),
			units.Duration(micros(*q.SmoothedRTTMinUS)), units.Duration(micros(*q.SmoothedRTTMaxUS)), plural(int(q.Connections), "connection"))
	}
	if r.Plan.QUICStats && !verbose && r.Latency.QUIC != nil {
		line(b, "quic", "%s  (%s handshakes)", latencies(r.Latency.QUIC), group(r.Latency.QUIC.Count))
	}
	if r.Plan.TLS.ZeroRTT {
		line(b, "0-rtt", "%s accepted, %s refused", plural(int(q.ZeroRTTAccepted), "connection"), group(q.ZeroRTTRefused))
	}
}

// events is what was counted on demand.
func events(q *loadgen.QUICStats) string {
	if q.ProbeTimeouts == nil || q.Retries == nil {
		return ""
	}
	return fmt.Sprintf("; %s, %s by Retry", plural(int(*q.ProbeTimeouts), "probe timeout"), plural(int(*q.Retries), "connection"))
}
