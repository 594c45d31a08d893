package serverproc

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// Security are the lines of /proc/PID/status that tell under which restrictions a
// process runs. Source: proc_pid_status(5).
type Security struct {
	Seccomp        Fact[int]    // mode: 0 off, 1 strict, 2 filter
	SeccompFilters Fact[int]    // how many; told since Linux 5.9
	NoNewPrivs     Fact[bool]   // no program that it executes gains rights
	CapEff         Fact[string] // effective capabilities, 16 hexadecimal digits
}

// parseSecurity reads lines of "Key:\tvalue". Keys that this kernel does not have are
// n/a, a value that is no number is an error.
func parseSecurity(status []byte) (Security, error) {
	const absent = "this kernel does not tell"
	s := Security{unknown[int](absent), unknown[int](absent), unknown[bool](absent), unknown[string](absent)}
	for line := range bytes.Lines(status) {
		key, value, _ := strings.Cut(strings.TrimSuffix(string(line), "\n"), ":")
		value = strings.TrimSpace(value)
		switch key {
		case "Seccomp", "Seccomp_filters", "NoNewPrivs":
			n, err := strconv.Atoi(value)
			if err != nil {
				return Security{}, fmt.Errorf("line %q: %q is not a number", line, value)
			}
			switch key {
			case "Seccomp":
				s.Seccomp = known(n)
			case "Seccomp_filters":
				s.SeccompFilters = known(n)
			case "NoNewPrivs":
				s.NoNewPrivs = known(n != 0)
			}
		case "CapEff":
			s.CapEff = known(value)
		}
	}
	return s, nil
}

// Limit is one resource limit of a process.
type Limit struct {
	Name       string // as the kernel words it, such as "Max open files"
	Soft, Hard string // numbers or "unlimited"
}

// parseLimits reads /proc/PID/limits, a table whose columns begin under their
// headings. Source: proc_pid_limits(5).
func parseLimits(data []byte) ([]Limit, error) {
	heading, rows, _ := strings.Cut(string(data), "\n")
	soft, hard, units := strings.Index(heading, "Soft Limit"), strings.Index(heading, "Hard Limit"), strings.Index(heading, "Units")
	if soft <= 0 || hard <= soft || units <= hard {
		return nil, fmt.Errorf("heading %q: expected Soft Limit, Hard Limit and Units", heading)
	}
	var limits []Limit
	for row := range strings.Lines(rows) {
		if len(row) < units {
			return nil, fmt.Errorf("row %q is shorter than its heading", row)
		}
		limits = append(limits, Limit{
			Name: strings.TrimSpace(row[:soft]),
			Soft: strings.TrimSpace(row[soft:hard]),
			Hard: strings.TrimSpace(row[hard:units]),
		})
	}
	return limits, nil
}

// splitZero reads the strings of /proc/PID/cmdline and environ, each of which ends
// with a zero byte. A program that writes a title over them leaves a last one without
// it, or pads with more zero bytes, which are dropped.
func splitZero(data []byte) []string {
	text := strings.TrimRight(string(data), "\x00")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\x00")
}
