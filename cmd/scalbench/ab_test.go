package main

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/scalws/scalbench/ab"
	"github.com/scalws/scalbench/loadgen"
)

// How a comparison ends, by what is known of both.
func TestJudgeAB(t *testing.T) {
	of := func(codes ...loadgen.WarningCode) *loadgen.Result {
		r := new(loadgen.Result)
		for _, c := range codes {
			r.Warnings = append(r.Warnings, loadgen.Warning{Code: c, Text: string(c)})
		}
		return r
	}
	failed := map[string]loadgen.Split{"bad_status": {Sent: 1}}
	decided := func(v ab.Verdict, l ab.Loss) abResult {
		return abResult{Report: ab.Report[*loadgen.Result]{Verdict: v, Loss: l, A: of(), B: of()}, state: ab.State{Verdict: v, Loss: l, Decided: v != ab.CannotTell || l != ab.LossNotAsked}}
	}
	for name, tt := range map[string]struct {
		change func(r *abResult)
		of     abResult
		want   error
	}{
		"slower":                         {nil, decided(ab.Slower, ""), nil},
		"same":                           {nil, decided(ab.Same, ""), nil},
		"undecided":                      {nil, decided(ab.CannotTell, ""), errNoVerdict},
		"a loss that is too much":        {nil, decided(ab.Slower, ab.LossExceeded), errBroken},
		"the same, generator saturated":  {func(r *abResult) { r.B = of(loadgen.GeneratorSaturated) }, decided(ab.Same, ""), errNoVerdict},
		"no loss, generator saturated":   {func(r *abResult) { r.A = of(loadgen.GeneratorSaturated) }, decided(ab.CannotTell, ab.LossWithin), errNoVerdict},
		"slower, generator saturated":    {func(r *abResult) { r.A = of(loadgen.GeneratorSaturated) }, decided(ab.Slower, ""), nil}, // all the more
		"a generator that stood still":   {func(r *abResult) { r.A = of(loadgen.LateSends) }, decided(ab.Slower, ""), nil},
		"a ledger that does not add up":  {func(r *abResult) { r.A = of(loadgen.LedgerBroken) }, decided(ab.Slower, ""), errInvalid},
		"a host that slept":              {func(r *abResult) { r.B = of(loadgen.Suspended) }, decided(ab.Same, ""), errInvalid},
		"a server that was lost":         {func(r *abResult) { r.Lost = &loadgen.Lost{Target: 1} }, decided(ab.Slower, ""), errInvalid},
		"requests of A that failed":      {func(r *abResult) { r.A.Ledger.Errors = failed }, decided(ab.Same, ""), errInvalid},
		"of B, whatever it lost":         {func(r *abResult) { r.B.Ledger.Errors = failed }, decided(ab.Slower, ab.LossExceeded), errInvalid},
		"requests that were cut":         {func(r *abResult) { r.B.Ledger.Unfinished = 1 }, decided(ab.Slower, ""), nil}, // at the end of a slice
		"interrupted, whatever is known": {func(r *abResult) { r.B.Interrupted = true }, decided(ab.Slower, ab.LossExceeded), errInterrupted},
	} {
		r := tt.of
		if tt.change != nil {
			tt.change(&r)
		}
		r.doubt()
		if err := new(abOptions).judge(r); !errors.Is(err, tt.want) || (err == nil) != (tt.want == nil) {
			t.Errorf("%s: %v, want %v", name, err, tt.want)
		}
	}
}

// What takes a verdict back takes it out of the file, too, and of the answer in one line.
func TestDoubtAB(t *testing.T) {
	saturated := func() *loadgen.Result {
		return &loadgen.Result{Plan: loadgen.PlanEcho{Targets: []loadgen.TargetEcho{{}}}, Warnings: []loadgen.Warning{{Code: loadgen.GeneratorSaturated, Text: "busy"}}}
	}
	failed := func() *loadgen.Result {
		return &loadgen.Result{
			Plan:   loadgen.PlanEcho{Targets: []loadgen.TargetEcho{{}}},
			Ledger: loadgen.Ledger{Scheduled: 100, Errors: map[string]loadgen.Split{"bad_status": {Sent: 5}}}, FirstErrors: map[string]string{"bad_status": "status 503"},
		}
	}
	for name, tt := range map[string]struct {
		verdict, wantVerdict ab.Verdict
		loss, wantLoss       ab.Loss
		b                    *loadgen.Result
		line                 string
	}{
		"failed":                  {ab.Same, ab.CannotTell, ab.LossWithin, ab.LossCannotTell, failed(), "A/A, the same server twice: no answer: B: 5 of 100 requests failed: bad_status, status 503\n"},
		"failed, no loss asked":   {ab.Faster, ab.CannotTell, "", "", failed(), "A/A, the same server twice: no answer: B: 5 of 100"},
		"saturated":               {ab.Same, ab.CannotTell, "", "", saturated(), "cannot tell: the generator was the limit"},
		"saturated, within":       {ab.Slower, ab.Slower, ab.LossWithin, ab.LossCannotTell, saturated(), "cannot tell: the generator was the limit"},
		"saturated, all the more": {ab.Slower, ab.Slower, ab.LossExceeded, ab.LossExceeded, saturated(), "a loss above 3 %"},
	} {
		s := ab.State{Rule: ab.Rule{Margin: 0.01, MaxLoss: 0.03}, Verdict: tt.verdict, Loss: tt.loss, Decided: true}
		r := newABResult(s, &loadgen.Pairs{A: &loadgen.Result{Plan: loadgen.PlanEcho{Targets: []loadgen.TargetEcho{{}}}}, B: tt.b})
		var out strings.Builder
		if err := printAB(&out, r); err != nil {
			t.Fatal(err)
		}
		if r.Verdict != tt.wantVerdict || r.Loss != tt.wantLoss || !strings.Contains(out.String(), tt.line) {
			t.Errorf("%s: %s, loss %q\n%s", name, r.Verdict, r.Loss, out.String())
		}
	}
}

// A server that answers in a second has slices of ten: a minute is not enough.
func TestTooShortAB(t *testing.T) {
	of := func(slice, most time.Duration, decided bool) string {
		side := func() *loadgen.Result {
			return &loadgen.Result{Plan: loadgen.PlanEcho{Targets: []loadgen.TargetEcho{{}}}}
		}
		r := newABResult(ab.State{Rule: ab.Rule{Max: most}, Decided: decided}, &loadgen.Pairs{A: side(), B: side(), Slices: loadgen.SlicesOf(slice)})
		var out strings.Builder
		if err := printAB(&out, r); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	const want = "note         the servers answer slowly, so that slices are 10 s long, and an answer takes 32 of them, 320 s: more than --max 1m0s\n"
	if got := of(10*time.Second, time.Minute, false); !strings.Contains(got, want) {
		t.Errorf("%q", got)
	}
	for _, got := range []string{of(50*time.Millisecond, time.Minute, false), of(50*time.Millisecond, time.Second, false), of(10*time.Second, time.Minute, true), of(10*time.Second, 320*time.Second, false)} {
		if strings.Contains(got, "answer slowly") {
			t.Errorf("%q", got)
		}
	}
}
