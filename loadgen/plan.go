package loadgen

import (
	"bytes"
	"encoding/json"
	"net/netip"
	"time"

	"github.com/scalws/scalbench/internal/cpuset"
)

// Plan says everything about one load test. It is plain data: printable,
// copyable, the same after a round trip through JSON, and self-contained
// (bodies as bytes, no paths). DefaultPlan fills what nobody said; Validate
// reports all faults at once.
type Plan struct {
	Targets  []Target `json:"targets"`  // one; two that take turns, with Slices
	Protocol Protocol `json:"protocol"` // the zero value is HTTP/1.1
	TLS      TLS      `json:"tls"`      // of https:// URLs

	Connections     int   `json:"connections"`                 // of all workers together
	Streams         int   `json:"streams"`                     // requests at a time on each; 1 on HTTP/1.1
	RequestsPerConn int   `json:"requests_per_conn,omitempty"` // then a new connection; 0: keep it
	Requests        int64 `json:"requests,omitempty"`          // measured requests in all; 0: as many as fit into Measure

	// An open loop offers requests at times of its own: Rate, or Burst. The zero
	// values are a closed loop.
	Rate     Rate          `json:"rate,omitzero"`        // requests a second, of all workers together
	Burst    Burst         `json:"burst,omitzero"`       // instead: so many at once, again and again
	Arrival  Arrival       `json:"arrival,omitzero"`     // how requests lie in time at a rate
	Deadline time.Duration `json:"deadline_ns,omitzero"` // from intended: what cannot be sent before is shed; 0: none

	WarmUp         time.Duration `json:"warmup_ns"`            // load that is not counted, before the window
	Measure        time.Duration `json:"measure_ns"`           // the window; not used with Requests
	Drain          time.Duration `json:"drain_ns"`             // how long requests may finish after it
	Timeout        time.Duration `json:"timeout_ns"`           // of one exchange, from sending; 0: none
	ConnectTimeout time.Duration `json:"connect_timeout_ns"`   // of one connection
	Window         time.Duration `json:"window_ns"`            // length of one row of Result.Windows
	RestMax        time.Duration `json:"rest_max_ns"`          // longest rest of a worker beside a local server; 0: none
	QUICStats      bool          `json:"quic_stats,omitempty"` // count what only events of quic-go tell; costs CPU time

	Slices Slices `json:"slices,omitzero"` // of two targets; see RunPairs

	CPUs      cpuset.Set `json:"cpus"`         // a worker for each; empty: chosen by Run
	NoPin     bool       `json:"no_pin"`       // leave the threads to the scheduler
	ServerPID int        `json:"server_pid"`   // process to account for; ServerAuto, ServerNone
	Seed      uint64     `json:"seed"`         // of everything random
	Family    int        `json:"ip,omitempty"` // 4 or 6: only such addresses; 0: any

	// SourceIPs are the local addresses to connect from, in turn; none: the
	// kernel chooses. Each has its own local ports.
	SourceIPs []netip.Addr `json:"source_ips,omitempty"`
}

// Values of Plan.ServerPID that are no process.
const (
	ServerAuto = 0  // the owner of the listening socket, when it is on this host
	ServerNone = -1 // nobody
)

// Protocol is the HTTP version spoken.
type Protocol uint8

const (
	HTTP1 Protocol = iota // HTTP/1.1
	HTTP2                 // HTTP/2: by ALPN on https://, with prior knowledge on http:// (RFC 9113 section 3)
	HTTP3                 // HTTP/3: over QUIC, on https:// only (RFC 9114)
)

// String returns the name used in results.
func (p Protocol) String() string {
	switch p {
	case HTTP1:
		return "h1"
	case HTTP2:
		return "h2"
	case HTTP3:
		return "h3"
	}
	return "unknown"
}

// MarshalText writes the name.
func (p Protocol) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads the name.
func (p *Protocol) UnmarshalText(b []byte) error {
	switch string(b) {
	case "h1", "":
		*p = HTTP1
	case "h2":
		*p = HTTP2
	case "h3":
		*p = HTTP3
	default:
		return faultf("protocol %q: want h1, h2 or h3", b)
	}
	return nil
}

// Target is what is asked of the server: one request, the same every time.
type Target struct {
	URL    string  `json:"url"`            // absolute, http:// or https://
	Method string  `json:"method"`         //
	Header []Field `json:"header"`         // after Host, User-Agent and Accept, in this order; replaces those
	Host   string  `json:"host,omitempty"` // Host header; "": that of the URL
	Body   []byte  `json:"body,omitempty"` //

	ExpectStatus int   `json:"expect_status,omitempty"` // 0: any 2xx
	ExpectBytes  int64 `json:"expect_bytes"`            // length of the body; -1: not checked
	// ExpectSHA256 is what the body hashes to, in hexadecimal: that of the first response on
	// each connection, and with a connection for each request of one a second; "": not checked.
	ExpectSHA256 string `json:"expect_sha256,omitempty"`

	// ServerPIDs are the processes to account for, each with all that descend from it,
	// where whoever plans knows them, in the place of Plan.ServerPID; none: that counts.
	ServerPIDs []int `json:"server_pids,omitempty"`
}

// UnmarshalJSON fills what a plan in JSON leaves out: GET, and a body of any
// length. Unknown keys are errors.
func (t *Target) UnmarshalJSON(b []byte) error {
	type plain Target
	p := plain{Method: "GET", ExpectBytes: -1}
	decoder := json.NewDecoder(bytes.NewReader(b))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&p); err != nil {
		return err
	}
	*t = Target(p)
	return nil
}

// Field is one header field. Repeated names are sent as often as they stand.
type Field struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// DefaultPlan is what is done when nothing is said: 50 connections for 10 s,
// no warm-up, a second to drain, 30 s for an answer.
func DefaultPlan(url string) Plan {
	return Plan{
		Targets:        []Target{{URL: url, Method: "GET", ExpectBytes: -1}},
		Connections:    50,
		Streams:        1,
		Measure:        10 * time.Second,
		Drain:          time.Second,
		Timeout:        30 * time.Second,
		ConnectTimeout: 5 * time.Second,
		Window:         time.Second,
		RestMax:        restMaxDefault,
	}
}
