package loadgen

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/internal/procfs"
)

// What has happened on the host is the difference of two looks, of the generator's
// own CPUs where it is about CPUs.
func TestHost(t *testing.T) {
	const ms = time.Millisecond
	ours, err := cpuset.Of(1, 2)
	if err != nil {
		t.Fatal(err)
	}
	u := usage{
		from: reading{host: hostCounters{
			net:       &procfs.NetCounters{RetransmittedSegments: 100, Timeouts: 10, ListenOverflows: 5, ListenDrops: 5, UDPReceiveDrops: 1},
			cpus:      map[int]procfs.CPUTimes{0: {Busy: 500 * ms}, 1: {Busy: 500 * ms, Idle: 500 * ms, Steal: 10 * ms}, 2: {Idle: 1000 * ms}},
			throttled: &cpuset.Throttling{Stopped: 2 * time.Second},
		}},
		to: reading{host: hostCounters{
			net: &procfs.NetCounters{RetransmittedSegments: 117, Timeouts: 12, ListenOverflows: 8, ListenDrops: 9, UDPReceiveDrops: 7},
			// CPU 0 is another's. Of 2 x 1000 ms that passed on ours 40 + 20 were stolen.
			cpus:      map[int]procfs.CPUTimes{0: {Busy: 1500 * ms, Steal: 900 * ms}, 1: {Busy: 900 * ms, Idle: 1100 * ms, Steal: 50 * ms}, 2: {Busy: 200 * ms, Idle: 1800 * ms, Steal: 20 * ms}},
			throttled: &cpuset.Throttling{Stopped: 2250 * ms},
		}},
	}
	want := &Host{
		HostNetwork: &HostNetwork{
			TCPRetransmits: 17, TCPTimeouts: 2, UDPReceiveDrops: 6,
			ListenOverflows: 4, // 3 overflows are among the 4 drops
		},
		Steal:      ptr(0.03),
		ThrottledS: ptr(0.25),
	}
	if diff := cmp.Diff(want, u.host(ours)); diff != "" {
		t.Error(diff)
	}
}

// What cannot be read at one of the two edges is absent; when nothing can, nothing is
// said about the host.
func TestHostInPart(t *testing.T) {
	one, err := cpuset.Of(0)
	if err != nil {
		t.Fatal(err)
	}
	net := func(timeouts uint64) hostCounters { return hostCounters{net: &procfs.NetCounters{Timeouts: timeouts}} }
	cpus := func(cpu int, steal, passed time.Duration) hostCounters {
		return hostCounters{cpus: map[int]procfs.CPUTimes{cpu: {Busy: passed, Steal: steal}}}
	}
	throttled := func(stopped time.Duration) hostCounters {
		return hostCounters{throttled: &cpuset.Throttling{Stopped: stopped}}
	}
	for name, tt := range map[string]struct {
		from, to hostCounters
		want     *Host
	}{
		"nothing":                    {hostCounters{}, hostCounters{}, nil},
		"the network alone":          {net(1), net(4), &Host{HostNetwork: &HostNetwork{TCPTimeouts: 3}}},
		"the CPUs alone":             {cpus(0, 0, 100), cpus(0, 25, 200), &Host{Steal: ptr(0.25)}}, // 25 of 100
		"the quota alone":            {throttled(0), throttled(time.Second), &Host{ThrottledS: ptr(1.0)}},
		"nothing has happened":       {net(4), net(4), &Host{HostNetwork: &HostNetwork{}}},
		"the network, at one edge":   {net(1), hostCounters{}, nil},
		"our CPU is not among them":  {cpus(7, 0, 100), cpus(7, 25, 200), nil},
		"our CPU went offline":       {cpus(0, 0, 100), cpus(7, 25, 200), nil},
		"the quota, at one edge":     {hostCounters{}, throttled(time.Second), nil},
		"moved to a cgroup anew":     {throttled(time.Second), throttled(0), &Host{ThrottledS: ptr(0.0)}},
		"no time between both looks": {cpus(0, 5, 100), cpus(0, 5, 100), &Host{Steal: ptr(0.0)}},
	} {
		u := usage{from: reading{host: tt.from}, to: reading{host: tt.to}}
		if diff := cmp.Diff(tt.want, u.host(one)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// The counters of this host can be read; nothing is invented where they cannot.
func TestReadHostCounters(t *testing.T) {
	allowed, err := cpuset.Allowed()
	if err != nil {
		t.Fatal(err)
	}
	look := readHostCounters()
	if _, ok := procfs.SumCPUs(look.cpus, allowed); !ok {
		t.Errorf("no times of the CPUs %s that we run on", allowed)
	}
	u := usage{from: reading{host: look}, to: reading{host: look}}
	got := u.host(allowed)
	if got == nil || got.Steal == nil || *got.Steal != 0 || got.HostNetwork != nil && *got.HostNetwork != (HostNetwork{}) || got.ThrottledS != nil && *got.ThrottledS != 0 {
		t.Errorf("between a look and itself: %+v, want that nothing happened", got)
	}
}

// Each threshold of the warnings about the host, in a window of 2 s.
func TestHostWarnings(t *testing.T) {
	quic := &QUICStats{}
	for name, tt := range map[string]struct {
		result Result
		want   []WarningCode
		part   string // of the first one's text
	}{
		"nothing":                      {Result{Host: &Host{}}, nil, ""},
		"segments sent again":          {Result{Host: &Host{HostNetwork: &HostNetwork{TCPRetransmits: 1000}}}, nil, ""}, // a probe of an idle tail is one
		"a listen queue":               {Result{Host: &Host{HostNetwork: &HostNetwork{ListenOverflows: 1}}}, []WarningCode{ListenOverflows}, "1 times a listen queue"},
		"many":                         {Result{Host: &Host{HostNetwork: &HostNetwork{ListenOverflows: 12_431}}}, []WarningCode{ListenOverflows}, "12 431 times"},
		"a retransmission timeout":     {Result{Host: &Host{HostNetwork: &HostNetwork{TCPTimeouts: 1}}}, []WarningCode{TCPTimeouts}, "1 times TCP waited"},
		"datagrams of QUIC":            {Result{QUIC: quic, Host: &Host{HostNetwork: &HostNetwork{UDPReceiveDrops: 3}}}, []WarningCode{DatagramsDropped}, "3 datagrams"},
		"datagrams of others":          {Result{Host: &Host{HostNetwork: &HostNetwork{UDPReceiveDrops: 3}}}, nil, ""}, // we have none over TCP
		"steal below 2 %":              {Result{Host: &Host{Steal: ptr(0.0199)}}, nil, ""},
		"steal of 2 %":                 {Result{Host: &Host{Steal: ptr(0.02)}}, []WarningCode{NoisyHost}, "2.0 % of the generator's CPU time"},
		"throttled below 1 % of 2 s":   {Result{Host: &Host{ThrottledS: ptr(0.0199)}}, nil, ""},
		"throttled for 1 % of 2 s":     {Result{Host: &Host{ThrottledS: ptr(0.02)}}, []WarningCode{CPUThrottled}, "for 0.02 s"},
		"the collector stops for 5 ms": {Result{Host: &Host{}, Generator: Generator{GCPauseMaxUS: 5000}}, nil, ""},
		"the collector stops longer":   {Result{Host: &Host{}, Generator: Generator{GCPauseMaxUS: 5001}}, []WarningCode{GCPause}, "stopped for 5.0 ms"}, // by 1 us
		"the host is not known":        {Result{}, nil, ""},
		"all of TCP": {
			Result{Generator: Generator{GCPauseMaxUS: 7400}, Host: &Host{HostNetwork: &HostNetwork{TCPTimeouts: 1, ListenOverflows: 1, UDPReceiveDrops: 1}, Steal: ptr(0.5), ThrottledS: ptr(1.0)}},
			[]WarningCode{GCPause, ListenOverflows, TCPTimeouts, NoisyHost, CPUThrottled}, "stopped for 7.4 ms",
		},
		"all of QUIC": {
			Result{QUIC: quic, Host: &Host{HostNetwork: &HostNetwork{TCPTimeouts: 1, ListenOverflows: 1, UDPReceiveDrops: 1}, Steal: ptr(0.5), ThrottledS: ptr(1.0)}},
			[]WarningCode{DatagramsDropped, NoisyHost, CPUThrottled}, "1 datagrams",
		},
	} {
		tt.result.MeasuredS = 2
		ws := tt.result.hostWarnings()
		var codes []WarningCode
		for _, w := range ws {
			codes = append(codes, w.Code)
		}
		if !slices.Equal(codes, tt.want) {
			t.Errorf("%s: %v, want %v", name, codes, tt.want)
			continue
		}
		if len(ws) > 0 && !strings.Contains(ws[0].Text, tt.part) {
			t.Errorf("%s: %q, want something with %q", name, ws[0].Text, tt.part)
		}
		if v := validity(ws); (v == Valid) != (len(ws) == 0) || v == Invalid {
			t.Errorf("%s: %s", name, v)
		}
	}
	// A window that ended before it began has no hundredth that was throttled.
	r := Result{Host: &Host{}}
	if ws := r.hostWarnings(); len(ws) != 0 {
		t.Errorf("an empty window: %v", ws)
	}
}
