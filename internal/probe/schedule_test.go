package probe

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/scalws/scalbench/internal/mono"
)

func TestIntended(t *testing.T) {
	tests := []struct {
		rate float64
		seq  int64
		want time.Duration
	}{
		{10, 0, 0},
		{10, 7, 700 * time.Millisecond}, // 7 / 10
		{3, 1, 333333333},               // 1/3 s to the nearest ns
		{3, 2, 666666667},               // 2/3 s
		{3, 3, time.Second},             // rounding does not add up
		{0.25, 3, 12 * time.Second},     // 3 / 0.25
		{10, 864_000_001, 86_400_000*time.Second + 100*time.Millisecond}, // 1000 days, where a float64 of ns has steps of 16
	}
	for _, tt := range tests {
		s := newSchedule(1000, Config{Rate: tt.rate})
		if got := s.intended(tt.seq).Sub(1000); (got - tt.want).Abs() > 10 {
			t.Errorf("rate %v, seq %d: %d, want %d", tt.rate, tt.seq, got, tt.want)
		}
	}
}

func TestScheduleCount(t *testing.T) {
	tests := []struct {
		c    Config
		want int64
	}{
		{Config{Rate: 10}, math.MaxInt64},
		{Config{Rate: 10, Count: 5}, 5},
		{Config{Rate: 10, Duration: time.Second}, 10},              // 0, 100, … 900 ms; not 1000
		{Config{Rate: 10, Duration: 300 * time.Millisecond}, 3},    // 0, 100, 200 ms
		{Config{Rate: 10, Duration: 301 * time.Millisecond}, 4},    // and 300 ms
		{Config{Rate: 0.5, Duration: time.Second}, 1},              // 0; the next is at 2 s
		{Config{Rate: 10, Duration: time.Second, Count: 3}, 3},     // the smaller one
		{Config{Rate: 10, Duration: time.Second, Count: 1000}, 10}, //
	}
	for _, tt := range tests {
		if got := newSchedule(0, tt.c).count; got != tt.want {
			t.Errorf("%+v: %d probes, want %d", tt.c, got, tt.want)
		}
	}
}

// What is due while too many are out is missed at once, and is in the response
// times at the age that it has when one of those ends.
func TestMissed(t *testing.T) {
	clock := newClock(t)
	var told []*Probe
	r := newRun(Config{Rate: 10, Count: 3}, Observer{Probe: func(p *Probe) { told = append(told, p) }}, clock, nil)
	for i := range outMax {
		r.out[int64(-1-i)] = clock.Now()
	}
	r.schedule.start = clock.Now().Add(-time.Second) // all three are due, at ages of 1000, 900 and 800 ms
	r.beginDue(t.Context())
	if len(told) != 3 || told[2].Outcome != Missed || r.tally.response.histogram.Count() != 0 {
		t.Fatalf("%d told, %d in response, want 3 missed and none yet", len(told), r.tally.response.histogram.Count())
	}
	ended := &Probe{Seq: -1, Intended: clock.Now(), Began: clock.Now(), Done: clock.Now(), Outcome: Reset}
	r.settle(ended)
	h := r.tally.response.histogram
	if h.Count() != 3 || time.Duration(h.MinNS()) < 800*time.Millisecond || time.Duration(h.MaxNS()) < time.Second {
		t.Errorf("%d in response, %s to %s, want 3, from 800ms to 1s or more", h.Count(), time.Duration(h.MinNS()), time.Duration(h.MaxNS()))
	}
	r.settle(&Probe{Seq: -2, Intended: clock.Now(), Began: clock.Now(), Done: clock.Now(), Outcome: Reset})
	if h.Count() != 3 {
		t.Error("a missed probe was recorded twice")
	}
}

// realtimeOffset turns what time.Now says into what the clock says.
func TestRealtimeOffset(t *testing.T) {
	clock := newClock(t)
	for range 20 {
		before := clock.Now()
		wall := time.Now().UnixNano()
		after := clock.Now()
		got := mono.Time(wall) + realtimeOffset(clock)
		if got < before.Add(-pairSlack) || got > after.Add(pairSlack) {
			t.Errorf("%d is outside [%d, %d]", got, before, after)
		}
	}
}

func TestConfigFaults(t *testing.T) {
	good := Config{URL: "http://host/", Rate: 10}
	tests := []struct {
		change func(*Config)
		want   string // "": valid
	}{
		{func(*Config) {}, ""},
		{func(c *Config) { c.URL = "host" }, "want http://host[:port]/path"},
		{func(c *Config) { c.URL = "ftp://host/" }, `scheme "ftp" is not supported`},
		{func(c *Config) { c.URL = "http://" }, "no host in it"},
		{func(c *Config) { c.URL = "http://host:99999/" }, `port "99999", want 1 to 65535`},
		{func(c *Config) { c.URL = "http://u:secret@host/" }, `"http://u:xxxxx@host/": a user in it is not sent`},
		{func(c *Config) { c.URL = "http://u:sec%zzret@host/" }, "URL with a user in it: not valid"},
		{func(c *Config) { c.Protocol = HTTP3 }, "HTTP/3 is only spoken on https://"},
		{func(c *Config) { c.Rate = 0 }, "rate: 0, want more than 0 and at most 1000 a second"},
		{func(c *Config) { c.Rate = math.NaN() }, "rate: NaN"},
		{func(c *Config) { c.Rate = 1001 }, "rate: 1001"},
		{func(c *Config) { c.Count = -1 }, "requests: -1"},
		{func(c *Config) { c.Timeout = -1 }, "timeout: -1ns"},
		{func(c *Config) { c.Family = 5 }, "address family: 5"},
		{func(c *Config) { c.ExpectStatus = 42 }, "expected status: 42"},
		{func(c *Config) { c.Method = "GE T" }, `method "GE T"`},
		{func(c *Config) { c.Header = map[string][]string{"a b": nil} }, `header "a b"`},
		{func(c *Config) { c.Header = map[string][]string{"a": {"x\ny"}} }, `header "a": its value has a control character`},
		{func(c *Config) { c.TLS.CAs = []byte("x") }, "no certificate in PEM"},
		{func(c *Config) { c.TLS.Cert = []byte("x") }, "client certificate: "},
	}
	for _, tt := range tests {
		c := good
		tt.change(&c)
		err := c.Validate()
		switch {
		case tt.want == "" && err != nil, tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%+v: %v, want %q", c, err, tt.want)
		case err != nil && strings.Contains(err.Error(), "secret"):
			t.Errorf("a password in %q", err)
		}
	}
	all := Config{Rate: -1, Count: -1, Family: 1}.Validate()
	if n := strings.Count(all.Error(), "\n") + 1; n != 4 { // URL, rate, requests, family
		t.Errorf("%d faults in %q, want 4", n, all)
	}
}
