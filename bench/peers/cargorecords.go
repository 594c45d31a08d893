package main

import (
	"encoding/json"
	"strings"
)

// cargoRecords is the file in which cargo install keeps what it built into a
// --root, and with which features.
const cargoRecords = ".crates2.json"

// builtFeatures finds the features that a crate was built with, beside its
// default ones. found is false if the records do not know the crate or cannot
// be read: cargo does not document them.
func builtFeatures(records []byte, crate string) (features []string, found bool) {
	var file struct {
		Installs map[string]struct {
			Features []string `json:"features"`
		} `json:"installs"` // by "CRATE VERSION (SOURCE)"
	}
	if json.Unmarshal(records, &file) != nil {
		return nil, false
	}
	for id, build := range file.Installs {
		if name, _, _ := strings.Cut(id, " "); name == crate {
			return build.Features, true
		}
	}
	return nil, false
}
