package main

import (
	"errors"
	"testing"

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
		"interrupted, whatever is known": {func(r *abResult) { r.B.Interrupted = true }, decided(ab.Slower, ab.LossExceeded), errInterrupted},
	} {
		r := tt.of
		if tt.change != nil {
			tt.change(&r)
		}
		if err := new(abOptions).judge(r); !errors.Is(err, tt.want) || (err == nil) != (tt.want == nil) {
			t.Errorf("%s: %v, want %v", name, err, tt.want)
		}
	}
}
