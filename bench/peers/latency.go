package main

import (
	"math"
	"time"
)

// micros is a time given as a number of microseconds, seconds one given as a
// number of seconds; both round to the nanosecond.
func micros(us float64) time.Duration {
	return time.Duration(math.Round(us * float64(time.Microsecond)))
}
func seconds(s float64) time.Duration { return time.Duration(math.Round(s * float64(time.Second))) }
