package record

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// aMeasurement is a valid one.
func aMeasurement(run int, variant, scenario string, rps float64) Measurement {
	return Measurement{
		Session: "s1", Round: 2, Run: run, Slot: 3, Variant: variant, Scenario: scenario,
		StartUTC: time.Date(2026, 11, 6, 21, 0, run, 250_000_000, time.UTC), StartMonoNS: int64(run) * 1e9, DurationSeconds: Of(30),
		Requests: uint64(30 * rps), RPS: Of(rps), Status2xx: uint64(31 * rps), Bytes: 1 << 30,
		P50Millis: Of(0.6), P99Millis: Of(1.18), CPUMicros: Of(57.24), ServerBusyFrac: Of(0.998), RSSKiB: Of(45056),
		RSSMethod: "vmhwm", IdentityOK: 30, IdentityN: 30, ExeSHA256: strings.Repeat("ab", 32), Attempt: 1,
	}
}

// faultLines are the faults of an error, one a line.
func faultLines(t *testing.T, err error) []string {
	t.Helper()
	if err == nil {
		return nil
	}
	var faults Faults
	if !errors.As(err, &faults) {
		t.Fatalf("error %v is no Faults", err)
	}
	return strings.Split(faults.Error(), "\n")
}

// wantFaults compares the faults of an error with parts of them, one for each.
func wantFaults(t *testing.T, err error, want ...string) {
	t.Helper()
	have := faultLines(t, err)
	if len(have) != len(want) {
		t.Fatalf("%d faults, want %d:\n%s", len(have), len(want), strings.Join(have, "\n"))
	}
	for i := range want {
		if !strings.Contains(have[i], want[i]) {
			t.Errorf("fault %q, want %q in it", have[i], want[i])
		}
	}
}
