package target

import (
	"math"
	"net/http"
	"strings"
	"testing"
	"time"
)

// A process on one CPU that answers in 10 us, and reads the CPU time in 500 ns and the clock
// in 100.
func TestBurner(t *testing.T) {
	for _, share := range []float64{0.005, 0.01, 0.05, 0.5, 0.9} {
		var cpu time.Duration // what the process used, which is the time, too
		b := &burner{share: share, since: cpu}
		b.used = func() (time.Duration, error) { cpu += 500 * time.Nanosecond; return cpu, nil }
		b.now = func() time.Duration { cpu += 100 * time.Nanosecond; return cpu }
		const answers = 300 * burnEvery
		for range answers {
			cpu += 10 * time.Microsecond
			b.answered()
		}
		// Of work w it burns share/(1-share) w: the whole is 1/(1-share) w. Of each look one
		// reading of the clock is nobody's, 100 ns of 640 us.
		const work = answers * 10 * time.Microsecond
		got, want := float64(cpu), float64(work)/(1-share)
		if math.Abs(got/want-1) > 3e-4 {
			t.Errorf("share %v: %v for %v of work, want %v", share, cpu, work, time.Duration(want))
		}
		if got := float64(b.burnt) / float64(cpu); math.Abs(got-share) > 3e-4 {
			t.Errorf("share %v: burnt %v of %v", share, b.burnt, cpu)
		}
	}
}

// Over all protocols it says in the end what it burnt, and a server without says nothing.
func TestBurn(t *testing.T) {
	for name, config := range map[string]Config{"cleartext": {}, "TLS": secureConfig(t)} {
		t.Run(name, func(t *testing.T) {
			config.Burn = 0.25
			server := start(t, config)
			client := http.DefaultClient
			if config.Cert != "" {
				client = secureClient(t, config, true)
			}
			for range 4 * burnEvery {
				resp, err := client.Get(server.url + "/respond")
				if err != nil {
					t.Fatal(err)
				}
				resp.Body.Close()
			}
			server.cancel()
			if err := server.wait(t); err != nil {
				t.Error(err)
			}
			log := server.log.String()
			if !strings.Contains(log, "burnt ") || strings.Contains(log, "burnt 0.000 %") {
				t.Errorf("logged %q", log)
			}
		})
	}
}

func TestBurnFaults(t *testing.T) {
	for _, share := range []float64{-0.1, 0.91, 1, math.NaN()} {
		if err := (Config{Burn: share}).Validate(); err == nil {
			t.Errorf("burn %v was taken", share)
		}
	}
}
