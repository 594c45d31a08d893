package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// disturbance is what a host, or a variant, does to the rates of static in the sessions
// of measured. The zero value is a host on which nothing happens.
type disturbance struct {
	speeds   string  // whose runs are 7.5 % faster every now and then: VARIANT, or host for those of all
	drift    float64 // of the host, from the first run of the session to that of the fourth round
	first    float64 // what it is worth to run first of the two
	perRound float64 // by so much b is better in each round than in the one before
	flip     string  // VARIANT whose rate changes in the middle of each measurement
	cold     string  // VARIANT that is measured before it has settled
}

// set takes the keys of measured that are a disturbance.
func (d *disturbance) set(key, value string) (known bool, err error) {
	number := func() (x float64) {
		x, err = strconv.ParseFloat(value, 64)
		return x
	}
	switch key {
	case "speeds":
		d.speeds = value
	case "drift":
		d.drift = number()
	case "first":
		d.first = number()
	case "perround":
		d.perRound = number()
	case "flip":
		d.flip = value
	case "cold":
		d.cold = value
	default:
		return false, nil
	}
	return true, err
}

// order is that of the variants in a run: it rotates, as a driver's does, where the order
// is what matters.
func (d *disturbance) order(round, run int) []string {
	if (d.drift != 0 || d.first != 0) && (round+run)%2 == 0 {
		return []string{"b", "a"}
	}
	return []string{"a", "b"}
}

// factor is by what a rate is multiplied.
func (d *disturbance) factor(round, run, slot int, variant string) float64 {
	factor := 1.0
	if (d.speeds == variant || d.speeds == "host") && d.isFast(round, run, variant) {
		factor += 0.075
	}
	if slot == 1 {
		factor += d.first
	}
	if variant == "b" {
		factor += d.perRound * float64(round-2)
	}
	// In tenths of a round: a run takes a tenth for each variant.
	return factor + d.drift*(float64(round-1)*10+float64(2*(run-1)+slot-1))/30
}

// isFast tells which runs have the higher speed: every other one, but that in one run of
// each round it changes between the two variants.
func (d *disturbance) isFast(round, run int, variant string) bool {
	fast := (round+run)%2 == 0
	return fast != (run == 2 && variant == "b")
}

func (d *disturbance) hasSeconds() bool { return d.flip != "" || d.cold != "" }

// seconds is the part of a result that a gate looks at: 30 windows of a second.
func (d *disturbance) seconds(out io.Writer, variant string) error {
	var windows []string
	for second := range 30 {
		ok := 1000 + second%2
		if variant == d.flip && second >= 20 {
			ok -= 50
		}
		if variant == d.cold && second < 10 {
			ok -= 100
		}
		windows = append(windows, fmt.Sprintf(`{"t_s": %d, "ok": %d}`, second, ok))
	}
	_, err := fmt.Fprintf(out, `{"schema": "scalbench.load/v1", "windows": [%s]}`, strings.Join(windows, ", "))
	return err
}
