package target

import (
	"fmt"
	"net"
	"strings"
	"testing"
)

func TestFaultLog(t *testing.T) {
	var out strings.Builder
	log := newFaultLog(&out)
	log.Printf("serving %d: %v", 1, fmt.Errorf("write: %w", net.ErrClosed)) // cut off at the end: no fault
	if out.Len() != 0 {
		t.Errorf("logged %q", out.String())
	}
	for i := range maxFaults + 5 {
		log.Printf("fault %d", i)
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	// 20 faults and the line that says so.
	if len(lines) != 21 || lines[0] != "target: fault 0" || lines[19] != "target: fault 19" ||
		lines[20] != "target: further faults are not written" {
		t.Errorf("%d lines: %q", len(lines), lines)
	}
}
