package record

import (
	"fmt"
	"io"
)

// IdentityFile is the file of what was seen of the variants in one round;
// IdentitySchema its format.
const (
	IdentityFile   = "identity.json"
	IdentitySchema = "scalbench.identity/v1"
)

// Identity says, for one round, whether the processes were the variants that were
// meant, and in what the variants of each comparison differed.
type Identity struct {
	Schema  string          `json:"schema"`
	Session string          `json:"session"`
	Round   int             `json:"round"`
	Counts  []IdentityCount `json:"counts"`

	// Programs are those that variants ran, of variants whose plan has another one: a
	// wrapper, or nothing.
	Programs []Program `json:"programs,omitempty"`

	Differs []Differs `json:"differs"`

	// LogErrors are what servers logged about errors that make nothing invalid.
	LogErrors []LogError `json:"log_errors,omitempty"`
}

// Program is what a variant was seen to run.
type Program struct {
	Variant string `json:"variant"`
	Binary
}

// IdentityCount counts the samples of one expectation of one variant: "on: seccomp
// 2, 253 samples, 253 ok".
type IdentityCount struct {
	Variant string `json:"variant"`
	Check   string `json:"check"`           // such as "seccomp 2", "exe", "affinity"
	Samples int    `json:"samples"`         // without the early ones
	OK      int    `json:"ok"`              // of Samples
	Early   int    `json:"early,omitempty"` // taken within the grace after the start; not held against it
	Missed  string `json:"missed,omitempty"`
	NA      string `json:"na,omitempty"` // why it could not be looked at; Samples is 0 then
}

// Differs are the differences between the two variants of a comparison, as they ran.
type Differs struct {
	Base  string       `json:"base"`
	New   string       `json:"new"`
	Items []Difference `json:"items"` // none, and no NA: both are the same program, started alike

	// NA are the things that could not be compared: they may differ, too.
	NA []NotCompared `json:"na,omitempty"`
}

// Same tells whether all was compared and nothing differs.
func (d Differs) Same() bool { return len(d.Items) == 0 && len(d.NA) == 0 }

// NotCompared is one thing of which nobody knows whether it differs.
type NotCompared struct {
	What string `json:"what"` // as in [Difference]
	Why  string `json:"why"`
}

// Difference is one thing in which two variants, or two hosts, differ.
type Difference struct {
	What string `json:"what"` // binary, config, argv, env, uid, helpers, seccomp, seccomp_filters, no_new_privs, cap_eff, limits
	Base string `json:"base"`
	New  string `json:"new"`
}

// Between returns the differences of a comparison; false when they were not looked
// for.
func (id *Identity) Between(base, new string) (Differs, bool) {
	for _, d := range id.Differs {
		if d.Base == base && d.New == new {
			return d, true
		}
	}
	return Differs{}, false
}

// ReadIdentity reads an identity.json; name is the file's, for faults. The error is
// a [Faults] with everything that is wrong.
func ReadIdentity(in io.Reader, name string) (*Identity, error) {
	faults := &faultList{file: name}
	identity, ok := readJSON[Identity](in, faults)
	if ok {
		identity.check(faults)
	}
	if err := faults.err(); err != nil {
		return nil, err
	}
	return &identity, nil
}

func (id *Identity) check(faults *faultList) {
	if id.Schema != IdentitySchema {
		faults.at(0, "schema %q, expected %q", id.Schema, IdentitySchema)
		return
	}
	checkNames(faults, map[string]string{"session": id.Session})
	if id.Round < 1 {
		faults.at(0, "round %d, expected 1 or more", id.Round)
	}
	for _, c := range id.Counts {
		switch {
		case c.OK < 0 || c.Early < 0 || c.OK > c.Samples:
			faults.at(0, "%s, %s: %d of %d samples, %d early", c.Variant, c.Check, c.OK, c.Samples, c.Early)
		case c.NA != "" && c.Samples > 0:
			faults.at(0, "%s, %s: %d samples of what could not be looked at", c.Variant, c.Check, c.Samples)
		}
	}
	pairs := map[[2]string]bool{}
	for _, d := range id.Differs {
		if key := [2]string{d.Base, d.New}; pairs[key] {
			faults.at(0, "differs: %s and %s are there twice", d.Base, d.New)
		} else {
			pairs[key] = true
		}
	}
}

// WriteIdentity writes an identity.json with its schema, which it sets.
func WriteIdentity(out io.Writer, id *Identity) error {
	id.Schema = IdentitySchema
	faults := &faultList{file: IdentityFile}
	id.check(faults)
	if err := faults.err(); err != nil {
		return fmt.Errorf("write an identity that cannot be read back: %w", err)
	}
	return writeJSON(out, id)
}
