package main

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/internal/procfs"
)

func TestRotate(t *testing.T) {
	peers := []string{"a", "b", "c"}
	for round, want := range []string{"abc", "bca", "cab", "abc"} {
		if got := strings.Join(rotate(peers, round), ""); got != want {
			t.Errorf("round %d: %s, want %s", round, got, want)
		}
	}
	if !slices.Equal(peers, []string{"a", "b", "c"}) {
		t.Errorf("rotating changed the list to %v", peers)
	}
	if got := rotate([]string(nil), 1); got != nil {
		t.Errorf("rotate of nothing = %v", got)
	}
}

func TestMedian(t *testing.T) {
	for _, tt := range []struct {
		values []float64
		want   float64
	}{
		{nil, 0},
		{[]float64{3}, 3},
		{[]float64{9, 1, 5}, 5},
		{[]float64{9, 1, 5, 7}, 6}, // (5 + 7) / 2
	} {
		if got := median(tt.values); got != tt.want {
			t.Errorf("median(%v) = %v, want %v", tt.values, got, tt.want)
		}
	}
}

func rates(values ...float64) []sample {
	var samples []sample
	for _, v := range values {
		samples = append(samples, sample{rps: v})
	}
	return samples
}

func TestRatio(t *testing.T) {
	// Medians 200 and 100; in the rounds 150/100, 200/80 and 210/140.
	got := newRatio(rates(150, 200, 210), rates(100, 80, 140), rps)
	if want := (ratio{median: 2, min: 1.5, max: 2.5}); got != want {
		t.Errorf("ratio = %+v, want %+v", got, want)
	}
	if got.String() != "2.00 (1.50..2.50)" {
		t.Errorf("text = %q", got)
	}
	for name, r := range map[string]ratio{
		"nothing measured below": newRatio(rates(1, 1), rates(0, 1), rps),
		"nothing measured above": newRatio(rates(0, 0), rates(1, 1), rps),
		"nothing at all":         newRatio(nil, nil, rps),
		"not a number":           {median: math.NaN()},
	} {
		if r.String() != "n/a" {
			t.Errorf("%s: text = %q, want n/a", name, r)
		}
	}
}

func TestNewSample(t *testing.T) {
	spent := procfs.Spent{Elapsed: 2 * time.Second, CPU: 1500 * time.Millisecond}
	got, err := newSample(report{requests: 100_000, rps: 64_000, errors: 3, p50: 7, p99: 9}, 1200*time.Millisecond, peaks{rssBytes: 7 << 20, threads: 2}, spent)
	want := sample{
		requests: 100_000,
		rps:      64_000,
		p50:      7, p99: 9,
		cpuMicrosPerRequest: 12, // 1 200 000 us / 100 000
		peakRSSBytes:        7 << 20,
		threads:             2,
		peerBusyFrac:        0.6,  // 1.2 s of 2 s
		serverBusyFrac:      0.75, // 1.5 s of 2 s
		underLoadFrac:       0.96, // 1.5 s of 100 000 / 64 000 = 1.5625 s
		errors:              3,
	}
	if err != nil || got != want {
		t.Errorf("newSample = %+v, %v, want %+v", got, err, want)
	}
	// Half a second more in which both did nothing is left out of both fractions.
	longer := spent
	longer.Elapsed += 500 * time.Millisecond
	got, err = newSample(report{requests: 100_000, rps: 64_000, lingered: 500 * time.Millisecond}, 1200*time.Millisecond, peaks{}, longer)
	if err != nil || got.peerBusyFrac != 0.6 || got.serverBusyFrac != 0.75 || got.underLoadFrac != 0.96 {
		t.Errorf("of one that lingered: %+v, %v", got, err)
	}
	for _, nothing := range []report{{}, {requests: 1}, {rps: 1}} {
		if _, err := newSample(nothing, time.Second, peaks{}, spent); err == nil {
			t.Errorf("%+v became a sample", nothing)
		}
	}
	spent.Ended = []int{7}
	if _, err := newSample(report{requests: 1, rps: 1}, time.Second, peaks{}, spent); err == nil || !strings.Contains(err.Error(), "[7] ended") {
		t.Errorf("a server that ended: error %v", err)
	}
}

func TestWithStderr(t *testing.T) {
	status := errors.New("exit status 2")
	for said, want := range map[string]string{
		"":                    "exit status 2",
		"\n":                  "exit status 2",
		"unknown flag\n":      "exit status 2\nunknown flag",
		"1\n2\n3\n4\n":        "exit status 2\n1\n2\n3\n4",
		"1\n2\n3\n4\n5\n6\n7": "exit status 2\n1\n2\n3\n4\n...",
	} {
		if err := withStderr(status, []byte(said)); !errors.Is(err, status) || err.Error() != want {
			t.Errorf("%q: %q, want %q", said, err, want)
		}
	}
}

func TestNotQuiet(t *testing.T) {
	cpus, err := cpuset.Of(0, 1)
	if err != nil {
		t.Fatal(err)
	}
	err = notQuiet(cpus, 0.42, []neighbour{{pid: 7, name: "cc1", frac: 0.4}, {pid: 9, name: "ld", frac: 0.02}})
	if want := "CPUs 0-1 are not idle: the busiest is 42 % busy: cc1[7] 40 %, ld[9] 2.0 %"; err.Error() != want {
		t.Errorf("error %q, want %q", err, want)
	}
	if err := notQuiet(cpus, 0.1, nil); !strings.Contains(err.Error(), "no single process") {
		t.Errorf("error %q does not say that nobody was found", err)
	}
}

func TestDescribeCongestion(t *testing.T) {
	for name, want := range map[string]string{
		"cubic": "tcp congestion control: cubic",
		"":      "tcp congestion control: unknown",
		"bbr":   "tcp congestion control: bbr\nWARNING: bbr paces on loopback too",
	} {
		if got := strings.Join(describeCongestion(name), "\n"); got != want && (name != "bbr" || !strings.HasPrefix(got, want)) {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

func TestCPUModel(t *testing.T) {
	if got := cpuModel("processor\t: 0\nmodel\t\t: 167\nmodel name\t: Example CPU @ 2.6GHz\n"); got != "Example CPU @ 2.6GHz" {
		t.Errorf("cpuModel = %q", got)
	}
	if got := cpuModel("processor\t: 0\n"); got != "unknown" {
		t.Errorf("cpuModel of an architecture without one = %q", got)
	}
}
