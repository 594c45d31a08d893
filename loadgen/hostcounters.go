package loadgen

import (
	"time"

	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/internal/procfs"
	"github.com/scalws/scalbench/internal/units"
)

// Host is what happened on this host during the window, by the kernel's counters.
// Those of the network are of the whole network namespace, whoever it happened to.
type Host struct {
	TCPRetransmits  uint64 `json:"tcp_retransmits"`   // segments sent again, probes of an idle tail among them
	TCPTimeouts     uint64 `json:"tcp_timeouts"`      // retransmission timeouts: 200 ms and more each
	ListenOverflows uint64 `json:"listen_overflows"`  // connections that found a listen queue full: tried again after 1 s
	UDPReceiveDrops uint64 `json:"udp_receive_drops"` // datagrams for which a socket had no room
	// Steal is the share of the generator's CPUs that the hypervisor gave to others.
	Steal float64 `json:"steal"`
	// ThrottledS is how long a cgroup's quota stopped us.
	ThrottledS float64 `json:"throttled_s"`
}

// hostCounters is one look at them; what cannot be read is nil.
type hostCounters struct {
	net       *procfs.NetCounters
	cpus      map[int]procfs.CPUTimes
	throttled *cpuset.Throttling
}

func readHostCounters() hostCounters {
	var h hostCounters
	fs := procfs.NewFS("/proc")
	if net, err := fs.NetCounters(); err == nil {
		h.net = &net
	}
	h.cpus, _ = fs.CPUTimes()
	if t, err := cpuset.NewFS("/").Throttling(); err == nil {
		h.throttled = &t
	}
	return h
}

// host is what has happened between two looks; nil when nothing could be read.
func (u usage) host(ours cpuset.Set) *Host {
	var h Host
	known := false
	if from, to := u.from.host.net, u.to.host.net; from != nil && to != nil {
		d := to.Sub(*from)
		h.TCPRetransmits, h.TCPTimeouts = d.RetransmittedSegments, d.Timeouts
		h.ListenOverflows, h.UDPReceiveDrops = max(d.ListenOverflows, d.ListenDrops), d.UDPReceiveDrops
		known = true
	}
	from, ok1 := procfs.SumCPUs(u.from.host.cpus, ours)
	to, ok2 := procfs.SumCPUs(u.to.host.cpus, ours)
	if ok1 && ok2 {
		h.Steal = to.StealFrac(from)
		known = true
	}
	if from, to := u.from.host.throttled, u.to.host.throttled; from != nil && to != nil {
		h.ThrottledS = to.Sub(*from).Stopped.Seconds()
		known = true
	}
	if !known {
		return nil
	}
	return &h
}

// Thresholds of the warnings about the host.
const (
	stealMin     = 0.02 // of the generator's CPUs; below, a clock tick decides
	throttledMin = 0.01 // of the window
	gcPauseMin   = 5 * time.Millisecond
)

// hostWarnings finds what the host has done to the measurement.
func (r *Result) hostWarnings() []Warning {
	var ws []Warning
	add := func(when bool, code WarningCode, format string, args ...any) {
		if when {
			ws = append(ws, warningf(code, format, args...))
		}
	}
	pause := time.Duration(r.Generator.GCPauseMaxUS * 1e3)
	add(pause > gcPauseMin, GCPause, "the generator stopped for %s to collect its garbage", units.Duration(pause))
	h := r.Host
	if h == nil {
		return ws
	}
	add(h.ListenOverflows > 0 && r.QUIC == nil, ListenOverflows, "%s times a listen queue of this host was full: a connection then comes up a second late", grouped(h.ListenOverflows))
	add(h.TCPTimeouts > 0 && r.QUIC == nil, TCPTimeouts, "%s times TCP waited for an acknowledgement in vain: each time 200 ms or more", grouped(h.TCPTimeouts))
	add(h.UDPReceiveDrops > 0 && r.QUIC != nil, DatagramsDropped, "%s datagrams found no room in a socket of this host, and were sent again", grouped(h.UDPReceiveDrops))
	add(h.Steal >= stealMin, NoisyHost, "the hypervisor took %.1f %% of the generator's CPU time", 100*h.Steal)
	add(h.ThrottledS >= throttledMin*r.MeasuredS && h.ThrottledS > 0, CPUThrottled, "a cgroup's quota stopped the generator or what shares its cgroup for %.3g s", h.ThrottledS)
	return ws
}
