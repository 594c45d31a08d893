package gate

import (
	"time"

	"github.com/scalws/scalbench/internal/record"
)

// The parts of a row in JSON.
type (
	jsonRow struct {
		Row       string        `json:"row"` // as rulings and --why name it
		Mode      string        `json:"mode,omitempty"`
		Scenario  string        `json:"scenario"`
		Base      string        `json:"base"`
		New       string        `json:"new"`
		Verdict   string        `json:"verdict"`
		First     string        `json:"first_verdict,omitempty"` // before repeats, where they changed it
		Ratio     record.Value  `json:"ratio,omitzero"`          // that the verdict is about, above 1 for better
		Same      bool          `json:"same,omitempty"`          // nothing differs between the variants
		Short     string        `json:"short,omitempty"`
		Why       []string      `json:"why"`
		Margin    record.Value  `json:"margin,omitzero"`      // of noninferior
		MarginWhy string        `json:"margin_why,omitempty"` // which it is, where the suite leaves it open
		Floor     record.Value  `json:"noise_floor,omitzero"` // of the host, on the ln scale
		Tests     []jsonTest    `json:"tests,omitempty"`      // of noninferior
		Metric    string        `json:"metric"`               // rps, or cpu_us where an application limits the rate
		Control   bool          `json:"control,omitempty"`
		Expected  string        `json:"expected,omitempty"` // by the suite's author
		Rounds    []jsonNumbers `json:"rounds"`
		Median    record.Value  `json:"median,omitzero"` // of the rounds' ratios of rps
		Spread    record.Value  `json:"spread,omitzero"`
		P99       record.Value  `json:"p99,omitzero"`
		P999      record.Value  `json:"p999,omitzero"`
		CPU       record.Value  `json:"cpu_us,omitzero"`
		RSS       record.Value  `json:"rss,omitzero"`
		Pooled    record.Value  `json:"pooled,omitzero"`
		BaseRuns  *jsonPooled   `json:"base_runs,omitempty"`
		NewRuns   *jsonPooled   `json:"new_runs,omitempty"`
		Sessions  []jsonSession `json:"sessions,omitempty"` // where there are several; base_runs and new_runs are of the last
		Effect    *jsonEffect   `json:"effect,omitempty"`
		Order     *jsonOrder    `json:"order,omitempty"`
		Limiter   *jsonLimiter  `json:"limiter,omitempty"`
		Flags     []jsonFlag    `json:"flags"`
		Repeats   []jsonRow     `json:"repeats,omitempty"`
		Ruling    *jsonRuling   `json:"ruling,omitempty"`
		Past      []jsonPoint   `json:"past,omitempty"` // what earlier sessions said, in the order of time
	}
	jsonTest struct {
		Of       string       `json:"of"` // the ratio, or a limit
		P        record.Value `json:"p,omitzero"`
		Family   int          `json:"family,omitempty"` // tests in the table that claim as much
		Limit    record.Value `json:"p_limit,omitzero"` // of so many (Holm)
		Rejected bool         `json:"rejected,omitempty"`
	}
	jsonNumbers struct {
		Base   record.Value `json:"base_rps,omitzero"`
		New    record.Value `json:"new_rps,omitzero"`
		Ratio  record.Value `json:"ratio,omitzero"`
		Spread record.Value `json:"spread,omitzero"`
		P99    record.Value `json:"p99,omitzero"`
		P999   record.Value `json:"p999,omitzero"`
		CPU    record.Value `json:"cpu_us,omitzero"`
		RSS    record.Value `json:"rss,omitzero"`

		CPUSpread record.Value `json:"cpu_spread,omitzero"`
	}
	jsonSession struct {
		Session  string       `json:"session"`
		BaseRuns *jsonPooled  `json:"base_runs,omitempty"`
		NewRuns  *jsonPooled  `json:"new_runs,omitempty"`
		Pooled   record.Value `json:"pooled,omitzero"`
	}
	jsonPooled struct {
		Runs          int          `json:"runs"`
		RPS           record.Value `json:"rps,omitzero"`
		RPSMin        record.Value `json:"rps_min,omitzero"`
		RPSMax        record.Value `json:"rps_max,omitzero"`
		CV            record.Value `json:"cv,omitzero"`
		CPUMicros     record.Value `json:"cpu_us,omitzero"`
		P99Millis     record.Value `json:"p99_ms,omitzero"`
		RSSKiB        record.Value `json:"rss_kib,omitzero"`
		ServerBusy    record.Value `json:"server_busy,omitzero"`
		AppBusy       record.Value `json:"app_busy,omitzero"`
		GeneratorBusy record.Value `json:"generator_busy,omitzero"`
	}
	jsonEffect struct {
		Pairs    int          `json:"pairs"`
		Ratio    record.Value `json:"ratio,omitzero"`
		Lo       record.Value `json:"lo,omitzero"`
		Hi       record.Value `json:"hi,omitzero"`
		Level    record.Value `json:"level,omitzero"` // error of each bound
		ByRounds bool         `json:"by_rounds,omitempty"`
		Signed   *jsonBounds  `json:"signed_rank,omitempty"` // the bounds that there were to choose from
		Rounds   *jsonBounds  `json:"means_of_rounds,omitempty"`
		Drawn    *jsonBounds  `json:"bootstrap,omitempty"`
		MDE      record.Value `json:"mde,omitzero"`
		Sigma    record.Value `json:"sigma,omitzero"`
		RoundP   record.Value `json:"round_p,omitzero"` // of "rounds add nothing of their own"
		RoundF   record.Value `json:"round_f,omitzero"`
		PairVar  record.Value `json:"pair_variance,omitzero"`  // on the ln scale, in a round
		RoundVar record.Value `json:"round_variance,omitzero"` // of the rounds' own; below 0 where they lie closer than pairs explain
		Lag1     record.Value `json:"lag1,omitzero"`
		Need     *jsonNeed    `json:"need,omitempty"`
		Speeds   *jsonSpeeds  `json:"speeds,omitempty"`
		Turns    *jsonTurns   `json:"turns,omitempty"` // of variants that took turns in slices of time
		Missing  string       `json:"missing,omitempty"`
	}
	jsonTurns struct {
		Slices   int          `json:"slice_pairs"`
		Within   record.Value `json:"within_run_se,omitzero"` // on the ln scale, of one run, median
		Apart    record.Value `json:"apart,omitzero"`         // ratio of the rates over all slices less the centre, on the ln scale
		ByTotals bool         `json:"by_totals,omitempty"`    // the former counts
	}
	jsonBounds struct {
		Lo       record.Value `json:"lo,omitzero"`
		Hi       record.Value `json:"hi,omitzero"`
		Level    record.Value `json:"level,omitzero"`
		Critical int          `json:"critical,omitempty"` // rank of the signed-rank test
	}
	jsonNeed struct {
		Loss   record.Value `json:"loss"`
		Rounds int          `json:"rounds"`
		Pairs  int          `json:"pairs"`
	}
	jsonSpeeds struct {
		jsonSpeed               // of the last session that has two
		Host       bool         `json:"host"`
		P          record.Value `json:"p,omitzero"`
		Across     int          `json:"pairs_across"`
		LowerRatio record.Value `json:"lower_ratio,omitzero"`
		UpperRatio record.Value `json:"upper_ratio,omitzero"`
		Sessions   []jsonSpeed  `json:"sessions,omitempty"` // where several have two
	}
	jsonSpeed struct {
		Session   string       `json:"session,omitempty"`
		Lower     record.Value `json:"lower,omitzero"`
		Upper     record.Value `json:"upper,omitzero"`
		LowerRuns int          `json:"lower_runs"`
		UpperRuns int          `json:"upper_runs"`
		Within    record.Value `json:"spread_within,omitzero"`
		MValue    record.Value `json:"m_value,omitzero"`
	}
	jsonOrder struct {
		Drift    []jsonDrift   `json:"drift,omitempty"` // of each session
		Position *jsonPosition `json:"position,omitempty"`
		Seconds  *jsonSeconds  `json:"seconds,omitempty"` // measurements
	}
	jsonDrift struct {
		Session string       `json:"session"`
		Change  record.Value `json:"change"`
		P       record.Value `json:"p"`
	}
	jsonPosition struct {
		Effect record.Value `json:"effect"`
		P      record.Value `json:"p"`
		First  int          `json:"new_first"`
		Second int          `json:"new_second"`
	}
	jsonSeconds struct {
		Known   int `json:"known"`
		NotWarm int `json:"not_warm"`
		Flipped int `json:"flipped"`
	}
	jsonLimiter struct {
		Of   string `json:"of"`
		Text string `json:"text"`
	}
	jsonFlag struct {
		Code string `json:"code"`
		Text string `json:"text"`
	}
	jsonRuling struct {
		Date string `json:"date"`
		By   string `json:"by"`
		Text string `json:"text"`
	}
	jsonPoint struct {
		Table    string       `json:"table"`
		Began    time.Time    `json:"began,omitzero"`
		Ratio    record.Value `json:"ratio,omitzero"`
		BaseRPS  record.Value `json:"base_rps,omitzero"`
		Verdict  string       `json:"verdict"`
		Estimate bool         `json:"estimate,omitempty"` // no verdict of record
	}
)

func (r *Row) json() jsonRow {
	n := &r.Numbers
	file := jsonRow{
		Row: r.ID(), Mode: r.Mode, Scenario: r.Scenario, Base: r.Base, New: r.New,
		Verdict: r.Verdict.String(), Ratio: known(r.Ratio), Same: r.Same, Short: r.Short, Why: r.Why, Metric: n.Metric.String(), Control: r.Control, Expected: r.Expected,
		Rounds: []jsonNumbers{}, Flags: []jsonFlag{},
		Median: known(n.Value), Spread: known(n.Spread), P99: known(n.P99), P999: known(n.P999), CPU: known(n.CPU), RSS: known(n.RSS), Pooled: known(n.Pooled),
		BaseRuns: n.Base.json(), NewRuns: n.New.json(), Effect: r.Effect.json(),
	}
	file.MarginWhy, file.Floor = r.margin, r.Floor
	if r.First != r.Verdict {
		file.First = r.First.String()
	}
	for _, round := range n.Rounds {
		file.Rounds = append(file.Rounds, jsonNumbers{
			Base: known(round.BaseRPS), New: known(round.NewRPS), Ratio: known(round.Ratio), Spread: known(round.Spread),
			P99: known(round.P99), P999: known(round.P999), CPU: known(round.CPU), RSS: known(round.RSS), CPUSpread: known(round.CPUSpread),
		})
	}
	if len(n.Sessions) > 1 {
		for _, s := range n.Sessions {
			file.Sessions = append(file.Sessions, jsonSession{s.Session, s.Base.json(), s.New.json(), known(s.Pooled)})
		}
	}
	file.Order = r.Order.json()
	if r.Limiter.Of != "" {
		file.Limiter = &jsonLimiter{r.Limiter.Of, r.Limiter.Text}
	}
	if r.rule.Policy == NonInferior {
		file.Margin = asked(r.rule.MarginFrac)
	}
	for _, t := range r.tests {
		file.Tests = append(file.Tests, jsonTest{t.of, known(t.p), t.family, asked(t.limit), t.kept})
	}
	for _, f := range r.Flags {
		file.Flags = append(file.Flags, jsonFlag(f))
	}
	for i := range r.Repeats {
		file.Repeats = append(file.Repeats, r.Repeats[i].json())
	}
	if r.Ruling != nil {
		file.Ruling = &jsonRuling{r.Ruling.Date, r.Ruling.By, r.Ruling.Text}
	}
	for _, p := range r.Past {
		file.Past = append(file.Past, jsonPoint{p.Table, p.Began, known(p.Ratio), known(p.BaseRPS), p.Verdict.String(), p.Estimate})
	}
	return file
}

// json is nil where nothing is known.
func (o *Order) json() *jsonOrder {
	var file jsonOrder
	for _, d := range o.Drift {
		file.Drift = append(file.Drift, jsonDrift{d.Session, known(d.Change), known(d.P)})
	}
	if p := o.Position; p != nil {
		file.Position = &jsonPosition{known(p.Effect), known(p.P), p.First, p.Second}
	}
	if s := o.Seconds; s.Known > 0 {
		file.Seconds = &jsonSeconds{s.Known, s.NotWarm, s.Flipped}
	}
	if file.Drift == nil && file.Position == nil && file.Seconds == nil {
		return nil
	}
	return &file
}

// json is nil for no runs.
func (p *Pooled) json() *jsonPooled {
	if p.Runs == 0 {
		return nil
	}
	return &jsonPooled{
		Runs: p.Runs, RPS: known(p.RPS), RPSMin: known(p.RPSMin), RPSMax: known(p.RPSMax), CV: known(p.CV), CPUMicros: known(p.CPUMicros),
		P99Millis: known(p.P99Millis), RSSKiB: known(p.RSSKiB), ServerBusy: known(p.ServerBusy), GeneratorBusy: known(p.GeneratorBusy), AppBusy: known(p.AppBusy),
	}
}

// json is nil for no pairs.
func (e *Effect) json() *jsonEffect {
	if e.Pairs == 0 {
		return nil
	}
	file := &jsonEffect{
		Pairs: e.Pairs, Ratio: known(e.Ratio), Lo: known(e.Lo), Hi: known(e.Hi), Level: known(e.Level), ByRounds: e.ByRounds,
		Signed: e.Signed.json(), Rounds: e.Rounds.json(), Drawn: e.Drawn.json(),
		MDE: known(e.MDE), Sigma: known(e.Sigma), Lag1: known(e.Lag1), Missing: e.Missing,
	}
	if file.Signed != nil {
		file.Signed.Critical = e.Critical
	}
	if e.Check.Freedom > 0 {
		file.RoundP, file.RoundF = known(e.Check.P), known(e.Check.F)
		file.PairVar, file.RoundVar = known(e.Check.PairVariance), known(e.Check.RoundVariance)
	}
	if n := e.Need; n.Rounds > 0 {
		file.Need = &jsonNeed{known(n.Loss), n.Rounds, n.Pairs}
	}
	if e.Speeds != nil {
		file.Speeds = e.Speeds.json()
	}
	if t := e.Turns; t != nil {
		file.Turns = &jsonTurns{t.Slices, known(t.Within), known(t.Apart), t.ByTotals}
	}
	return file
}

// json is nil for bounds that are not known.
func (b Bounds) json() *jsonBounds {
	if !b.known() {
		return nil
	}
	return &jsonBounds{Lo: known(b.Lo), Hi: known(b.Hi), Level: known(b.Level)}
}

func (s *Speeds) json() *jsonSpeeds {
	file := &jsonSpeeds{Host: s.Host, P: known(s.P), Across: s.Across, LowerRatio: known(s.LowerRatio), UpperRatio: known(s.UpperRatio)}
	for _, of := range s.Sessions {
		file.jsonSpeed = jsonSpeed{
			Session: of.Session, Lower: known(of.Lower), Upper: known(of.Upper), LowerRuns: of.LowerN, UpperRuns: of.UpperN,
			Within: known(of.WithinFrac), MValue: asked(of.MValue),
		}
		file.Sessions = append(file.Sessions, file.jsonSpeed)
	}
	if len(file.Sessions) < 2 {
		file.Sessions = nil
	}
	return file
}
