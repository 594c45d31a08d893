package report

import (
	"maps"
	"slices"
	"strings"

	"github.com/scalws/scalbench/loadgen"
)

// trouble adds what a reader has to know before using the numbers: the errors
// with the first of each kind, the ledger when not everything ended ok, the
// warnings, and what they make of the result.
func trouble(b *strings.Builder, r *loadgen.Result) {
	if r.Ledger.NotOK() > 0 {
		for _, kind := range slices.Sorted(maps.Keys(r.Ledger.Errors)) {
			if n := r.Ledger.Errors[kind].Total(); n > 0 {
				line(b, "failed", "%s %s, first: %s", group(n), kind, r.FirstErrors[kind])
			}
		}
		ledger(b, r.Ledger)
	}
	for _, v := range r.Thresholds {
		line(b, string(v.State), "%s", v.Text)
	}
	for _, w := range r.Warnings {
		line(b, "warning", "%s", w.Text)
	}
	for _, hint := range hints(r) {
		line(b, "hint", "%s", hint)
	}
	if r.Validity != loadgen.Valid {
		line(b, "validity", "%s", r.Validity)
	}
	if r.Interrupted {
		line(b, "partial", "interrupted: this is what was measured until then")
	}
}

func ledger(b *strings.Builder, l loadgen.Ledger) {
	line(b, "ledger", "%s scheduled = %s ok + %s errors + %s shed + %s unfinished + %s never sent",
		group(l.Scheduled), group(l.OK), group(l.ErrorsTotal()), group(l.Shed), group(l.Unfinished), group(l.NeverSent))
}

// hints says what to do about a result, where it is plain from the numbers.
func hints(r *loadgen.Result) []string {
	var hs []string
	if code := redirect(r); code != "" && r.Ledger.Errors["bad_status"].Total() > 0 {
		hs = append(hs, "redirects are not followed: use the final URL, or --expect-status "+code+" if the redirect is what you measure")
	}
	if resets := r.Ledger.Errors["reset"].Total(); resets > r.Ledger.Scheduled/10 && r.Ledger.OK > 0 && r.Plan.RequestsPerConn != 1 {
		hs = append(hs, "the server closes connections without announcing it: --disable-keepalive opens one for each request")
	}
	return hs
}

// redirect is the most frequent status of a redirect, empty when there is none.
// 304 is a 3xx and none.
func redirect(r *loadgen.Result) (code string) {
	for _, c := range slices.Sorted(maps.Keys(r.Status)) {
		if strings.HasPrefix(c, "3") && c != "304" && (code == "" || r.Status[c] > r.Status[code]) {
			code = c
		}
	}
	return code
}
