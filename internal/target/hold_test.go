package target

import (
	"testing"
	"time"

	"github.com/scalws/scalbench/internal/mono"
)

func TestStallLeft(t *testing.T) {
	const ms = time.Millisecond
	start := mono.Time(7_000_000_123) // periods do not begin at zero
	for _, test := range []struct {
		name             string
		now, every, hold time.Duration // now after start
		want             time.Duration
	}{
		{"start", 0, 1000 * ms, 200 * ms, 200 * ms},       // whole stall ahead
		{"in it", 50 * ms, 1000 * ms, 200 * ms, 150 * ms}, // 200 - 50
		{"last ns", 200*ms - 1, 1000 * ms, 200 * ms, 1},   // half-open: ends at 200 ms
		{"its end", 200 * ms, 1000 * ms, 200 * ms, 0},
		{"between", 999 * ms, 1000 * ms, 200 * ms, 0},
		{"next", 1000 * ms, 1000 * ms, 200 * ms, 200 * ms},           // second period
		{"tenth", 9_130 * ms, 1000 * ms, 200 * ms, 70 * ms},          // 9130 mod 1000 = 130; 200 - 130
		{"uneven period", 1_000 * ms, 300 * ms, 200 * ms, 100 * ms},  // 1000 mod 300 = 100; 200 - 100
		{"a week later", 7 * 24 * time.Hour, 7 * ms, 6 * ms, 6 * ms}, // 604800000 ms = 86400000 x 7: mod 0
		{"no stall", 0, 1000 * ms, 0, 0},
		{"all but 1 ns", 1000*ms - 1, 1000 * ms, 1000*ms - 1, 0},
		{"nearly all", 1000*ms - 2, 1000 * ms, 1000*ms - 1, 1}, // (1e9 - 1) - (1e9 - 2)
		{"period of 1 ns", 12345, 1, 0, 0},
		{"longest", 59 * time.Second, time.Hour, maxHold, time.Second}, // 60 - 59
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := stallLeft(start.Add(test.now), start, test.every, test.hold); got != test.want {
				t.Errorf("stallLeft = %s, want %s", got, test.want)
			}
		})
	}
}

func TestParseDelay(t *testing.T) {
	for _, test := range []struct {
		spec  string
		want  time.Duration
		fault bool
	}{
		{"2ms", 2 * time.Millisecond, false},
		{"0s", 0, false},
		{"1m", time.Minute, false},
		{"1.5ms", 1500 * time.Microsecond, false},
		{"60.000000001s", 0, true},
		{"-1ns", 0, true},
		{"2", 0, true},
		{"", 0, true},
		{"2ms/", 0, true},
		{"999999999h", 0, true}, // overflows int64 ns
	} {
		t.Run(test.spec, func(t *testing.T) {
			got, err := parseDelay(test.spec)
			if got != test.want || (err != nil) != test.fault {
				t.Errorf("parseDelay = %s, %v; want %s, fault %t", got, err, test.want, test.fault)
			}
		})
	}
}

func TestParseStall(t *testing.T) {
	for _, test := range []struct {
		every, hold string
		fault       string
	}{
		{"1s", "200ms", ""},
		{"1h", "60s", ""},
		{"1ns", "0s", ""},
		{"0s", "0s", `stall every="0s": expected a duration above 0s, up to 1h0m0s such as /stall?every=1s&for=200ms`},
		{"2h", "1s", `stall every="2h": expected a duration above 0s, up to 1h0m0s such as /stall?every=1s&for=200ms`},
		{"1s", "-1s", `stall for="-1s": expected a duration from 0s to 1m0s such as /stall?every=1s&for=200ms`},
		{"1h", "61s", `stall for="61s": expected a duration from 0s to 1m0s such as /stall?every=1s&for=200ms`},
		{"1s", "x", `stall for="x": expected a duration from 0s to 1m0s such as /stall?every=1s&for=200ms`},
		{"1s", "1s", "stall every=1s&for=1s: for must be shorter than every, or nothing is ever answered"},
	} {
		t.Run(test.every+" "+test.hold, func(t *testing.T) {
			_, _, err := parseStall(test.every, test.hold)
			if got := errorText(err); got != test.fault {
				t.Errorf("parseStall: %q, want %q", got, test.fault)
			}
		})
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// An answer never comes early: from before the request to after its answer is
// at least the delay.
func TestDelayIsNotEarly(t *testing.T) {
	target := start(t, Config{})
	const d = 20 * time.Millisecond
	before := time.Now()
	get(t, "GET", target.url+"/delay/20ms", nil)
	if took := time.Since(before); took < d {
		t.Errorf("answered after %s, want at least %s", took, d)
	}
}

// Periods begin with the server, so the first 150 ms after a moment before its
// start are stalled for every request.
func TestStallHoldsToItsEnd(t *testing.T) {
	before := time.Now()
	target := start(t, Config{})
	resp, _ := get(t, "GET", target.url+"/stall?every=1h&for=150ms", nil)
	if took := time.Since(before); took < 150*time.Millisecond || resp.StatusCode != 200 {
		t.Errorf("status %d, %s after the start, want 200 and at least 150ms", resp.StatusCode, took)
	}
}
