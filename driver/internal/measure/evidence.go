package measure

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/scalws/scalbench/internal/host"
	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/serverproc"
)

// File is a file of an attempt's directory.
type File struct {
	Name string // without a directory
	Data []byte
}

// Names of files of an attempt; what is empty is left out. Beside them there are the
// logs, the effective configurations and what the generator complained about.
const (
	ResultFile       = "result.json"         // of the generator, scalbench.load/v1
	IdentityFile     = "identity.json"       // an [Identity]
	InterferenceFile = "interference.ndjson" // a line for each second, host.Row
	EvidenceFile     = "evidence.json"       // an [Evidence], without its files
	SlicesFile       = "slices.json"         // of two that took turns, with the new one: a [SlicesRecord]
	generatorLog     = "generator.stderr.log"
)

// Evidence is what a measurement is believed by.
type Evidence struct {
	Files []File `json:"-"`

	Session string `json:"session"` // its id

	// Window is what the generator announced; zero: it did not come to that.
	From mono.Time `json:"from_ns,omitempty"`
	To   mono.Time `json:"to_ns,omitempty"`

	Server *serverproc.Usage `json:"server,omitempty"` // of all instances together; nil: not known
	App    *serverproc.Usage `json:"app,omitempty"`    // of the helpers; nil: there are none, or it is not known
	// Memory is where that of the server's processes lies, read after the window.
	Memory []ProcessMemory `json:"memory,omitempty"`

	Identity     Identity               `json:"-"`
	Interference host.Verdict           `json:"interference"` // of the window
	Complaints   []serverproc.Complaint `json:"complaints,omitempty"`

	// Overhead is what the measurement took beside warm-up and window; 0: it had none.
	Overhead time.Duration `json:"overhead_ns,omitempty"`
	// EdgeLate is how long after the window's beginning all was read. What was used is
	// taken per second, so that it does not matter much.
	EdgeLate time.Duration `json:"edge_late_ns"`
	// OwnCPUFrac is the share of one CPU that this process used during the window.
	OwnCPUFrac record.Value `json:"own_cpu_frac"`
	// Clocks is what happened to the clocks in the window; nil: not known.
	Clocks *ClockChange `json:"clocks,omitempty"`
	// SamplerCPU is what watching the host has used of that, from before the window to after it.
	SamplerCPU time.Duration `json:"sampler_cpu_ns,omitempty"`
	// Notes say what could not be found out, a sentence each.
	Notes []string `json:"notes,omitempty"`
}

// Identity is what was seen of a variant during one measurement, and what it is. It is
// kept with the measurement, so that the identity of a round can be told from its
// directories.
type Identity struct {
	Schema  string                 `json:"schema"`
	Session string                 `json:"session"`
	Variant string                 `json:"variant"`
	Counts  []record.IdentityCount `json:"counts"`
	Facts   serverproc.Facts       `json:"facts"`
}

// IdentitySchema is the format of an [IdentityFile].
const IdentitySchema = "scalbench.measured_identity/v1"

// ReadIdentity reads an [IdentityFile].
func ReadIdentity(data []byte) (Identity, error) {
	var id Identity
	if err := json.Unmarshal(data, &id); err != nil {
		return Identity{}, fmt.Errorf("%s: %w", IdentityFile, err)
	}
	if id.Schema != IdentitySchema {
		return Identity{}, fmt.Errorf("%s: schema %q, expected %q", IdentityFile, id.Schema, IdentitySchema)
	}
	return id, nil
}

// collect makes the files of the evidence.
func (m *measurement) collect() error {
	e := &m.evidence
	e.Identity = Identity{
		Schema: IdentitySchema, Session: m.bench.config.Session, Variant: m.running.variant.Name, Facts: m.running.facts,
		Counts: record.AddCounts(m.running.startup, m.seen.counts),
	}
	m.running.startup, e.Session = nil, m.bench.config.Session
	e.SamplerCPU = m.seen.cpu
	e.Interference, e.Notes = m.seen.verdict, append(e.Notes, m.seen.notes...)
	if m.edges != nil && m.edges.err != nil {
		e.Notes = append(e.Notes, m.edges.err.Error())
	}
	m.readMemory()
	if m.generator != nil {
		if err := m.addResult(); err != nil {
			return err
		}
		e.add(generatorLog, m.generator.announced.complaints())
	}
	e.add(InterferenceFile, m.seen.log)
	e.Files = append(e.Files, m.running.configs()...)
	if err := e.addJSON(IdentityFile, e.Identity); err != nil {
		return err
	}
	return e.addJSON(EvidenceFile, e)
}

// addResult adds what the generator has measured of the variant: what it wrote, or of two
// that took turns the half.
func (m *measurement) addResult() error {
	if !m.turns {
		m.evidence.add(ResultFile, m.generator.result.Bytes())
		return nil
	}
	if m.result == nil {
		return nil
	}
	return m.evidence.addJSON(ResultFile, m.result)
}

// add adds a file that is not empty.
func (e *Evidence) add(name string, data []byte) {
	if len(data) > 0 {
		e.Files = append(e.Files, File{Name: name, Data: data})
	}
}

// addJSON adds a file in JSON.
func (e *Evidence) addJSON(name string, value any) error {
	data, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	e.add(name, append(data, '\n'))
	return nil
}
