package probe

import (
	"maps"
	"slices"
	"strconv"
	"time"
)

// SchemaV1 is the value of schema in the JSON of a [Summary].
const SchemaV1 = "scalbench.probe/v1"

// Summary is what a run of probes came to. Its JSON is the schema
// scalbench.probe/v1; it only grows, readers ignore unknown keys:
//
//	{"schema": "scalbench.probe/v1", "version": "...", "method": "GET", "url": "http://...", "protocol": "h1|h2|h3",
//	 "keep_alive": false, "rate_rps": 10, "address": "127.0.0.1:8080" | absent, "started_at": "RFC 3339", "elapsed_s": x,
//	 "interrupted": false,
//	 "ledger": {"scheduled": n, "ok": n, "missed": n, "unfinished": n, "errors": {"timeout": n, ...}},
//	 "answered": n, "lost": n, "lost_frac": x | absent,
//	 "status": {"200": n}, "first_errors": {"timeout": "text"},
//	 "latency": {"total": D, "response": D, "dns": D, "tcp": D, "tls": D, "quic": D, "first_byte": D, "last_byte": D,
//	             "own": D, "first_byte_kernel": D, "late": D}}
//	D = {"count": n, "min_us": x, "mean_us": x, "stddev_us": x, "p50_us": x, "p90_us": x, "p99_us": x, "max_us": x}
//
// scheduled = ok + missed + unfinished + all errors. answered = ok + bad_status;
// lost is every other error and missed; lost_frac = lost / (scheduled -
// unfinished), absent when nothing has ended. A D is absent where nothing was recorded, a percentile where less
// than one value is expected beyond it: p50 needs 2 values, p90 10, p99 100.
//
// With --output-format ndjson there is a row for each probe instead: see
// [Probe.MarshalJSON].
type Summary struct {
	Schema      string            `json:"schema"`
	Version     string            `json:"version"` // of the program; Run leaves it empty
	Method      string            `json:"method"`
	URL         string            `json:"url"`
	Protocol    string            `json:"protocol"`
	KeepAlive   bool              `json:"keep_alive"`
	RateRPS     float64           `json:"rate_rps"`
	Address     string            `json:"address,omitempty"` // of the last connection
	StartedAt   time.Time         `json:"started_at"`
	ElapsedS    float64           `json:"elapsed_s"`
	Interrupted bool              `json:"interrupted"` // by something else than the count, the duration or ErrEnd
	Ledger      Ledger            `json:"ledger"`
	Answered    uint64            `json:"answered"`
	Lost        uint64            `json:"lost"`
	LostFrac    *float64          `json:"lost_frac,omitempty"`
	Status      map[string]uint64 `json:"status"`
	FirstErrors map[string]string `json:"first_errors"`
	Latency     Latency           `json:"latency"`
}

// Ledger has every probe that was due, once.
type Ledger struct {
	Scheduled  uint64            `json:"scheduled"`
	OK         uint64            `json:"ok"`
	Missed     uint64            `json:"missed"`
	Unfinished uint64            `json:"unfinished"`
	Errors     map[string]uint64 `json:"errors"` // those that there were
}

// Latency holds the distributions of a run, of the probes that ended ok but for
// Response and Late; those in which nothing was recorded are nil.
type Latency struct {
	Total           *Distribution `json:"total,omitempty"`    // beginning to last byte, connecting included
	Response        *Distribution `json:"response,omitempty"` // intended time to last byte, also of timeout, unfinished and missed
	DNS             *Distribution `json:"dns,omitempty"`
	TCP             *Distribution `json:"tcp,omitempty"`
	TLS             *Distribution `json:"tls,omitempty"`
	QUIC            *Distribution `json:"quic,omitempty"`
	FirstByte       *Distribution `json:"first_byte,omitempty"`
	LastByte        *Distribution `json:"last_byte,omitempty"`
	Own             *Distribution `json:"own,omitempty"`               // kernel had the first byte to seen by this process
	FirstByteKernel *Distribution `json:"first_byte_kernel,omitempty"` // first_byte without own
	Late            *Distribution `json:"late,omitempty"`              // intended to begun, of all that were begun
}

// Distribution is a series as it is published, in microseconds. A percentile is
// nil when less than one value is expected beyond it.
type Distribution struct {
	Count    uint64   `json:"count"`
	MinUS    float64  `json:"min_us"`
	MeanUS   float64  `json:"mean_us"`
	StddevUS float64  `json:"stddev_us"`
	P50US    *float64 `json:"p50_us,omitempty"`
	P90US    *float64 `json:"p90_us,omitempty"`
	P99US    *float64 `json:"p99_us,omitempty"`
	MaxUS    float64  `json:"max_us"`
}

// distribution publishes a series; nil when it is empty.
func distribution(s *series) *Distribution {
	h := s.histogram
	if h.Count() == 0 {
		return nil
	}
	quantile := func(q float64) *float64 {
		ns, ok := h.QuantileNS(q)
		if !ok {
			return nil
		}
		return micros(time.Duration(ns))
	}
	return &Distribution{
		Count: h.Count(), MinUS: float64(h.MinNS()) / 1e3, MeanUS: h.MeanNS() / 1e3, StddevUS: s.deviationNS() / 1e3,
		P50US: quantile(0.5), P90US: quantile(0.9), P99US: quantile(0.99), MaxUS: float64(h.MaxNS()) / 1e3,
	}
}

// summary is what has been counted of a run of c.
func (t *tally) summary(c Config, startedAt time.Time, elapsed time.Duration, interrupted bool) *Summary {
	s := &Summary{
		Schema: SchemaV1, Method: c.method(), URL: c.URL, Protocol: c.Protocol.String(), KeepAlive: c.KeepAlive, RateRPS: c.Rate,
		Address: t.address, StartedAt: startedAt, ElapsedS: elapsed.Seconds(), Interrupted: interrupted,
		Ledger: t.ledger(), Answered: t.outcomes[OK] + t.outcomes[BadStatus],
		Status: map[string]uint64{}, FirstErrors: map[string]string{},
		Latency: Latency{
			Total: distribution(t.total), Response: distribution(t.response),
			DNS: distribution(t.phases[PhaseDNS]), TCP: distribution(t.phases[PhaseTCP]),
			TLS: distribution(t.phases[PhaseTLS]), QUIC: distribution(t.phases[PhaseQUIC]),
			FirstByte: distribution(t.phases[PhaseFirstByte]), LastByte: distribution(t.phases[PhaseLastByte]),
			Own: distribution(t.own), FirstByteKernel: distribution(t.firstKernel), Late: distribution(t.late),
		},
	}
	if ended := s.Ledger.Scheduled - s.Ledger.Unfinished; ended > 0 {
		s.Lost = ended - s.Answered
		s.LostFrac = new(float64(s.Lost) / float64(ended))
	}
	for status, n := range t.status {
		s.Status[strconv.Itoa(status)] = n
	}
	for outcome, text := range t.firstErrors {
		s.FirstErrors[outcome.String()] = text
	}
	return s
}

func (t *tally) ledger() Ledger {
	l := Ledger{OK: t.outcomes[OK], Missed: t.outcomes[Missed], Unfinished: t.outcomes[Unfinished], Errors: map[string]uint64{}}
	for o, n := range t.outcomes {
		l.Scheduled += n
		if Outcome(o).isError() && n > 0 {
			l.Errors[Outcome(o).String()] = n
		}
	}
	return l
}

func (c Config) method() string {
	if c.Method == "" {
		return "GET"
	}
	return c.Method
}

// MainFailure words the most frequent way in which probes did not end ok; "" when
// all did.
func (s *Summary) MainFailure() string {
	worst := ""
	for _, kind := range slices.Sorted(maps.Keys(s.FirstErrors)) {
		if kind != Unfinished.String() && (worst == "" || s.of(kind) > s.of(worst)) {
			worst = kind
		}
	}
	if worst == "" {
		return ""
	}
	return worst + ", " + s.FirstErrors[worst]
}
