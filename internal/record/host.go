package record

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"slices"
)

// HostFile is the file of a session's host; HostSchema its format.
const (
	HostFile   = "host.json"
	HostSchema = "scalbench.host/v1"
)

// NotAvailable is the value of a fact that this host, or this user, cannot tell.
const NotAvailable = "n/a"

// Host is what was found out about a host before a session.
type Host struct {
	Schema  string `json:"schema"`
	Session string `json:"session"`
	Name    string `json:"name"`
	BootID  string `json:"boot_id,omitempty"`

	// Fixed are facts that must be equal for rounds of two sessions to form one
	// gate: CPU model, sockets, memory, kernel and its command line, governor,
	// turbo, LSM list, distribution.
	Fixed map[string]string `json:"fixed"`

	// Now are facts of the moment: load, frequencies, free memory.
	Now map[string]string `json:"now,omitempty"`
}

// Fingerprint returns the SHA-256 of the name and the fixed facts.
func (h *Host) Fingerprint() string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%q\n", h.Name)
	for _, fact := range slices.Sorted(maps.Keys(h.Fixed)) {
		fmt.Fprintf(sum, "%q=%q\n", fact, h.Fixed[fact])
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// Differences names the fixed facts in which two hosts differ, with both values.
func (h *Host) Differences(other *Host) []Difference {
	var found []Difference
	if h.Name != other.Name {
		found = append(found, Difference{"name", h.Name, other.Name})
	}
	facts := maps.Clone(h.Fixed)
	if facts == nil {
		facts = map[string]string{}
	}
	maps.Copy(facts, other.Fixed)
	for _, fact := range slices.Sorted(maps.Keys(facts)) {
		if a, b := h.Fixed[fact], other.Fixed[fact]; a != b {
			found = append(found, Difference{fact, a, b})
		}
	}
	return found
}

// ReadHost reads a host.json; name is the file's, for faults. The error is a
// [Faults].
func ReadHost(in io.Reader, name string) (*Host, error) {
	faults := &faultList{file: name}
	host, ok := readJSON[Host](in, faults)
	if ok {
		host.check(faults)
	}
	if err := faults.err(); err != nil {
		return nil, err
	}
	return &host, nil
}

func (h *Host) check(faults *faultList) {
	if h.Schema != HostSchema {
		faults.at(0, "schema %q, expected %q", h.Schema, HostSchema)
		return
	}
	checkNames(faults, map[string]string{"session": h.Session})
	if h.Name == "" {
		faults.at(0, "name: nothing, expected the host's name")
	}
	if len(h.Fixed) == 0 {
		faults.at(0, "fixed: nothing, expected the facts that tell hosts apart")
	}
}

// WriteHost writes a host with its schema, which it sets.
func WriteHost(out io.Writer, h *Host) error {
	h.Schema = HostSchema
	faults := &faultList{file: HostFile}
	h.check(faults)
	if err := faults.err(); err != nil {
		return fmt.Errorf("write a host that cannot be read back: %w", err)
	}
	return writeJSON(out, h)
}
