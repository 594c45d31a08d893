package record

import (
	"fmt"
	"io"
	"time"
)

// SyscallsFile is the file of the system calls that were counted in one pass;
// SyscallsSchema its format.
const (
	SyscallsFile   = "syscalls.json"
	SyscallsSchema = "scalbench.syscalls/v1"
)

// Syscalls are the system calls that the variants of a session make, counted in a
// pass of its own. Counting costs a server time: what was measured then is no
// measurement, and nobody judges it.
type Syscalls struct {
	Schema     string           `json:"schema"`
	Session    string           `json:"session"`
	StandIn    string           `json:"stand_in,omitempty"` // as in the plan; "": they are calls of the variants' servers
	StartedUTC time.Time        `json:"started_utc"`
	Compare    []PlanComparison `json:"compare,omitempty"` // those of the plan
	// NA says why nothing could be counted at all; "": rows say it of themselves.
	NA   string       `json:"na,omitempty"`
	Rows []SyscallRow `json:"rows"` // a scenario of all variants, then the next
}

// SyscallRow is one scenario of one variant.
type SyscallRow struct {
	Variant  string    `json:"variant"`
	Mode     string    `json:"mode,omitempty"`
	Scenario string    `json:"scenario"`
	StartUTC time.Time `json:"start_utc,omitzero"` // of the window
	Seconds  Value     `json:"counted_s,omitzero"` // in which was counted
	RPS      Value     `json:"rps,omitzero"`       // meanwhile
	Calls    uint64    `json:"calls,omitempty"`    // of the server's processes, all threads and children

	PerRequest    Value `json:"per_request,omitzero"`
	PerConnection Value `json:"per_connection,omitzero"` // where each serves a fixed number of requests

	// ByName are the calls, the most frequent first; none where they were counted in
	// one number.
	ByName []SyscallCount `json:"by_name,omitempty"`
	// NA says why there are no numbers; "": there are. Note says what must be known of them.
	NA   string `json:"na,omitempty"`
	Note string `json:"note,omitempty"`
}

// SyscallCount is one system call of a row.
type SyscallCount struct {
	Name       string  `json:"name"`
	Calls      uint64  `json:"calls"`
	PerRequest float64 `json:"per_request"`
}

// ReadSyscalls reads a syscalls.json; name is the file's, for faults. The error is a
// [Faults] with everything that is wrong.
func ReadSyscalls(in io.Reader, name string) (*Syscalls, error) {
	faults := &faultList{file: name}
	s, ok := readJSON[Syscalls](in, faults)
	if ok {
		s.check(faults)
	}
	if err := faults.err(); err != nil {
		return nil, err
	}
	return &s, nil
}

func (s *Syscalls) check(faults *faultList) {
	if s.Schema != SyscallsSchema {
		faults.at(0, "schema %q, expected %q", s.Schema, SyscallsSchema)
		return
	}
	checkNames(faults, map[string]string{"session": s.Session})
	seen := map[[3]string]bool{}
	for _, r := range s.Rows {
		what := r.Variant + ", " + scenarioText(r.Mode, r.Scenario)
		checkNames(faults, map[string]string{"variant": r.Variant, "scenario": r.Scenario})
		if key := [3]string{r.Variant, r.Mode, r.Scenario}; seen[key] {
			faults.at(0, "%s is there twice", what)
		} else {
			seen[key] = true
		}
		if per, known := r.PerRequest.Get(); known == (r.NA != "") || known && !(per >= 0 && per < valueMax) {
			faults.at(0, "%s: per_request is %q and na is %q, expected one of them", what, r.PerRequest, r.NA)
		}
		var sum uint64
		for _, c := range r.ByName {
			sum += c.Calls
		}
		if len(r.ByName) > 0 && sum != r.Calls {
			faults.at(0, "%s: %d calls, but %d by their names", what, r.Calls, sum)
		}
	}
}

// WriteSyscalls writes a syscalls.json with its schema, which it sets.
func WriteSyscalls(out io.Writer, s *Syscalls) error {
	s.Schema = SyscallsSchema
	faults := &faultList{file: SyscallsFile}
	s.check(faults)
	if err := faults.err(); err != nil {
		return fmt.Errorf("write system calls that cannot be read back: %w", err)
	}
	return writeJSON(out, s)
}
