package report

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/scalws/scalbench/internal/units"
	"github.com/scalws/scalbench/loadgen"
)

// details adds the rest of a result.
func details(b *strings.Builder, r *loadgen.Result) {
	if r.Ledger.NotOK() == 0 {
		ledger(b, r.Ledger)
	}
	line(b, "sent", "%s requests in all phases, %s of them on a connection used before; %s connections opened to %s",
		group(r.AllPhases.Sent), group(r.Connections.ReusedRequests), group(r.Connections.Opened), r.Address)
	if t := r.TLS; t != nil {
		line(b, "secured", "%s, %s, %s, %s resumed; certificate %s until %s", t.Version, t.Cipher, t.Group, group(r.Connections.Resumed), t.Subject, t.NotAfter.Format(time.DateOnly))
	}
	if n := r.Connections.RestartedRequests; n > 0 {
		line(b, "again", "%s requests were sent a second time: the server had said that it had not looked at them", group(n))
	}
	for _, code := range slices.Sorted(maps.Keys(r.Status)) {
		line(b, "status", "%s  %s", code, group(r.Status[code]))
	}
	for _, d := range []struct {
		name string
		of   *loadgen.Distribution
	}{
		{"service", r.Latency.Service}, {"response", r.Latency.Response}, {"first", r.Latency.FirstByte}, {"delay", r.Latency.SendDelay},
		{"lateness", r.Latency.Lateness}, {"failed", r.Latency.Failed}, {"connect", r.Latency.Connect}, {"tls", r.Latency.TLS}, {"quic", r.Latency.QUIC}, {"dns", r.Latency.DNS},
	} {
		if d.of != nil {
			line(b, d.name, "%s  (%s)", latencies(d.of), group(d.of.Count))
		}
	}
	line(b, "bytes", "%s in, %s of them body; %s out", units.Bytes(int64(r.BytesIn)), units.Bytes(int64(r.BodyBytesIn)), units.Bytes(int64(r.BytesOut)))
	for _, w := range r.Workers {
		cpu := "not pinned"
		if w.CPU >= 0 {
			cpu = "CPU " + strconv.Itoa(w.CPU)
		}
		spinning := ""
		if w.Spinning > 0 {
			spinning = ", " + units.Percent(w.Spinning) + " awake for the next request"
		}
		line(b, "worker", "%s  %s, %s ok, %s busy%s, taken off its CPU %s", cpu, plural(w.Connections, "connection"), group(w.OK), units.Percent(w.Busy), spinning, plural(int(w.Preempted), "time"))
	}
	host(b, r.Host)
	g := r.Generator
	cost := ""
	if g.CPUPerRequestUS != nil {
		cost = units.Micros(*g.CPUPerRequestUS) + " CPU/request, "
	}
	rest := ""
	if g.RestUS > 0 {
		rest = "rests of up to " + units.Duration(micros(g.RestUS)) + ", "
	}
	line(b, "self", "%s%s, %slongest GC pause %s, first request after %s", cost, units.Bytes(g.PeakRSSBytes), rest,
		units.Duration(micros(g.GCPauseMaxUS)), units.Duration(time.Duration(r.StartupMS*float64(time.Millisecond))))
}

// host is what happened on this host.
func host(b *strings.Builder, h *loadgen.Host) {
	if h == nil {
		return
	}
	var parts []string
	if n := h.HostNetwork; n != nil {
		parts = append(parts, fmt.Sprintf("%s sent again by TCP, %s, %s, %s dropped", plural(int(n.TCPRetransmits), "segment"),
			plural(int(n.TCPTimeouts), "timeout"), plural(int(n.ListenOverflows), "listen overflow"), plural(int(n.UDPReceiveDrops), "datagram")))
	}
	if h.Steal != nil {
		parts = append(parts, "hypervisor took "+units.Percent(*h.Steal))
	}
	if len(parts) > 0 {
		line(b, "host", "%s", strings.Join(parts, "; "))
	}
}
