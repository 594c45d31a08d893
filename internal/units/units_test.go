package units

import (
	"math"
	"strings"
	"testing"
	"time"
)

func check(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s = %q, want %q", what, got, want)
	}
}

func TestCount(t *testing.T) {
	tests := []struct {
		text string
		want int64
	}{
		{"200", 200},
		{"0", 0},
		{"10k", 10_000},
		{"10K", 10_000},
		{"1m", 1_000_000},
		{"2.6k", 2_600},
		{"0.001m", 1_000},
		{"1.0", 1},
		{"4.35m", 4_350_000}, // 4.35 x 1e6 is 4349999.9999999995 in floating point
		{"9223372036854775807", math.MaxInt64},
	}
	for _, tt := range tests {
		if got, err := Count(tt.text); err != nil || got != tt.want {
			t.Errorf("Count(%q) = %d, %v, want %d", tt.text, got, err, tt.want)
		}
	}
}

func TestCountErrors(t *testing.T) {
	tests := []struct{ text, want string }{
		{"", "is not a number"},
		{"k", "is not a number"},
		{"-1", "is not a number"},
		{"+1", "is not a number"},
		{" 1", "is not a number"},
		{".5k", "is not a number"},
		{"1.k", "is not a number"},
		{"1.2.3", "is not a number"},
		{"1e3", "is not a number"},
		{"10g", "is not a number"},
		{"1kk", "is not a number"},
		{"1/2", "is not a number"},
		{"0.5", "is not a whole number"},
		{"1.2345k", "is not a whole number"},
		{"9223372036854775808", "is too large"},
		{"9223372036855m", "is too large"},
	}
	for _, tt := range tests {
		if got, err := Count(tt.text); err == nil || !strings.Contains(err.Error(), tt.want) || got != 0 {
			t.Errorf("Count(%q) = %d, %v, want an error with %q", tt.text, got, err, tt.want)
		}
	}
}

func TestGroup(t *testing.T) {
	for _, tt := range []struct {
		n    int64
		want string
	}{
		{0, "0"},
		{999, "999"},
		{1000, "1 000"},
		{12431, "12 431"},
		{1234567, "1 234 567"},
		{-1000, "-1 000"},
		{-999, "-999"},
		{math.MinInt64, "-9 223 372 036 854 775 808"},
	} {
		check(t, "Group", Group(tt.n), tt.want)
	}
}

func TestLatencyRow(t *testing.T) {
	us, ms := time.Microsecond, time.Millisecond
	tests := []struct {
		name string
		row  []time.Duration
		want string
	}{
		{"the example of the summary", []time.Duration{3912 * us, 5090 * us, 9841 * us, 31200 * us, 88400 * us}, "ms 3.9 5.1 9.8 31 88"},
		// 88 ms is 88 000 us, and 120 us is 0.12 ms >= 0.01: one unit up.
		{"fast with a stall", []time.Duration{120 * us, 156 * us, 88 * ms}, "ms 0.12 0.16 88"},
		// 9 100 us is below 10 000: the unit of the smallest stays.
		{"fast", []time.Duration{12 * us, 9100 * us}, "us 12 9 100"},
		// 4 us is 0.004 ms < 0.01: it stays too, however large the other is.
		{"fast with a long stall", []time.Duration{4 * us, 88 * ms}, "us 4.0 88 000"},
		{"seconds", []time.Duration{31 * ms, 1240 * ms}, "ms 31 1 240"},
		{"long seconds", []time.Duration{310 * ms, 12400 * ms}, "s 0.31 12"},
		{"nanoseconds", []time.Duration{5, 812}, "ns 5 812"},
		{"a zero is no unit", []time.Duration{0, 2 * ms}, "ms 0 2.0"},
		{"zeros", []time.Duration{0, 0}, "ms 0 0"},
		{"negative", []time.Duration{-1500 * us, 20 * ms}, "ms -1.5 20"},
		// 9.96 rounds to 10 and 99.6 to 100: no third digit appears.
		{"rounding up", []time.Duration{9960 * us, 99600 * us, 999600 * us}, "ms 10 100 1 000"},
	}
	for _, tt := range tests {
		u := RowUnit(tt.row...)
		got := u.String()
		for _, d := range tt.row {
			got += " " + u.Digits(d)
		}
		check(t, tt.name, got, tt.want)
	}
	check(t, "no row", RowUnit().String(), "ms")
}

func TestDuration(t *testing.T) {
	for _, tt := range []struct {
		d    time.Duration
		want string
	}{
		{0, "0 ms"},
		{41 * time.Millisecond, "41 ms"},
		{time.Second, "1.0 s"},
		{999, "999 ns"},
		{1500, "1.5 us"},
		{90 * time.Minute, "5 400 s"},
	} {
		check(t, tt.d.String(), Duration(tt.d), tt.want)
	}
}

func TestQuantities(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, tt := range []struct{ what, got, want string }{
		{"rate", Rate(12430.6), "12 431"},
		{"rate", Rate(99.951), "100"},
		{"rate", Rate(99.5), "99.5"},
		{"rate", Rate(0.25), "0.250"},
		{"rate", Rate(0), "0"},
		{"rate", Rate(nan), "n/a"},
		{"rate", Rate(1e30), "1e+30"},

		{"micros", Micros(8.406), "8.41 us"},
		{"micros", Micros(12.6), "12.6 us"},
		{"micros", Micros(156.2), "156 us"},
		{"micros", Micros(1240), "1 240 us"},
		{"micros", Micros(0), "0 us"},
		{"micros", Micros(inf), "n/a"},

		{"bytes", Bytes(0), "0 B"},
		{"bytes", Bytes(7), "7 B"},
		{"bytes", Bytes(1023), "1023 B"},
		{"bytes", Bytes(1024), "1.0 KiB"},
		{"bytes", Bytes(61 << 20), "61 MiB"},
		{"bytes", Bytes(3 << 29), "1.5 GiB"},
		{"bytes", Bytes(1023 << 10), "1023 KiB"},
		{"bytes", Bytes(1<<20 - 1), "1.0 MiB"}, // 1023.999 KiB
		{"bytes", Bytes(-1536), "-1.5 KiB"},
		{"bytes", Bytes(math.MaxInt64), "8.0 EiB"},

		{"percent", Percent(0.1148), "11 %"},
		{"percent", Percent(0.034), "3.4 %"},
		{"percent", Percent(0.0996), "10 %"}, // not 10.0
		{"percent", Percent(1), "100 %"},
		{"percent", Percent(0), "0.0 %"},
		{"percent", Percent(nan), "n/a"},

		{"change", SignedPercent(0.003), "+0.3 %"},
		{"change", SignedPercent(-0.12), "-12.0 %"},
		{"change", SignedPercent(0.0004), "0.0 %"},
		{"change", SignedPercent(-0.0004), "0.0 %"},
		{"change", SignedPercent(inf), "n/a"},
	} {
		check(t, tt.what, tt.got, tt.want)
	}
}
