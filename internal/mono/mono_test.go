package mono

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestNowIsClockMonotonic(t *testing.T) {
	c, err := NewClock()
	if err != nil {
		t.Fatal(err)
	}
	var ts unix.Timespec
	before := c.Now()
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		t.Fatal(err)
	}
	after := c.Now()
	// The kernel's reading lies between ours, give or take the error of the
	// pair taken by NewClock (half of one system call, far below 100 us).
	kernel := Time(ts.Nano())
	slack := Time(100 * time.Microsecond)
	if kernel < before-slack || kernel > after+slack {
		t.Errorf("CLOCK_MONOTONIC %d is outside [%d, %d]", kernel, before, after)
	}
}

func TestArithmetic(t *testing.T) {
	start := Time(1_000)
	if got := start.Add(2 * time.Microsecond); got != 3_000 { // 1000 + 2*1000
		t.Errorf("Add = %d, want 3000", got)
	}
	if got := Time(3_000).Sub(start); got != 2*time.Microsecond {
		t.Errorf("Sub = %v, want 2us", got)
	}
}

func TestWall(t *testing.T) {
	c, err := NewClock()
	if err != nil {
		t.Fatal(err)
	}
	now := c.Now()
	if d := time.Since(c.Wall(now)); d < -time.Second || d > time.Second {
		t.Errorf("Wall(now) is %v away from time.Now", d)
	}
}
