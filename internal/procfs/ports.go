package procfs

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// LocalPorts returns how many ports connections of one local address to one
// server can have: those of net.ipv4.ip_local_port_range less the reserved
// ones. Source: kernel documentation, networking/ip-sysctl.rst.
func (f FS) LocalPorts() (int, error) {
	data, err := os.ReadFile(filepath.Join(f.root, "sys/net/ipv4/ip_local_port_range"))
	if err != nil {
		return 0, fmt.Errorf("read range of local ports: %w", err)
	}
	first, last, err := parsePortRange(string(data))
	if err != nil {
		return 0, fmt.Errorf("read range of local ports: %w", err)
	}
	// Absent before Linux 2.6.35: nothing is reserved then.
	reserved, _ := os.ReadFile(filepath.Join(f.root, "sys/net/ipv4/ip_local_reserved_ports"))
	return last - first + 1 - countPorts(string(reserved), first, last), nil
}

// parsePortRange reads "32768\t60999\n".
func parsePortRange(text string) (first, last int, err error) {
	fields := strings.Fields(text)
	if len(fields) != 2 {
		return 0, 0, fmt.Errorf("%q: want two ports", text)
	}
	first, err1 := strconv.Atoi(fields[0])
	last, err2 := strconv.Atoi(fields[1])
	if err1 != nil || err2 != nil || first < 1 || last < first || last > 65535 {
		return 0, 0, fmt.Errorf("%q: want two ports, first the lower one", text)
	}
	return first, last, nil
}

// countPorts counts the ports of a list such as "8080,9000-9010" that lie in a
// range. What it does not understand counts as none: the list only narrows an
// estimate.
func countPorts(list string, first, last int) int {
	n := 0
	for item := range strings.SplitSeq(strings.TrimSpace(list), ",") {
		low, high, ranged := strings.Cut(item, "-")
		if !ranged {
			high = low
		}
		from, err1 := strconv.Atoi(low)
		to, err2 := strconv.Atoi(high)
		if err1 == nil && err2 == nil {
			n += max(0, min(to, last)-max(from, first)+1)
		}
	}
	return n
}
