package cpuset

import (
	"strings"
	"testing"
	"time"
)

func TestThrottling(t *testing.T) {
	for _, tt := range []struct {
		host string
		want Throttling
	}{
		// Own group /a/b/c: 40 periods, 7 throttled, 250000 us; its parent, which has
		// the smaller quota, 40, 12 and 1000000 us; /a and the top have no quota.
		{"v2-nested.txtar", Throttling{Periods: 80, Throttled: 19, Stopped: 1250 * time.Millisecond}},
		// Version 1 counts nanoseconds: 1500000 of them are 1.5 ms. Version 2
		// beside it has no cpu controller.
		{"v1-hybrid.txtar", Throttling{Periods: 9, Throttled: 2, Stopped: 1500 * time.Microsecond}},
		{"unlimited.txtar", Throttling{}},
	} {
		got, err := unpack(t, tt.host).Throttling()
		if err != nil || got != tt.want {
			t.Errorf("%s: %+v, %v, want %+v", tt.host, got, err, tt.want)
		}
	}
}

func TestThrottlingSub(t *testing.T) {
	earlier, later := Throttling{10, 3, time.Second}, Throttling{25, 8, 3 * time.Second}
	if got, want := later.Sub(earlier), (Throttling{15, 5, 2 * time.Second}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := earlier.Sub(later); got != (Throttling{}) {
		t.Errorf("counts that went back: %+v, want none", got)
	}
}

func TestThrottlingErrors(t *testing.T) {
	_, err := unpack(t, "garbage.txtar").Throttling()
	if err == nil || !strings.Contains(err.Error(), "/sys/fs/cgroup/cpu.stat") || !strings.Contains(err.Error(), `nr_throttled "some"`) {
		t.Errorf("error = %v, want one with the file and the text", err)
	}
	var sum Throttling
	for _, text := range []string{"nr_periods", "nr_periods -1", "throttled_usec 1.5"} {
		if err := sum.add(text); err == nil {
			t.Errorf("add(%q) succeeded", text)
		}
	}
}

// Of the host's own groups only relations are known.
func TestThrottlingOfThisHost(t *testing.T) {
	got, err := NewFS("/").Throttling()
	if err != nil || got.Throttled > got.Periods || got.Throttled == 0 && got.Stopped > 0 {
		t.Errorf("%+v, %v: want throttled <= periods, and no time stopped without", got, err)
	}
}
