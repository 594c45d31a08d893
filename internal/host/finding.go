package host

import "fmt"

// Level says how grave a finding is.
type Level uint8

const (
	OK     Level = iota // as it should be
	Note                // worth knowing
	Warn                // results must be read with it
	Refuse              // nothing may be measured like this
	NA                  // this host, or this user, cannot tell
)

func (l Level) String() string { return [...]string{"ok", "note", "warn", "refuse", "n/a"}[l] }

// MarshalText writes the level as its name.
func (l Level) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText reads the name of a level.
func (l *Level) UnmarshalText(text []byte) error {
	for level := OK; level <= NA; level++ {
		if string(text) == level.String() {
			*l = level
			return nil
		}
	}
	return fmt.Errorf("%q is not a level of a finding", text)
}

// Finding is what one check said.
type Finding struct {
	Check string `json:"check"` // such as "governor"
	Level Level  `json:"level"`
	Text  string `json:"text"` // a sentence, lower case and without a full stop
	// Flag is what measurements of this host are flagged with: "unknown-frequency",
	// "virtual-machine"; "" for most findings.
	Flag string `json:"flag,omitempty"`
}

// Refused returns the findings that forbid to measure; nil when there is none.
func Refused(findings []Finding) []Finding {
	var refused []Finding
	for _, f := range findings {
		if f.Level == Refuse {
			refused = append(refused, f)
		}
	}
	return refused
}

// Flags returns the flags of all findings, each once, in order.
func Flags(findings []Finding) []string {
	var flags []string
	known := map[string]bool{"": true}
	for _, f := range findings {
		if !known[f.Flag] {
			flags = append(flags, f.Flag)
			known[f.Flag] = true
		}
	}
	return flags
}

func findingf(check string, level Level, format string, args ...any) Finding {
	return Finding{Check: check, Level: level, Text: fmt.Sprintf(format, args...)}
}

// flagged adds a flag to a finding.
func (f Finding) flagged(flag string) Finding {
	f.Flag = flag
	return f
}
