package loadgen

import (
	"time"

	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/internal/procfs"
	"github.com/scalws/scalbench/internal/units"
)

// Host is what happened on this host during the window, by the kernel's counters. What
// could not be read is nil, and absent in JSON.
type Host struct {
	*HostNetwork
	// Steal is the share of the generator's CPUs that the hypervisor gave to others.
	Steal *float64 `json:"steal,omitempty"`
	// ThrottledS is how long a cgroup's quota stopped us.
	ThrottledS *float64 `json:"throttled_s,omitempty"`
}

// HostNetwork is of the whole network namespace, whoever it happened to.
type HostNetwork struct {
	TCPRetransmits  uint64 `json:"tcp_retransmits"`   // segments sent again, probes of an idle tail among them
	TCPTimeouts     uint64 `json:"tcp_timeouts"`      // retransmission timeouts: 200 ms and more each
	ListenOverflows uint64 `json:"listen_overflows"`  // connections that found a listen queue full: tried again after 1 s
	UDPReceiveDrops uint64 `json:"udp_receive_drops"` // datagrams for which a socket had no room
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
	if from, to := u.from.host.net, u.to.host.net; from != nil && to != nil {
		d := to.Sub(*from)
		h.HostNetwork = &HostNetwork{
			TCPRetransmits: d.RetransmittedSegments, TCPTimeouts: d.Timeouts,
			ListenOverflows: max(d.ListenOverflows, d.ListenDrops), UDPReceiveDrops: d.UDPReceiveDrops,
		}
	}
	from, ok1 := procfs.SumCPUs(u.from.host.cpus, ours)
	to, ok2 := procfs.SumCPUs(u.to.host.cpus, ours)
	if ok1 && ok2 {
		h.Steal = ptr(to.StealFrac(from))
	}
	if from, to := u.from.host.throttled, u.to.host.throttled; from != nil && to != nil {
		h.ThrottledS = ptr(to.Sub(*from).Stopped.Seconds())
	}
	if h == (Host{}) {
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
	if n := h.HostNetwork; n != nil {
		add(n.ListenOverflows > 0 && r.QUIC == nil, ListenOverflows, "%s times a listen queue of this host was full: a connection then comes up a second late", grouped(n.ListenOverflows))
		add(n.TCPTimeouts > 0 && r.QUIC == nil, TCPTimeouts, "%s times TCP waited for an acknowledgement in vain: each time 200 ms or more", grouped(n.TCPTimeouts))
		add(n.UDPReceiveDrops > 0 && r.QUIC != nil, DatagramsDropped, "%s datagrams found no room in a socket of this host, and were sent again", grouped(n.UDPReceiveDrops))
	}
	if h.Steal != nil {
		add(*h.Steal >= stealMin, NoisyHost, "the hypervisor took %.1f %% of the generator's CPU time", 100**h.Steal)
	}
	if s := h.ThrottledS; s != nil {
		add(*s >= throttledMin*r.MeasuredS && *s > 0, CPUThrottled, "a cgroup's quota stopped the generator or what shares its cgroup for %.3g s", *s)
	}
	return ws
}
