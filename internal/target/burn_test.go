package target

import (
	"math"
	"net/http"
	"strings"
	"testing"
	"time"
)

// burning is a process on one CPU that answers in 10 us, and reads the CPU time in 500 ns and
// the clock in 20.
type burning struct {
	*burner
	cpu time.Duration // what the process used, which is the time, too
}

func newBurning(share float64) *burning {
	p := &burning{}
	p.burner = &burner{
		share: share,
		used:  func() (time.Duration, error) { p.cpu += 500 * time.Nanosecond; return p.cpu, nil },
		now:   func() time.Duration { p.cpu += 20 * time.Nanosecond; return p.cpu },
	}
	return p
}

// answer so many requests, and say what they took.
func (p *burning) answer(n int, query string) (took time.Duration) {
	began := p.cpu
	for range n {
		p.cpu += 10 * time.Microsecond
		p.answered([]byte(query))
	}
	return p.cpu - began
}

func TestBurner(t *testing.T) {
	for _, share := range []float64{0.005, 0.01, 0.05, 0.5, 0.9} {
		p := newBurning(share)
		p.answer(burnEvery, "") // the first look begins the account
		const answers = 100 * burnEvery
		got := p.answer(answers, "")
		// Of work w it burns share/(1-share) w: the whole is 1/(1-share) w. A look costs 520 ns
		// of 2560 us beside that, and its part of the burnt.
		const work = answers * 10 * time.Microsecond
		want := float64(work) / (1 - share)
		if math.Abs(float64(got)/want-1) > 3e-4 {
			t.Errorf("share %v: %v for %v of work, want %v", share, got, work, time.Duration(want))
		}
		if got := float64(p.burnt) / float64(p.of); math.Abs(got-share) > 1e-4 {
			t.Errorf("share %v: burnt %v of %v", share, p.burnt, p.of)
		}
	}
}

// Two shares in turns are each about their own requests, from the first look of a turn on.
func TestBurnerByQuery(t *testing.T) {
	p := newBurning(0)
	const turn = 8 * burnEvery
	var plain, burnt time.Duration
	for range 50 {
		plain += p.answer(turn, "burn=0.00")
		burnt += p.answer(turn, "burn=0.20")
	}
	// Of 8 looks in a turn 7 burn, 0.2/0.8 of the work since the last each: 1 + 7/8 x 1/4.
	if got, want := float64(burnt)/float64(plain), 1+7./8/4; math.Abs(got-want) > 1e-3 {
		t.Errorf("%v against %v: %v, want %v", burnt, plain, got, want)
	}
	if took := p.answer(turn, "p50=1ms"); took != turn*10*time.Microsecond {
		t.Errorf("requests that ask for nothing took %v", took)
	}
	for _, query := range []string{"burn=", "burn=1", "burn=-0.1", "burn=NaN", "burn=0.02&x=1"} {
		if _, ok := p.asked([]byte(query)); ok {
			t.Errorf("%s was taken", query)
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
			for range 3 * burnEvery {
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
