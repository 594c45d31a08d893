package probe

import (
	"encoding/json"
	"time"

	"github.com/scalws/scalbench/internal/mono"
)

// Phase is a stretch of a probe, in the order in which they come.
type Phase uint8

// The phases. A new connection has TLS or QUIC or neither of them.
const (
	PhaseDNS       Phase = iota // until the name is resolved
	PhaseTCP                    // until the TCP handshake is complete, over all addresses that were tried
	PhaseTLS                    // until the TLS handshake is complete, of whichever version
	PhaseQUIC                   // until the QUIC handshake is complete, TLS within it
	PhaseFirstByte              // until the first byte of the response is seen; sending is in it
	PhaseLastByte               // until the last byte of the body is seen
	numPhases
)

var phaseNames = [numPhases]string{"dns", "tcp", "tls", "quic", "first_byte", "last_byte"}

// String returns the phase's name in JSON, without its unit.
func (p Phase) String() string { return phaseNames[p] }

// Span is how long a phase lasted.
type Span struct {
	Phase    Phase
	Duration time.Duration
}

// Probe is one probe that has ended, or that was missed.
type Probe struct {
	Seq      int64     // counted from 0
	Intended mono.Time // when the schedule wanted it
	At       time.Time // the same as wall time
	Began    mono.Time // zero: missed
	Done     mono.Time // last byte, or the moment it ended otherwise; missed: when it was due

	// Spans are the phases in order, without gaps: they add up to Done - Began.
	// The last one of a probe that failed is the phase it failed in.
	Spans []Span

	// Kernel is when the kernel had the first byte of the response. Zero: not
	// known, as always with QUIC, or the clock was set meanwhile.
	Kernel    mono.Time
	firstByte mono.Time // zero: none came

	Outcome   Outcome
	Error     string // what exactly went wrong; "": ok
	Status    int    // 0: no response
	Address   string // host:port that was connected to; "": none
	Reused    bool   // its connection had carried a probe before
	BodyBytes int64  // of the response
}

// Total is from the beginning to the end, connecting included.
func (p *Probe) Total() time.Duration { return p.Done.Sub(p.Began) }

// Response is from the intended time to the end.
func (p *Probe) Response() time.Duration { return p.Done.Sub(p.Intended) }

// Late is how much after its intended time it was begun.
func (p *Probe) Late() time.Duration { return p.Began.Sub(p.Intended) }

// Span returns how long a phase lasted; false when there was none.
func (p *Probe) Span(phase Phase) (time.Duration, bool) {
	for _, s := range p.Spans {
		if s.Phase == phase {
			return s.Duration, true
		}
	}
	return 0, false
}

// Own is the time that this process took to see the first byte after the kernel
// had it; false when the kernel did not say.
func (p *Probe) Own() (time.Duration, bool) {
	if p.Kernel == 0 {
		return 0, false
	}
	return p.firstByte.Sub(p.Kernel), true
}

// failedIn is the phase that a probe ended in; "" when it ended with an answer or
// was missed.
func (p *Probe) failedIn() string {
	if p.Outcome.answered() || len(p.Spans) == 0 {
		return ""
	}
	return p.Spans[len(p.Spans)-1].Phase.String()
}

// MarshalJSON writes a row of ndjson. What is absent was not there:
//
//	{"seq": n, "at": "RFC 3339", "outcome": "ok|bad_status|...|missed|unfinished", "status": 200, "error": "text", "failed_in": "tcp",
//	 "address": "127.0.0.1:8080", "reused": false, "late_us": x, "response_us": x, "total_us": x,
//	 "dns_us": x, "tcp_us": x, "tls_us": x, "quic_us": x, "first_byte_us": x, "last_byte_us": x,
//	 "own_us": x, "first_byte_kernel_us": x, "body_bytes": n}
//
// at is the intended time. dns_us to last_byte_us add up to total_us;
// first_byte_kernel_us is first_byte_us without own_us.
func (p *Probe) MarshalJSON() ([]byte, error) {
	row := struct {
		Seq           int64     `json:"seq"`
		At            time.Time `json:"at"`
		Outcome       string    `json:"outcome"`
		Status        int       `json:"status,omitempty"`
		Error         string    `json:"error,omitempty"`
		FailedIn      string    `json:"failed_in,omitempty"`
		Address       string    `json:"address,omitempty"`
		Reused        bool      `json:"reused"`
		LateUS        *float64  `json:"late_us,omitempty"`
		ResponseUS    *float64  `json:"response_us,omitempty"`
		TotalUS       *float64  `json:"total_us,omitempty"`
		DNSUS         *float64  `json:"dns_us,omitempty"`
		TCPUS         *float64  `json:"tcp_us,omitempty"`
		TLSUS         *float64  `json:"tls_us,omitempty"`
		QUICUS        *float64  `json:"quic_us,omitempty"`
		FirstByteUS   *float64  `json:"first_byte_us,omitempty"`
		LastByteUS    *float64  `json:"last_byte_us,omitempty"`
		OwnUS         *float64  `json:"own_us,omitempty"`
		FirstKernelUS *float64  `json:"first_byte_kernel_us,omitempty"`
		BodyBytes     int64     `json:"body_bytes"`
	}{
		Seq: p.Seq, At: p.At, Outcome: p.Outcome.String(), Status: p.Status, Error: p.Error, FailedIn: p.failedIn(),
		Address: p.Address, Reused: p.Reused, BodyBytes: p.BodyBytes,
	}
	if p.Outcome != Missed {
		row.LateUS, row.ResponseUS, row.TotalUS = micros(p.Late()), micros(p.Response()), micros(p.Total())
	}
	into := [numPhases]**float64{&row.DNSUS, &row.TCPUS, &row.TLSUS, &row.QUICUS, &row.FirstByteUS, &row.LastByteUS}
	for _, s := range p.Spans {
		*into[s.Phase] = micros(s.Duration)
	}
	if own, ok := p.Own(); ok {
		first, _ := p.Span(PhaseFirstByte)
		row.OwnUS, row.FirstKernelUS = micros(own), micros(first-own)
	}
	return json.Marshal(row)
}

func micros(d time.Duration) *float64 {
	us := float64(d) / float64(time.Microsecond)
	return &us
}
