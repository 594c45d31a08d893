package main

import (
	"math"
	"strings"
	"testing"
	"time"
)

// bound is a sample of a server that was the limit.
func bound(rps float64) sample {
	return sample{rps: rps, p50: 600 * time.Microsecond, p99: 2 * time.Millisecond, underLoadFrac: 0.99}
}

func TestAgreement(t *testing.T) {
	unbound := sample{rps: 50, underLoadFrac: 0.7}
	h := heat{
		server: "nginx", course: course{label: "static-small"},
		samples: map[string][]sample{
			"scalbench":  {bound(100), bound(200), bound(400)},
			"wrk":        {bound(101), bound(200), bound(408)}, // +1 %, 0, +2 %: the median is the bound itself
			"h2load":     {bound(98), bound(196), bound(400)},  // -2 %, -2 %, 0
			"bombardier": {unbound, unbound, unbound},
			"oha":        nil, // failed in the first round
		},
	}
	peers := []peer{scalbench{}, wrk{}, h2load{}, bombardier{}, oha{}}
	a, ok := newAgreement(h, peers)
	if !ok {
		t.Fatal("no agreement")
	}
	want := []struct {
		peer                       string
		rps                        float64
		difference, least, largest float64
		verdict                    string
	}{
		{"scalbench", 200, math.NaN(), 0, 0, verdictReference},
		{"wrk", 200, 0.01, 0, 0.02, verdictAgrees},
		{"h2load", 196, -0.02, -0.02, 0, verdictDiffers},
		// 50/100, 50/200 and 50/400 less 1
		{"bombardier", 50, -0.75, -0.875, -0.5, verdictUnbound},
	}
	if len(a.rows) != len(want) {
		t.Fatalf("rows = %+v", a.rows)
	}
	for i, w := range want {
		got := a.rows[i]
		if got.peer != w.peer || got.rps != w.rps || !near(got.difference, w.difference) || !near(got.least, w.least) ||
			!near(got.largest, w.largest) || got.verdict != w.verdict {
			t.Errorf("row %d = %+v, want %+v", i, got, w)
		}
	}
	var text strings.Builder
	if err := writeAgreements(&text, []agreement{a}, false); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\nagreement: nginx static-small\n\n",
		"n/a", // of bombardier's latency
		"-2.0 % (-2.0 %..0.0 %)",
		"DIFFERS by more than 1 %\n",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("table lacks %q:\n%s", want, &text)
		}
	}
}

// near compares with the error of a division; NaN is near NaN.
func near(a, b float64) bool {
	return math.Abs(a-b) < 1e-12 || math.IsNaN(a) && math.IsNaN(b)
}

// Where the first peer itself was the limit, nobody can be held against it.
func TestAgreementWithoutReference(t *testing.T) {
	peers := []peer{scalbench{}, wrk{}}
	h := heat{samples: map[string][]sample{"scalbench": {{rps: 10, underLoadFrac: 0.5}}, "wrk": {bound(20)}}}
	a, ok := newAgreement(h, peers)
	if !ok || a.rows[0].verdict != verdictUnbound || a.rows[1].verdict != verdictUnbound {
		t.Errorf("agreement = %+v, %v", a, ok)
	}
	for name, samples := range map[string]map[string][]sample{
		"one peer":      {"scalbench": {bound(1)}},
		"no first peer": {"wrk": {bound(1)}},
	} {
		if a, ok := newAgreement(heat{samples: samples}, peers); ok {
			t.Errorf("%s: agreement = %+v", name, a)
		}
	}
}

func TestAgreementsOfHeats(t *testing.T) {
	two := map[string][]sample{"scalbench": {bound(1)}, "wrk": {bound(1)}}
	var heats []heat
	for _, c := range allCourses() {
		for _, server := range c.servers {
			heats = append(heats, heat{server: server, course: c, samples: two})
		}
	}
	var got []string
	for _, a := range agreements(heats, []peer{scalbench{}, wrk{}}) {
		got = append(got, a.server+" "+a.course)
	}
	if want := "target respond, nginx static-small"; strings.Join(got, ", ") != want {
		t.Errorf("agreements of %v, want %s", got, want)
	}
}
