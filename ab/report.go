package ab

import "math"

// Schema names the format of [Report]. It only grows.
const Schema = "scalbench.ab/v1"

// Report is what `scalbench ab` writes as JSON. L is the result of a load, of each
// server over all of its slices. What was not measured is absent.
type Report[L any] struct {
	Schema  string   `json:"schema"`
	Verdict Verdict  `json:"verdict"`
	Margin  float64  `json:"margin"`
	Loss    Loss     `json:"loss,omitempty"` // within, exceeded or cannot_tell, of a loss of max_loss
	MaxLoss *float64 `json:"max_loss,omitempty"`

	RPSRatio    *Ratio `json:"rps_ratio,omitempty"`
	RPSBy       string `json:"rps_by"` // what rps_ratio is: centre or totals
	TotalsRatio *Ratio `json:"totals_ratio,omitempty"`
	P50Ratio    *Ratio `json:"p50_ratio,omitempty"`
	P99Ratio    *Ratio `json:"p99_ratio,omitempty"`
	CPURatio    *Ratio `json:"cpu_ratio,omitempty"`

	Pairs    int      `json:"pairs"`
	ElapsedS float64  `json:"elapsed_s"`
	NeedsS   *float64 `json:"needs_s,omitempty"` // when it would be decided, since the beginning

	A L `json:"a"`
	B L `json:"b"`
}

// Ratio is an [Estimate] in JSON; lo and hi are absent while nothing is known.
type Ratio struct {
	Estimate float64  `json:"estimate"`
	Lo       *float64 `json:"lo,omitempty"`
	Hi       *float64 `json:"hi,omitempty"`
	Level    float64  `json:"level"`

	Pairs          int      `json:"pairs"`
	BlockPairs     int      `json:"block_pairs,omitempty"` // this and the next, absent while there are too few
	BlockS         float64  `json:"block_s,omitempty"`
	Correlation    *float64 `json:"correlation,omitempty"`
	EffectivePairs *float64 `json:"effective_pairs,omitempty"`
}

// ReportOf makes the report of what is known, and of the loads of both servers.
func ReportOf[L any](s State, a, b L) Report[L] {
	r := Report[L]{
		Schema: Schema, Verdict: s.Verdict, Margin: s.Rule.Margin, Loss: s.Loss,
		RPSRatio: ratioOf(s.RPS), RPSBy: "centre", TotalsRatio: ratioOf(s.Totals),
		P50Ratio: ratioOf(s.P50), P99Ratio: ratioOf(s.P99), CPURatio: ratioOf(s.CPU),
		Pairs: s.Pairs, ElapsedS: s.Elapsed.Seconds(), A: a, B: b,
	}
	if s.ByTotals {
		r.RPSBy = "totals"
	}
	if s.Rule.MaxLoss > 0 {
		r.MaxLoss = &s.Rule.MaxLoss
	}
	if s.Needs > 0 {
		needs := s.Needs.Seconds()
		r.NeedsS = &needs
	}
	return r
}

// ratioOf is nil where nothing was measured.
func ratioOf(e Estimate) *Ratio {
	if math.IsNaN(e.Ratio) {
		return nil
	}
	r := Ratio{Estimate: e.Ratio, Level: e.Level, Pairs: e.Pairs, BlockPairs: e.BlockPairs, BlockS: e.Block.Seconds()}
	if e.BlockPairs > 0 {
		r.Correlation, r.EffectivePairs = &e.Correlation, &e.EffectivePairs
	}
	if e.Known() {
		r.Lo, r.Hi = &e.Lo, &e.Hi
	}
	return &r
}
