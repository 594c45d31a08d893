package loadgen

import (
	"testing"
	"time"
)

func TestRest(t *testing.T) {
	const us = time.Microsecond
	for _, tt := range []struct {
		name    string
		slots   time.Duration
		service time.Duration
		want    time.Duration
	}{
		// A rest gathers slots x rest / service responses.
		{"a tenth of the service time", 64, 400 * us, 40 * us},           // gathers 64 x 40 / 400 = 6.4
		{"at most what is free", 64, 600 * us, 50 * us},                  // 60 is above 50, of which 1/50 is 12; gathers 5.3
		{"a fiftieth of a long one", 640, 20_000 * us, 400 * us},         // gathers 12.8
		{"at most the longest", 640, 40_000 * us, 500 * us},              // 1/50 is 800; gathers 8
		{"too short to pay", 64, 200 * us, 0},                            // 20 is below 25
		{"too few to gather", 64, 2000 * us, 0},                          // 64 x 50 / 2000 = 1.6, below 3
		{"many streams of a slow server", 640, 5000 * us, 100 * us},      // 1/50; gathers 12.8
		{"few connections that are fast", 8, 60 * us, 0},                 // 6 is below 25
		{"one connection", 1, 400 * us, 0},                               // 0.1
		{"just enough", 24, 400 * us, 0},                                 // 24 x 40 / 400 = 2.4
		{"just enough and one more service time", 32, 400 * us, 40 * us}, // 3.2
	} {
		r := rest{max: restMaxDefault, slots: tt.slots}
		for range 2000 { // the average forgets where it began
			r.served(tt.service)
		}
		// A 64th of less than 64 ns is nothing: the average stays so much below.
		if r.duration > tt.want || r.duration < tt.want-10 {
			t.Errorf("%s: rests %v, want %v", tt.name, r.duration, tt.want)
		}
		if (r.longest > 0) != (tt.want > 0) && tt.service < 600*us {
			t.Errorf("%s: longest %v", tt.name, r.longest)
		}
		r.max = 0
		r.duration = 0
		if r.served(tt.service); r.duration != 0 {
			t.Errorf("%s: rests although it must not", tt.name)
		}
	}
}
