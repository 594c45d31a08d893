package units

import (
	"math"
	"strconv"
)

// Rate writes a rate in things a second without its unit: a grouped whole
// number ("12 431"), below 100 three significant digits ("99.5", "0.250").
func Rate(rps float64) string { return significant(rps, 3) }

// Micros writes a time in microseconds with its unit, as CPU time per request:
// three significant digits ("8.41 us", "12.6 us", "156 us", "1 240 us"). It
// stays in microseconds so that the column of a table can be compared.
func Micros(micros float64) string { return withUnit(significant(micros, 3), "us") }

// byteUnits are the multiples of 1024 a size is written in.
var byteUnits = [...]string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}

// Bytes writes a size in the largest binary unit that leaves at least 1: two
// significant digits below 100 ("1.5 GiB", "61 MiB"), whole numbers above
// ("512 B", "1023 KiB", never grouped).
func Bytes(bytes int64) string {
	v := float64(bytes)
	unit := 0
	// 1023.5 and more would round to 1024 of a unit, which is 1.0 of the next.
	for unit+1 < len(byteUnits) && math.Abs(v) >= 1023.5 {
		v /= 1024
		unit++
	}
	if unit == 0 || math.Abs(v) >= 99.5 {
		return withUnit(strconv.FormatFloat(math.Round(v), 'f', 0, 64), byteUnits[unit])
	}
	return withUnit(significant(v, 2), byteUnits[unit])
}

// Percent writes a fraction as percent: 0.1148 is "11 %", below 10 one decimal
// ("3.4 %").
func Percent(frac float64) string {
	decimals := 1
	if math.Abs(frac) >= 0.0995 {
		decimals = 0
	}
	return percent(frac, decimals)
}

// SignedPercent writes a change with its sign and one decimal: "+0.3 %",
// "-12.0 %", and "0.0 %" for what rounds to nothing.
func SignedPercent(frac float64) string {
	text := percent(frac, 1)
	if frac > 0 && text != "0.0 %" && text != NotAvailable {
		return "+" + text
	}
	return text
}

// percent writes a fraction as percent with a number of decimals; a negative
// zero loses its sign.
func percent(frac float64, decimals int) string {
	if math.IsNaN(frac) || math.IsInf(frac, 0) {
		return NotAvailable
	}
	scale := math.Pow10(decimals)
	rounded := math.Round(frac*100*scale) / scale
	if rounded == 0 {
		rounded = 0
	}
	return withUnit(strconv.FormatFloat(rounded, 'f', decimals, 64), "%")
}

// withUnit joins digits and unit, unless there are no digits.
func withUnit(digits, unit string) string {
	if digits == NotAvailable {
		return digits
	}
	return digits + " " + unit
}
