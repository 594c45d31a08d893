package target

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/scalws/scalbench/internal/mono"
)

func TestDelaySteps(t *testing.T) {
	const ms = time.Millisecond
	for _, test := range []struct {
		query string
		want  map[time.Duration]int // of a hundred
	}{
		{"p50=1ms&p90=5ms&p99=20ms", map[time.Duration]int{1 * ms: 50, 5 * ms: 40, 20 * ms: 10}}, // 90-50; 99-90, and the one above
		{"p99=0s&p100=60s", map[time.Duration]int{0: 99, time.Minute: 1}},
		{"p1=1ms&p2=1ms&p3=2ms", map[time.Duration]int{1 * ms: 2, 2 * ms: 98}},
		{"p100=3ms", map[time.Duration]int{3 * ms: 100}},
	} {
		t.Run(test.query, func(t *testing.T) {
			var args fasthttp.Args
			args.Parse(test.query)
			steps, err := parseDelaySteps(&args)
			if err != nil {
				t.Fatal(err)
			}
			for first := range uint64(250) { // whichever request begins the hundred
				got := map[time.Duration]int{}
				for n := first; n < first+100; n++ {
					got[delayOfRank(steps, rankOf(n))]++
				}
				for delay, n := range test.want {
					if got[delay] != n || len(got) != len(test.want) {
						t.Fatalf("the hundred from %d on: %v, want %v", first, got, test.want)
					}
				}
			}
		})
	}
}

func TestDelayStepsFaults(t *testing.T) {
	const usage = ", such as /delay-steps?p50=1ms&p90=5ms&p99=20ms"
	for _, test := range []struct{ query, want string }{
		{"", "delay steps: expected at least one" + usage},
		{"q50=1ms", `delay steps "q50": expected p1 to p100 here` + usage},
		{"p0=1ms", `delay steps "p0": expected p1 to p100 here` + usage},
		{"p101=1ms", `delay steps "p101": expected p1 to p100 here` + usage},
		{"p99.9=1ms", `delay steps "p99.9": expected p1 to p100 here` + usage},
		{"p50=1ms&p50=2ms", `delay steps "p50": expected p51 to p100 here` + usage},
		{"p90=1ms&p50=2ms", `delay steps "p50": expected p91 to p100 here` + usage},
		{"p50=2ms&p90=1ms", `delay steps p90="1ms": expected a duration from 2ms to 1m0s here` + usage},
		{"p50=x", `delay steps p50="x": expected a duration from 0s to 1m0s here` + usage},
		{"p50=-1ms", `delay steps p50="-1ms": expected a duration from 0s to 1m0s here` + usage},
		{"p50=61s", `delay steps p50="61s": expected a duration from 0s to 1m0s here` + usage},
	} {
		t.Run(test.query, func(t *testing.T) {
			var args fasthttp.Args
			args.Parse(test.query)
			if _, err := parseDelaySteps(&args); errorText(err) != test.want {
				t.Errorf("fault %q, want %q", errorText(err), test.want)
			}
		})
	}
}

// Several connections at once share one count: of all their requests together the
// share that is held is exact.
func TestDelayStepsOverConnections(t *testing.T) {
	target := start(t, Config{})
	clock, err := mono.NewClock()
	if err != nil {
		t.Fatal(err)
	}
	const connections, each, held = 4, 50, 40 * time.Millisecond
	took := make([]time.Duration, connections*each)
	var all sync.WaitGroup
	for c := range connections {
		all.Go(func() {
			client := &http.Client{Transport: &http.Transport{}}
			defer client.CloseIdleConnections()
			for i := range each {
				before := clock.Now()
				resp, err := client.Get(fmt.Sprintf("%s/delay-steps?p97=0s&p100=%v", target.url, held))
				if err != nil {
					t.Error(err)
					return
				}
				resp.Body.Close()
				took[c*each+i] = clock.Now().Sub(before)
			}
		})
	}
	all.Wait()
	slices.Sort(took)
	// 3 of 100 are held, so 6 of 200: the longest, none of which is early. A
	// seventh may be as long on a host that is busy, but not most of them.
	if longest := took[len(took)-6]; longest < held {
		t.Errorf("the sixth longest took %v, want at least %v", longest, held)
	}
	if middle := took[len(took)/2]; middle >= held {
		t.Errorf("the middle one took %v: it was held", middle)
	}
}
