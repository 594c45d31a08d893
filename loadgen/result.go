package loadgen

import (
	"time"
)

// Schema is the schema of a Result as JSON. It only grows.
const Schema = "scalbench.load/v1"

// Result is what a run measured. Times are microseconds where the name says
// _us and seconds where it says _s; what was not measured is absent.
type Result struct {
	Schema      string    `json:"schema"`
	Version     string    `json:"version"`
	Plan        PlanEcho  `json:"plan"`
	Protocol    string    `json:"protocol"`
	TLS         *TLSFacts `json:"tls,omitempty"` // absent in cleartext
	Address     string    `json:"address"`       // that was connected to
	StartedAt   time.Time `json:"started_at"`
	MeasuredS   float64   `json:"measured_s"` // length of the window as it was
	StartupMS   float64   `json:"startup_ms"` // from process start (or Run) to the first request
	Interrupted bool      `json:"interrupted"`
	RPS         float64   `json:"rps"`         // CompletedInWindow / MeasuredS
	OfferedRPS  *float64  `json:"offered_rps"` // Ledger.Scheduled / MeasuredS; null: closed loop

	Ledger            Ledger            `json:"ledger"`
	CompletedInWindow uint64            `json:"completed_in_window"`
	AllPhases         AllPhases         `json:"all_phases"`
	Waited            *uint64           `json:"waited,omitempty"` // open loop: of the ledger's, those for which no connection had room when they were due
	Status            map[string]uint64 `json:"status"`           // of the ledger's exchanges, by code
	FirstErrors       map[string]string `json:"first_errors"`     // of each kind, what exactly happened

	Latency Latency `json:"latency"`

	BytesIn     uint64      `json:"bytes_in"`      // socket bytes during the window
	BytesOut    uint64      `json:"bytes_out"`     //
	BodyBytesIn uint64      `json:"body_bytes_in"` // of the responses that completed in it
	Connections Connections `json:"connections"`

	QUIC *QUICStats `json:"quic,omitempty"` // of HTTP/3

	Windows   []Window       `json:"windows"`
	Workers   []WorkerResult `json:"workers"`
	Server    *Server        `json:"server,omitempty"`
	Host      *Host          `json:"host,omitempty"`
	Generator Generator      `json:"generator"`

	Thresholds []Verdict `json:"thresholds,omitempty"` // that whoever ran it wants to hold

	Validity Validity  `json:"validity"`
	Warnings []Warning `json:"warnings"`
}

// AllPhases counts over warm-up, window and drain together.
type AllPhases struct {
	Sent uint64 `json:"sent"` // requests of which at least one byte left: what a server's log would show
}

// Connections counts connections of all phases.
type Connections struct {
	Opened         uint64 `json:"opened"`
	ReusedRequests uint64 `json:"reused_requests"` // sent on a connection that had carried one before
	Resumed        uint64 `json:"resumed"`         // with a TLS session of before; 0 in cleartext
	// RestartedRequests were sent on a connection whose server then said that
	// it had not looked at them (GOAWAY; REFUSED_STREAM above a limit not yet known: RFC 9113 section 8.7),
	// and were sent again on another.
	RestartedRequests uint64 `json:"restarted_requests"`
	// Fairness is Jain's index of the requests that ended ok on each connection
	// inside the window: 1 when all had as many, 1/n when one had all (R. Jain,
	// DEC-TR-301, 1984). nil where nothing ended ok.
	Fairness *float64 `json:"jain_index,omitempty"`
}

// WorkerResult is one worker's share.
type WorkerResult struct {
	CPU         int     `json:"cpu"` // -1: not pinned
	Connections int     `json:"connections"`
	OK          uint64  `json:"ok"`   // completed inside the window
	Busy        float64 `json:"busy"` // thread CPU time / window, without Spinning
	// Spinning is the share of the window in which it only waited for the next
	// instant of an open loop's schedule, awake: that time is free for work.
	Spinning float64 `json:"spinning,omitzero"`
	// Preempted is how often its thread was taken off the CPU (getrusage(2), ru_nivcsw). Over
	// HTTP/3 it, like Busy, is an equal share of the whole process's.
	Preempted int64 `json:"preempted"`
}

// Server is what the server's processes used over the window. The memory of several is added up, which counts
// what they share several times; where another user's processes do not let the
// kernel keep the window's peak, it is the largest of a look every 100 ms.
type Server struct {
	PID             int      `json:"pid"` // the one that was named, or was found first
	PIDs            []int    `json:"pids"`
	Name            string   `json:"name"`
	CPUPerRequestUS *float64 `json:"cpu_us_per_request,omitempty"`
	CoresUsed       float64  `json:"cores_used"`
	CoresAllowed    int      `json:"cores_allowed"` // CPUs its affinity gives it
	Busy            float64  `json:"busy"`          // of what it can use: 1 is a server at its limit
	// CPUsBusy is the busy share of all CPUs that the server may run on, whoever
	// used them (an upstream beside it, say); nil where the generator has some of
	// them.
	CPUsBusy     *float64 `json:"cpus_busy,omitempty"`
	PeakRSSBytes int64    `json:"peak_rss_bytes"`
}

// Generator is what this process used over the window.
type Generator struct {
	CPUS            float64  `json:"cpu_s"`
	CPUPerRequestUS *float64 `json:"cpu_us_per_request,omitempty"`
	// Busy is the share of the workers' CPUs that all threads of the process
	// used together: TLS handshakes run beside the workers. nil where the window
	// was too short to tell.
	Busy *float64 `json:"busy,omitempty"`
	// RestUS is the longest rest of a worker: responses may have been noticed so
	// much later. 0: it never rested.
	RestUS       float64 `json:"rest_us"`
	PeakRSSBytes int64   `json:"peak_rss_bytes"` // of the process's life
	GCPauseMaxUS float64 `json:"gc_pause_max_us"`
	Engine       string  `json:"engine"`
}

// leaveOutSpinning makes Busy what the workers' own is: the time in which there was
// something to do.
func (g *Generator) leaveOutSpinning(workers []WorkerResult) {
	if g.Busy == nil {
		return
	}
	for _, w := range workers {
		*g.Busy -= w.Spinning / float64(len(workers))
	}
	*g.Busy = max(0, *g.Busy)
}

// Busiest is the largest busy fraction of any worker, or of all threads together
// on the workers' CPUs if that is more.
func (r *Result) Busiest() float64 {
	busiest := 0.0
	if r.Generator.Busy != nil {
		busiest = *r.Generator.Busy
	}
	for _, w := range r.Workers {
		busiest = max(busiest, w.Busy)
	}
	return busiest
}
