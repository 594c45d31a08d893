package main

import (
	"strings"
	"testing"
	"time"

	"github.com/scalws/scalbench/driver"
)

// A time of day is the next one; a day may stand in front.
func TestTimeFlag(t *testing.T) {
	zone := time.FixedZone("CET", 3600)
	now := time.Date(2026, 11, 30, 21, 30, 0, 0, zone)
	for _, tt := range []struct {
		text, want string // "" is no time, ! is refused
	}{
		{"", ""},
		{"22:00", "2026-11-30T22:00:00+01:00"},
		{"06:00", "2026-12-01T06:00:00+01:00"},
		{"21:30", "2026-12-01T21:30:00+01:00"}, // now has passed
		{"2026-12-24T18:00", "2026-12-24T18:00:00+01:00"},
		{"2026-12-24 18:00", "2026-12-24T18:00:00+01:00"},
		{"2026-12-24T18:00:00Z", "2026-12-24T18:00:00Z"},
		{"25:00", "!"},
		{"tomorrow", "!"},
	} {
		at, err := timeFlag("--until", tt.text, now)
		got := ""
		switch {
		case err != nil:
			got = "!"
		case !at.IsZero():
			got = at.Format(time.RFC3339)
		}
		if got != tt.want {
			t.Errorf("%q: %q, %v, want %q", tt.text, got, err, tt.want)
		}
	}
}

// --until is after --start-at.
func TestUntilAfterStart(t *testing.T) {
	o := sittingOptions{startAt: "22:00", until: "21:00"}
	var order driver.Order
	if err := o.apply(&order, time.Date(2026, 11, 30, 20, 0, 0, 0, time.UTC)); err != nil {
		t.Fatal(err)
	}
	if got := order.Until.Sub(order.StartAt); got != 23*time.Hour {
		t.Errorf("from start to end %v, want 23h", got)
	}
}

// The line of a measurement has what is known, and no zeros for what is not.
func TestMeasuredLine(t *testing.T) {
	m := driver.Measured{Round: 2, Run: 3, Variant: "el8", Mode: "multi", Scenario: "static-small", Attempt: 1, Valid: true,
		RPS: 69873, P99Millis: 1.184, CPUMicros: 57.238, Ratios: []driver.Ratio{{Base: "rc1-11", New: "el8", RPS: 1.0023}},
		Progress: driver.Progress{Done: 41, Total: 240, Left: 2*time.Hour + 10*time.Minute + 20*time.Second}}
	want := "[41/240] round 2, run 3, el8, multi/static-small: 69 873 req/s, p99 1.18 ms, cpu 57.24 us, el8/rc1-11 1.002, about 2h10m left"
	if got := measuredLine(m); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	m = driver.Measured{Round: 1, Run: 1, Variant: "el8", Scenario: "small", Attempt: 2, Valid: true, RPS: 100, Interfered: true,
		Progress: driver.Progress{Done: 1, Total: 2, Left: 1500 * time.Millisecond}}
	want = "[1/2] round 1, run 1, el8, small, attempt 2: 100 req/s, interfered, about 2s left"
	if got := measuredLine(m); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	m.Valid, m.Reason = false, "3 errors"
	if got := measuredLine(m); !strings.HasSuffix(got, "small, attempt 2: INVALID: 3 errors") {
		t.Errorf("%q", got)
	}
}
