package units

import (
	"math"
	"strconv"
	"time"
)

// TimeUnit is one of ns, us, ms and s. The zero value is ns.
type TimeUnit uint8

// The units a row of durations is written in.
const (
	Nanoseconds TimeUnit = iota
	Microseconds
	Milliseconds
	Seconds
)

// timeUnits holds the name and the length of each TimeUnit.
var timeUnits = [...]struct {
	name   string
	length time.Duration
}{
	Nanoseconds:  {"ns", time.Nanosecond},
	Microseconds: {"us", time.Microsecond},
	Milliseconds: {"ms", time.Millisecond},
	Seconds:      {"s", time.Second},
}

// String returns the unit's name, with u for micro: it can be typed.
func (u TimeUnit) String() string { return timeUnits[u].name }

// RowUnit picks the unit for a row of durations, such as the percentiles of a
// latency line: the one in which the smallest value that is not zero is at least 1;
// where the largest would then reach 10 000, larger units, as long as the
// smallest stays at 0.01 or more. A row of zeros, or of nothing, is in ms.
//
//	3.9 ms ... 88 ms    ms   3.9 ... 88
//	120 us ... 88 ms    ms   0.12 ... 88
//	12 us ... 9.1 ms    us   12 ... 9 100
//	4 us ... 88 ms      us   4.0 ... 88 000 (in ms the 4 us would be 0.0040)
func RowUnit(row ...time.Duration) TimeUnit {
	var smallest, largest time.Duration
	for _, d := range row {
		d = d.Abs()
		if d > 0 && (smallest == 0 || d < smallest) {
			smallest = d
		}
		largest = max(largest, d)
	}
	if smallest == 0 {
		return Milliseconds
	}
	u := Nanoseconds
	for u < Seconds && smallest >= timeUnits[u+1].length {
		u++
	}
	for u < Seconds && largest >= 10_000*timeUnits[u].length && smallest >= timeUnits[u+1].length/100 {
		u++
	}
	return u
}

// Digits writes a duration in this unit, without naming it: two significant
// digits below 100 ("0.12", "3.9", "31"), whole numbers above ("156", "9 100").
// Zero is "0". Nanoseconds are whole.
func (u TimeUnit) Digits(d time.Duration) string {
	if u == Nanoseconds {
		return Group(int64(d))
	}
	return significant(float64(d)/float64(timeUnits[u].length), 2)
}

// Duration writes one duration with its unit: "3.9 ms".
func Duration(d time.Duration) string {
	u := RowUnit(d)
	return u.Digits(d) + " " + u.String()
}

// NotAvailable stands for a value that was not measured.
const NotAvailable = "n/a"

// significant writes v with the given number of significant digits, and as a
// grouped whole number where it has more digits than that before the point.
func significant(v float64, digits int) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return NotAvailable
	}
	if v == 0 {
		return "0"
	}
	// Rounding first finds the magnitude of what is printed: 9.96 is "10", not
	// "10.0". The exponent form has exactly one digit before the point.
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', digits-1, 64), 64)
	if err != nil || math.Abs(rounded) >= math.Pow10(digits) {
		return grouped(v)
	}
	magnitude := int(math.Floor(math.Log10(math.Abs(rounded)) + 1e-9))
	return strconv.FormatFloat(rounded, 'f', max(0, digits-1-magnitude), 64)
}

// grouped writes v as a whole number. Values beyond int64 keep the exponent
// form: no measurement is that large, and a wrong number would be worse.
func grouped(v float64) string {
	whole := math.Round(v)
	if math.Abs(whole) >= 1<<63 {
		return strconv.FormatFloat(whole, 'g', 3, 64)
	}
	return Group(int64(whole))
}
