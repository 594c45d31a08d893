package measure

import (
	"testing"
	"time"
)

func TestClockChange(t *testing.T) {
	const second = int64(time.Second)
	from := clocks{monotonic: 100 * second, wall: 5000 * second, raw: 90 * second, gap: 200}
	tests := []struct {
		name            string
		wall, raw, gap  int64 // after 10 s of CLOCK_MONOTONIC: how far these have come beside 10 s, and the gap
		stepped, slewed bool
	}{
		{"nothing", 0, 0, 200, false, false},
		{"a crystal that is 50 millionths off", 0, -500_000, 200, false, false},
		{"NTP at its most", 0, 5_000_000, 200, false, true}, // 10.005 s of hardware: 500 millionths slower
		{"set forward", 2 * second, 0, 200, true, false},
		{"set back by 2 ms", -2_000_000, 0, 200, true, false},
		{"less than a ms", 900_000, 0, 200, false, false},
		{"read during a preemption", 3_000_000, 3_000_000, 4_000_000, false, false},
	}
	for _, test := range tests {
		to := clocks{monotonic: from.monotonic + 10*second, wall: from.wall + 10*second + test.wall, raw: from.raw + 10*second + test.raw, gap: test.gap}
		c := to.since(from)
		if c.stepped() != test.stepped || c.slewed(10*time.Second) != test.slewed {
			t.Errorf("%s: %+v: stepped %t, slewed %t", test.name, c, c.stepped(), c.slewed(10*time.Second))
		}
	}
	if from.since(clocks{}) != nil || (clocks{}).since(from) != nil {
		t.Error("of a clock that cannot be read something is known")
	}
	var unknown *ClockChange
	if unknown.stepped() || unknown.slewed(time.Second) {
		t.Error("what is not known is flagged")
	}
}

// The clocks of this host are read, and nobody sets them now.
func TestReadClocks(t *testing.T) {
	from := readClocks()
	to := readClocks()
	if c := to.since(from); c == nil || to.gap <= 0 || to.monotonic <= from.monotonic || c.stepped() {
		t.Errorf("%+v, %+v: %+v", from, to, c)
	}
}
