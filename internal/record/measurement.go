package record

import (
	"fmt"
	"time"
)

// State says what became of a measurement.
type State uint8

const (
	// Valid may be judged. It is the zero value of a row in memory only: a file
	// always says it.
	Valid State = iota
	// Invalid was measured, or begun, and may not be judged; Reason says why.
	Invalid
	// NotRun could not be measured on this host, which lacks what the scenario
	// needs (no php); Reason says what.
	NotRun
	// NotApplicable is impossible for this variant (it has no HTTP/3); Reason says
	// why. It is no failure.
	NotApplicable
)

// FlagOtherMode is on a row that is NotApplicable because only other variants are in its
// mode: no comparison lacks it.
const FlagOtherMode = "other-mode"

// stateWords are the words of the column valid.
var stateWords = [...]string{Valid: "yes", Invalid: "no", NotRun: "not_run", NotApplicable: "na"}

// String returns the word of the column valid.
func (s State) String() string {
	if int(s) < len(stateWords) {
		return stateWords[s]
	}
	return fmt.Sprintf("state(%d)", uint8(s))
}

// parseState reads the word of the column valid.
func parseState(text string) (State, error) {
	for s, word := range stateWords {
		if word == text {
			return State(s), nil
		}
	}
	return 0, fmt.Errorf("%q, expected yes, no, not_run or na", text)
}

// Measurement is one line of a summary.csv: one scenario of one variant in one run.
// Fields stand in the order of the columns. Whatever was not measured is none.
type Measurement struct {
	Session  string
	Round    int // from 1, in its session
	Run      int // from 1, in its round
	Slot     int // place in the order of the round, from 1; 0: never had one
	Variant  string
	Mode     string // such as multi; "" where there is only one
	Scenario string

	StartUTC        time.Time // of the measured window; zero: it never began
	StartMonoNS     int64     // the same in CLOCK_MONOTONIC, for the order inside one boot; 0: never
	DurationSeconds Value     // length of the measured window

	Requests    uint64 // exchanges completed with outcome ok inside the window
	RPS         Value  // Requests / DurationSeconds
	Status2xx   uint64 // responses by status, whatever the window
	StatusOther uint64
	Errors      uint64
	Bytes       uint64 // bodies received

	P50Millis, P90Millis, P99Millis, P999Millis, MaxMillis Value // response time

	CPUMicros         Value // server CPU per request: user and system, the whole process tree
	CPUAppMicros      Value // the same of upstreams and applications
	ServerBusyFrac    Value // of the server's CPUs, 0 to 1
	AppBusyFrac       Value // of the CPUs that upstreams and applications have to themselves, 0 to 1
	GeneratorBusyFrac Value // of the busiest of the generator's CPUs, 0 to 1
	RSSKiB            Value // peak resident memory of the tree in the window
	RSSMethod         string
	LittleRatio       Value // RPS x mean latency / connections; under 0.9 the generator idles

	// Of an open loop, in which requests are due by a schedule; none in a closed one.
	SentFrac       Value // of the requests that were due in the window: those that were sent, 0 to 1
	LateP999Millis Value // how late the generator sent, 99.9th percentile, by its own fault

	// Of two variants that took turns in slices of time ([InterleaveSliced]). Pair is the same
	// in the lines of both. The others are in the line of the new one alone, new / base over
	// the pairs of slices: the centres, and their standard errors on the ln scale, within this
	// run.
	Pair                 string
	SlicePairs           uint64
	RPSRatio, RPSRatioSE Value
	CPURatio, CPURatioSE Value // of cpu_us

	IdentityOK int // samples in which the process was the variant that was meant
	IdentityN  int // all samples, those of the first moments apart
	Interfered bool
	State      State  // column valid
	Reason     string // of every state but Valid
	ExeSHA256  string // of /proc/PID/exe; "": could not be read

	Attempt int      // from 1; 0, the default of older files, is the first
	Flags   []string // what must be read with it, such as noisy-host
}

// What an open loop has to keep to: that of Nighthawk's send rate, and a lateness that
// no latency of a server on the same host is mistaken for.
const (
	sentFracLeast  = 0.99
	lateP999MsMost = 1
)

// OffSchedule tells why the load of an open loop was not what it was to be: with fewer
// requests the latency is that of another rate, and what was sent late was measured late.
// "" where it was, and in a closed loop.
func (m *Measurement) OffSchedule() string {
	if sent, known := m.SentFrac.Get(); known && sent < sentFracLeast {
		return fmt.Sprintf("of the requests that were due %.1f %% were sent, expected %v %%: the rate was another", 100*sent, 100*sentFracLeast)
	}
	if late, known := m.LateP999Millis.Get(); known && late >= lateP999MsMost {
		return fmt.Sprintf("one request in a thousand was sent %.2g ms late or more, expected less than %v ms", late, lateP999MsMost)
	}
	return ""
}

// faults tells what contradicts itself in a line: what a driver can never have
// meant to write, and nobody should guess the meaning of.
func (m *Measurement) faults() []string {
	var texts []string
	add := func(wrong bool, format string, args ...any) {
		if wrong {
			texts = append(texts, fmt.Sprintf(format, args...))
		}
	}
	rps, hasRPS := m.RPS.Get()
	duration, _ := m.DurationSeconds.Get()
	switch m.State {
	case Valid:
		add(m.Requests == 0, "requests: 0 in a valid measurement")
		add(rps == 0, "rps: nothing in a valid measurement")
		add(duration == 0, "duration_s: nothing in a valid measurement")
		add(m.StatusOther > 0, "status_other: %d in a valid measurement", m.StatusOther)
		add(m.Errors > 0, "errors: %d in a valid measurement", m.Errors)
		add(m.IdentityOK != m.IdentityN, "identity_ok: %d of %d in a valid measurement", m.IdentityOK, m.IdentityN)
	case NotRun, NotApplicable:
		add(m.Requests > 0 || hasRPS, "requests and rps: there are some in a measurement that was not made (valid is %s)", m.State)
	}
	add(m.State != Valid && m.Reason == "", "reason: nothing, expected why valid is %s", m.State)
	add(m.IdentityOK > m.IdentityN, "identity_ok: %d of %d samples", m.IdentityOK, m.IdentityN)
	return texts
}
