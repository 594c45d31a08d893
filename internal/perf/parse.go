package perf

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Count is how often a system call was made.
type Count struct {
	Name  string // such as writev; "" where all are counted in one number
	Calls uint64
}

// separator is between the fields of what perf prints.
const separator = ","

// Fields of a line of `perf stat -x,`. Source: perf-stat(1), CSV FORMAT.
const (
	fieldValue = iota
	fieldUnit
	fieldEvent
	fieldRunTime
	fieldPercent // of the run time in which it was counted
	fieldsLeast
)

// notCounted is what stands in the place of a number when no thread of the processes ran
// while it was counted.
const notCounted = "<not counted>"

// parseStat reads what `perf stat -x,` prints: a line for each event. Calls that were
// never made are left out. The error says what cannot be believed: another form, an event
// that perf could not count, or counted for a part of the time only.
func parseStat(text []byte) ([]Count, error) {
	var counts []Count
	events := 0
	for line := range bytes.Lines(text) {
		line := strings.TrimSpace(string(line))
		if line == "" || line[0] == '#' {
			continue
		}
		count, err := parseLine(line)
		if err != nil {
			return nil, fmt.Errorf("perf stat: line %q: %w", line, err)
		}
		events++
		if count.Calls > 0 {
			counts = append(counts, count)
		}
	}
	if events == 0 {
		return nil, errors.New("perf stat has counted no event")
	}
	return counts, nil
}

func parseLine(line string) (Count, error) {
	fields := strings.Split(line, separator)
	if len(fields) < fieldsLeast {
		return Count{}, fmt.Errorf("%d fields, expected %d or more", len(fields), fieldsLeast)
	}
	count := Count{}
	event := fields[fieldEvent]
	switch name, byName := strings.CutPrefix(event, "syscalls:sys_enter_"); {
	case strings.Contains(strings.TrimPrefix(name, "raw_syscalls:"), ":"):
		// With a modifier, such as :u, which perf adds for users who may not look at the
		// kernel: of a system call nothing is left then.
		return Count{}, errors.New("perf may not count what happens in the kernel (kernel.perf_event_paranoid)")
	case byName:
		count.Name = name
	case event != string(InAll):
		return Count{}, fmt.Errorf("event %q, expected a system call", event)
	}
	if fields[fieldValue] == notCounted {
		return count, nil
	}
	var err error
	if count.Calls, err = strconv.ParseUint(fields[fieldValue], 10, 64); err != nil {
		return Count{}, fmt.Errorf("value %q, expected a whole number", fields[fieldValue])
	}
	if percent, err := strconv.ParseFloat(fields[fieldPercent], 64); err != nil || percent < 100 {
		return Count{}, fmt.Errorf("it was counted for %s %% of the time, expected all of it", fields[fieldPercent])
	}
	return count, nil
}
