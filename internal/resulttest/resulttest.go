// Package resulttest holds what must be true of every result, whatever was
// measured. Each test of the repository that has a result calls [Check].
package resulttest

import (
	"math"
	"testing"

	"github.com/scalws/scalbench/loadgen"
)

// Check fails the test where the result's account does not add up or its parts
// contradict each other.
func Check(t testing.TB, r *loadgen.Result) {
	t.Helper()
	if err := r.Ledger.Check(); err != nil {
		t.Error(err)
	}
	checkHistograms(t, r)
	checkRate(t, r)
	checkSent(t, r)
	if r.Validity == loadgen.Valid && r.Ledger.NotOK() > 0 {
		t.Errorf("valid with %d requests that are not ok", r.Ledger.NotOK())
	}
	for kind, s := range r.Ledger.Errors {
		if _, told := r.FirstErrors[kind]; told != (s.Total() > 0) {
			t.Errorf("%d errors %s, told: %v", s.Total(), kind, told)
		}
	}
}

// checkHistograms compares what the histograms hold with the ledger: service
// holds ok; response also what was given up, at the age it had; failed the
// other errors.
func checkHistograms(t testing.TB, r *loadgen.Result) {
	t.Helper()
	timeouts := r.Ledger.Errors["timeout"].Total()
	want := map[string][2]uint64{
		"service":  {count(r.Latency.Service), r.Ledger.OK},
		"response": {count(r.Latency.Response), r.Ledger.OK + timeouts + r.Ledger.Unfinished + r.Ledger.NeverSent - neverBegun(r)},
		"failed":   {count(r.Latency.Failed), r.Ledger.ErrorsTotal() - timeouts + r.Ledger.Shed},
	}
	for name, n := range want {
		if n[0] != n[1] {
			t.Errorf("histogram %s holds %d, the ledger says %d", name, n[0], n[1])
		}
	}
	if s, p := r.Latency.Service, r.Latency.Response; s != nil && p != nil && s.MinUS > p.MaxUS {
		t.Errorf("shortest service time %v us is above the longest response time %v us", s.MinUS, p.MaxUS)
	}
}

// neverBegun is the part of never_sent that has no age: requests of a given
// number that were given up before they were intended.
func neverBegun(r *loadgen.Result) uint64 {
	for _, w := range r.Warnings {
		if w.Code == loadgen.ServerGone {
			return r.Ledger.OK + r.Ledger.Errors["timeout"].Total() + r.Ledger.Unfinished + r.Ledger.NeverSent - count(r.Latency.Response)
		}
	}
	return 0
}

// checkRate derives the rate from its parts: rows, workers, window.
func checkRate(t testing.TB, r *loadgen.Result) {
	t.Helper()
	var rows, workers uint64
	for _, w := range r.Windows {
		rows += w.OK
	}
	for _, w := range r.Workers {
		workers += w.OK
	}
	if rows != r.CompletedInWindow || workers != r.CompletedInWindow {
		t.Errorf("completed in window %d, by rows %d, by workers %d", r.CompletedInWindow, rows, workers)
	}
	if rps := float64(r.CompletedInWindow) / r.MeasuredS; r.MeasuredS > 0 && math.Abs(rps-r.RPS) > 1e-6*rps {
		t.Errorf("rps %v, %d in %v s is %v", r.RPS, r.CompletedInWindow, r.MeasuredS, rps)
	}
}

// checkSent compares the requests that left in all phases with those of the
// ledger, which are some of them.
func checkSent(t testing.TB, r *loadgen.Result) {
	t.Helper()
	sent := r.Ledger.OK + r.Ledger.Unfinished
	for _, s := range r.Ledger.Errors {
		sent += s.Sent
	}
	if r.AllPhases.Sent < sent {
		t.Errorf("%d sent in all phases, the ledger alone has %d", r.AllPhases.Sent, sent)
	}
	if r.Connections.ReusedRequests > r.AllPhases.Sent {
		t.Errorf("%d requests on used connections of %d sent", r.Connections.ReusedRequests, r.AllPhases.Sent)
	}
}

func count(d *loadgen.Distribution) uint64 {
	if d == nil {
		return 0
	}
	return d.Count
}
