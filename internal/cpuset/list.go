package cpuset

import (
	"fmt"
	"strconv"
	"strings"
)

// Parse reads the kernel's list format: numbers and ascending ranges separated
// by commas, "0-3,8,10-12", in any order and with overlaps, as the "List
// Format" section of cpuset(7) has it. Space around the whole list is ignored,
// because kernel files end in a newline. The empty list is the empty set: the
// kernel writes it (an "offline" file), and a caller that needs a CPU says so
// better than a parser.
//
// The stride form "0-31:2/4", which only newer kernels read and none writes,
// is refused.
func Parse(list string) (Set, error) {
	var s Set
	trimmed := strings.TrimSpace(list)
	if trimmed == "" {
		return s, nil
	}
	for item := range strings.SplitSeq(trimmed, ",") {
		if err := s.addItem(item); err != nil {
			return Set{}, fmt.Errorf("cpu list %q: %w", trimmed, err)
		}
	}
	return s, nil
}

// addItem adds one "8" or "10-12".
func (s *Set) addItem(item string) error {
	lowText, highText, isRange := strings.Cut(item, "-")
	low, err := parseCPU(lowText, item)
	if err != nil {
		return err
	}
	high := low
	if isRange {
		if high, err = parseCPU(highText, item); err != nil {
			return err
		}
	}
	if high < low {
		return fmt.Errorf("range %q runs downwards", item)
	}
	for cpu := low; cpu <= high; cpu++ {
		if err := s.Add(cpu); err != nil {
			return err
		}
	}
	return nil
}

// parseCPU reads one CPU number of an item. Digits only: Atoi alone would take
// "+1".
func parseCPU(text, item string) (int, error) {
	if item == "" {
		return 0, fmt.Errorf("empty item between commas")
	}
	if text == "" || strings.Trim(text, "0123456789") != "" {
		return 0, fmt.Errorf("%q is not a CPU number or a range such as 0-3", item)
	}
	cpu, err := strconv.Atoi(text)
	if err != nil || cpu >= MaxCPUs {
		return 0, fmt.Errorf("cpu %s is outside 0-%d", text, MaxCPUs-1)
	}
	return cpu, nil
}

// String writes the kernel's list format in its shortest form: ascending, with
// every run of two or more CPUs as a range ("0-1,4"). The empty set is "".
func (s Set) String() string {
	var out strings.Builder
	cpus := s.CPUs()
	for first := 0; first < len(cpus); {
		last := first
		for last+1 < len(cpus) && cpus[last+1] == cpus[last]+1 {
			last++
		}
		if first > 0 {
			out.WriteByte(',')
		}
		out.WriteString(strconv.Itoa(cpus[first]))
		if last > first {
			out.WriteByte('-')
			out.WriteString(strconv.Itoa(cpus[last]))
		}
		first = last + 1
	}
	return out.String()
}

// MarshalText makes a Set the string of its list wherever text is wanted (JSON,
// YAML, flags).
func (s Set) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText is Parse; on an error the set keeps its value.
func (s *Set) UnmarshalText(text []byte) error {
	parsed, err := Parse(string(text))
	if err != nil {
		return err
	}
	*s = parsed
	return nil
}
