package procfs

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Load1 returns the load average of the last minute: how many tasks ran, waited
// for a CPU, or waited for a disk. It falls by a factor of e in a minute, so that
// a host that has just become idle still shows the work before. Source:
// proc_loadavg(5).
func (f FS) Load1() (float64, error) {
	data, err := os.ReadFile(filepath.Join(f.root, "loadavg"))
	if err != nil {
		return 0, err
	}
	first, _, _ := strings.Cut(string(data), " ")
	load, err := strconv.ParseFloat(first, 64)
	if err != nil || load < 0 {
		return 0, fmt.Errorf("read loadavg: %q does not begin with a load", data)
	}
	return load, nil
}

// CPUPressure returns the share of the last ten seconds, 0 to 1, in which some task
// was ready and had to wait for a CPU. The file is absent where the kernel was built
// without pressure stall information, and cannot be read where it was started with
// psi=0. Source: kernel documentation, accounting/psi.rst.
func (f FS) CPUPressure() (someFrac float64, err error) {
	data, err := os.ReadFile(filepath.Join(f.root, "pressure/cpu"))
	if err != nil {
		return 0, err
	}
	if someFrac, err = parsePressure(data); err != nil {
		return 0, fmt.Errorf("read pressure/cpu: %w", err)
	}
	return someFrac, nil
}

// PressureTotal returns how long some task had to wait for a resource, cpu, io or memory,
// since the host was started. Source: as of [FS.CPUPressure].
func (f FS) PressureTotal(resource string) (some time.Duration, err error) {
	data, err := os.ReadFile(filepath.Join(f.root, "pressure", resource))
	if err != nil {
		return 0, err
	}
	for line := range bytes.Lines(data) {
		text := strings.TrimSpace(string(line))
		if _, total, found := strings.Cut(text, " total="); found && strings.HasPrefix(text, "some ") {
			us, err := strconv.ParseInt(total, 10, 64)
			return time.Duration(us) * time.Microsecond, err
		}
	}
	return 0, fmt.Errorf("read pressure/%s: %q has no line \"some ... total=...\"", resource, data)
}

// parsePressure reads "some avg10=0.12 avg60=0.05 avg300=0.01 total=12345", of
// which the averages are in percent.
func parsePressure(data []byte) (float64, error) {
	for line := range bytes.Lines(data) {
		fields := strings.Fields(string(line))
		if len(fields) < 2 || fields[0] != "some" {
			continue
		}
		text, found := strings.CutPrefix(fields[1], "avg10=")
		percent, err := strconv.ParseFloat(text, 64)
		if !found || err != nil {
			break
		}
		return percent / 100, nil
	}
	return 0, fmt.Errorf("%q has no line \"some avg10=...\"", data)
}
