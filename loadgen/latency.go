package loadgen

import (
	"encoding/json"
	"io"

	"github.com/scalws/scalbench/internal/hdr"
)

// Latency holds the distributions of a run. Those in which nothing was recorded
// are nil.
type Latency struct {
	Service   *Distribution `json:"service,omitempty"`    // sent to done, of what ended ok
	Response  *Distribution `json:"response,omitempty"`   // intended to done, also of timeout, unfinished and never_sent
	SendDelay *Distribution `json:"send_delay,omitempty"` // intended to sent
	Lateness  *Distribution `json:"lateness,omitempty"`   // of sending, by the generator's own fault
	FirstByte *Distribution `json:"first_byte,omitempty"` // sent to the first byte of the response
	Failed    *Distribution `json:"failed,omitempty"`     // intended to the end, of the errors that Response does not hold
	Connect   *Distribution `json:"connect,omitempty"`    // TCP handshakes, of all phases
	TLS       *Distribution `json:"tls,omitempty"`
	QUIC      *Distribution `json:"quic,omitempty"` // handshakes of QUIC, which hold those of TLS
	DNS       *Distribution `json:"dns,omitempty"`
}

// Distribution is a histogram as it is published: durations in microseconds.
// A percentile is nil when less than one sample is expected beyond it.
type Distribution struct {
	Count  uint64   `json:"count"`
	MinUS  float64  `json:"min_us"`
	MeanUS float64  `json:"mean_us"`
	P50US  *float64 `json:"p50_us,omitempty"`
	P75US  *float64 `json:"p75_us,omitempty"`
	P90US  *float64 `json:"p90_us,omitempty"`
	P95US  *float64 `json:"p95_us,omitempty"`
	P99US  *float64 `json:"p99_us,omitempty"`
	P999US *float64 `json:"p999_us,omitempty"`
	// P9999US is the 99.99th percentile.
	P9999US *float64 `json:"p9999_us,omitempty"`
	MaxUS   float64  `json:"max_us"`
	// HDR is the whole histogram: base64 of HdrHistogram's compressed V2
	// encoding, in nanoseconds.
	HDR string `json:"hdr"`

	histogram *hdr.Histogram
}

// distribution publishes a histogram; nil when it is empty.
func distribution(h *hdr.Histogram) *Distribution {
	if h.Count() == 0 {
		return nil
	}
	return &Distribution{
		Count: h.Count(), MinUS: float64(h.MinNS()) / 1e3, MeanUS: h.MeanNS() / 1e3, MaxUS: float64(h.MaxNS()) / 1e3,
		P50US: quantileUS(h, 0.5), P75US: quantileUS(h, 0.75), P90US: quantileUS(h, 0.9), P95US: quantileUS(h, 0.95),
		P99US: quantileUS(h, 0.99), P999US: quantileUS(h, 0.999), P9999US: quantileUS(h, 0.9999),
		histogram: h,
	}
}

// WriteHGRM writes the distribution as HdrHistogram's .hgrm text, in
// milliseconds.
func (d *Distribution) WriteHGRM(out io.Writer) error { return d.histogram.WritePercentiles(out) }

// MarshalJSON encodes the histogram when it is asked for and not before: most
// results are printed for people.
func (d *Distribution) MarshalJSON() ([]byte, error) {
	type plain Distribution
	p := plain(*d)
	if d.histogram != nil {
		var err error
		if p.HDR, err = d.histogram.Encode(); err != nil {
			return nil, err
		}
	}
	return json.Marshal(p)
}
