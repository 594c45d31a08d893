package loadgen

import (
	"fmt"

	"github.com/scalws/scalbench/internal/units"
)

// Warning is something that has to be known to believe a result: it stands, but
// must be read with it. Warnings are data, kept in the result.
type Warning struct {
	Code WarningCode `json:"code"`
	Text string      `json:"text"` // a sentence with the numbers in it
}

// WarningCode names a kind of warning. Codes are stable; texts are not.
type WarningCode string

const (
	LedgerBroken            WarningCode = "ledger_broken"              // the account does not add up
	LateSends               WarningCode = "late_sends"                 // the generator did not keep the timeline
	Suspended               WarningCode = "suspended"                  // the host slept during the run
	GeneratorSaturated      WarningCode = "generator_saturated"        // a worker's thread had no time left
	NotAllConnectionsServed WarningCode = "not_all_connections_served" // some connection got nothing
	ErrorsPresent           WarningCode = "errors_present"             // not everything ended ok
	ShortWindow             WarningCode = "short_window"               // too short to mean much
	SharedCPU               WarningCode = "shared_cpu"                 // server and generator on one CPU
	NotPinned               WarningCode = "not_pinned"                 // workers may be moved between CPUs
	CPUQuota                WarningCode = "cpu_quota"                  // a cgroup may throttle us
	ClampedLatency          WarningCode = "clamped_latency"            // longer than a histogram holds
	ServerUnknown           WarningCode = "server_unknown"             // its process could not be found or read
	ServerLeftOpen          WarningCode = "server_left_open"           // said it would close and did not
	EphemeralPortsLow       WarningCode = "ephemeral_ports_low"        // more connections than local ports
	ServerGone              WarningCode = "server_gone"                // -n given up: nothing could be sent any more
	StreamsLimited          WarningCode = "streams_limited"            // the server allows fewer streams than were asked for
	StallSeen               WarningCode = "stall_seen"                 // the server answered nothing for a while
	CPUContended            WarningCode = "cpu_contended"              // others had the generator's CPUs when it needed them
	GeneratorStalled        WarningCode = "generator_stalled"          // so did we, for less than late_sends takes
	FDLimit                 WarningCode = "fd_limit"                   // open files were all used
	ListenOverflows         WarningCode = "listen_overflows"           // a listen queue was full
	TCPTimeouts             WarningCode = "tcp_timeouts"               // TCP waited for a lost segment
	DatagramsDropped        WarningCode = "datagrams_dropped"          // a UDP socket had no room
	NoisyHost               WarningCode = "noisy_host"                 // the hypervisor took CPU time
	CPUThrottled            WarningCode = "cpu_throttled"              // a cgroup's quota was used up
	GCPause                 WarningCode = "gc_pause"                   // the generator stopped to collect garbage
	CertificateEnds         WarningCode = "certificate_ends"           // the server's has expired, or will within 30 days
)

func warningf(code WarningCode, format string, args ...any) Warning {
	return Warning{code, fmt.Sprintf(format, args...)}
}

// grouped writes a number of things for people: "12 431".
func grouped[N int | uint64](n N) string { return units.Group(int64(n)) }

// Validity says whether a result may be used.
type Validity string

const (
	Valid   Validity = "valid"
	Suspect Validity = "suspect" // true numbers, but perhaps not of what was meant
	Invalid Validity = "invalid" // the numbers are not what they seem
)

// bearing is what each warning does to a result's validity; those that are not
// listed do nothing.
var bearing = map[WarningCode]Validity{
	LedgerBroken:            Invalid,
	LateSends:               Invalid,
	Suspended:               Invalid,
	GeneratorSaturated:      Suspect,
	NotAllConnectionsServed: Suspect,
	ErrorsPresent:           Suspect,
	ShortWindow:             Suspect,
	SharedCPU:               Suspect,
	ClampedLatency:          Suspect,
	EphemeralPortsLow:       Suspect,
	ServerGone:              Suspect,
	StallSeen:               Suspect,
	WindowsDiffer:           Suspect,
	GeneratorStalled:        Suspect,
	CPUContended:            Suspect,
	FDLimit:                 Suspect,
	ListenOverflows:         Suspect,
	TCPTimeouts:             Suspect,
	DatagramsDropped:        Suspect,
	NoisyHost:               Suspect,
	CPUThrottled:            Suspect,
	GCPause:                 Suspect,
}

// Bearing is what the warning does to the validity of a result.
func (w Warning) Bearing() Validity {
	if v, listed := bearing[w.Code]; listed {
		return v
	}
	return Valid
}

// validity is the worst that any warning does.
func validity(warnings []Warning) Validity {
	v := Valid
	for _, w := range warnings {
		switch bearing[w.Code] {
		case Invalid:
			return Invalid
		case Suspect:
			v = Suspect
		}
	}
	return v
}
