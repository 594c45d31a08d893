package measure

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/scalws/scalbench/ab"
	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/suite"
	"github.com/scalws/scalbench/loadgen"
)

// turns is one measurement of two variants that run at the same time, base and new, and that
// one generator loads in slices of time, the one and then the other.
type turns struct {
	id     string // of the pair
	halves [2]*measurement
	pairs  *loadgen.Pairs // nil: there are none
	atS    float64        // when going on was of no use, since the window began; NaN: it went on
}

// MeasureTurns measures a scenario of a base and a new variant in turns. The plan's warm-up
// is that of each of them, and its window that of both together. What is wrong with one of
// them makes both rows Invalid, and the reason says which and when. The rest is as with
// [Bench.Measure]; id is the pair's.
func (b *Bench) MeasureTurns(ctx context.Context, running [2]*Running, sc suite.Scenario, plan suite.Plan, id string) (rows [2]record.Measurement, evidence [2]Evidence, err error) {
	t := &turns{id: id, atS: math.NaN()}
	for i, r := range running {
		t.halves[i] = &measurement{bench: b, running: r, scenario: sc, session: plan, turns: true}
	}
	t.halves[0].second = t.halves[1]
	rows, err = t.take(ctx)
	for i, m := range t.halves {
		evidence[i] = m.evidence
	}
	if err != nil {
		err = fmt.Errorf("measure %s of variants %s and %s in turns: %w", sc.Name, running[0].variant.Name, running[1].variant.Name, err)
	}
	return rows, evidence, err
}

// take runs the measurement and makes both rows and what is to be kept of them.
func (t *turns) take(ctx context.Context) (rows [2]record.Measurement, err error) {
	began := t.halves[0].bench.clock.Now()
	reason, err := t.run(ctx)
	for i, m := range t.halves {
		rows[i] = m.row()
		rows[i].Pair = t.id
		if err == nil {
			err = m.judge(&rows[i], reason)
		}
		if m.result != nil {
			m.evidence.Overhead = m.bench.clock.Now().Sub(began) - m.warmUpBefore() - m.plan.Measure
		}
	}
	t.summarize(&rows[1])
	t.shareFate(&rows, reason)
	for _, m := range t.halves {
		err = errors.Join(err, m.collect())
	}
	return rows, errors.Join(err, t.collect())
}

// run is the story of both. Whatever it returns, the generator has ended and nobody looks
// any more.
func (t *turns) run(ctx context.Context) (reason string, err error) {
	first, second := t.halves[0], t.halves[1]
	if err := t.makePlans(); err != nil {
		return "", err
	}
	for _, m := range t.halves {
		if err := ask(ctx, m.plan); err != nil {
			if reason, err = reasonOrError(err); reason != "" {
				reason = m.running.variant.Name + ": " + reason
			}
			return reason, err
		}
	}
	first.plan.Targets = append(first.plan.Targets, second.plan.Targets...)
	first.plan.Slices = slicesOf(first.plan.Measure)
	if first.generator, err = startGenerator(first.bench.config.Exe, first.bench.placement.Generator, first.plan); err != nil {
		return "", err
	}
	second.generator = first.generator
	first.watch = first.bench.startWatch(first.running, second.running, first.generator.pid())
	second.watch = second.bench.watchProcesses(second.running)
	for _, m := range t.halves {
		m.edges = m.bench.newEdges(m.running)
	}
	reason, err = first.follow(ctx)
	if reason == "" && err == nil {
		reason, err = reasonOrError(first.awaitEnd(ctx))
	}
	if reason != "" || err != nil {
		t.atS = first.bench.clock.Now().Sub(first.evidence.From).Seconds()
		first.generator.end()
	}
	readErr := t.read()
	t.stopWatch()
	if reason == "" && err == nil {
		return reasonOrError(readErr)
	}
	return reason, err
}

// pairsMeant is how many pairs a window is to have at least.
const pairsMeant = 4

// slicesOf are the slices of a window: the usual ones, or shorter in one that is as short as
// those of tests.
func slicesOf(window time.Duration) loadgen.Slices {
	return loadgen.SlicesOf(min(loadgen.SliceDefault, max(window/(2*pairsMeant), time.Millisecond)))
}

// makePlans makes the plan of each, for one target.
func (t *turns) makePlans() error {
	for _, m := range t.halves {
		if err := m.makePlan(); err != nil {
			return err
		}
		m.plan.Targets[0].ServerPIDs = m.running.pids() // from here nobody sees the slices
	}
	return nil
}

// read takes the generator's result apart. The window ends with the last pair.
func (t *turns) read() (err error) {
	if t.pairs, err = t.halves[0].generator.readPairs(); err != nil {
		return err
	}
	for i, r := range []*loadgen.Result{t.pairs.A, t.pairs.B} {
		m := t.halves[i]
		m.result = r
		if m.evidence.From != 0 {
			m.evidence.To = max(m.evidence.To, m.evidence.From.Add(t.pairs.Elapsed))
		}
	}
	if l := t.pairs.Lost; l != nil {
		t.atS = l.AtS
	}
	return nil
}

// stopWatch ends the looking at both. Who disturbed one of them has disturbed the pair.
func (t *turns) stopWatch() {
	var host seen
	first := t.halves[0]
	first.watch.stopHost(&host, first.evidence.From, first.evidence.To)
	for _, m := range t.halves {
		m.seen = m.watch.stopProcesses()
		m.seen.verdict, m.seen.log, m.seen.cut, m.seen.cpu = host.verdict, host.log, host.cut, host.cpu
		m.seen.notes = append(m.seen.notes, host.notes...)
	}
}

// fillTurns fills in what is known of the server's own slices alone: over the window its
// processes, and its helpers, also waited for the other's.
func (m *measurement) fillTurns(row *record.Measurement) {
	row.CPUMicros, row.ServerBusyFrac = record.Value{}, record.Value{}
	if m.result == nil || m.result.Server == nil {
		return
	}
	s := m.result.Server
	if s.CPUPerRequestUS != nil {
		row.CPUMicros = record.Of(*s.CPUPerRequestUS)
	}
	if n := m.running.cpus().Count(); n > 0 {
		row.ServerBusyFrac = record.Of(min(1, s.CoresUsed/float64(n)))
	}
}

// summarize puts into the row of the new variant what the pairs of slices say.
func (t *turns) summarize(row *record.Measurement) {
	if t.pairs == nil {
		return
	}
	row.SlicePairs = uint64(len(t.pairs.Pairs))
	rps, cpu, err := ab.SummaryOf(judged(t.pairs.Pairs))
	if err != nil {
		t.halves[1].evidence.Notes = append(t.halves[1].evidence.Notes, err.Error())
		return
	}
	row.RPSRatio, row.RPSRatioSE = finite(rps.Ratio), finite(rps.SE)
	row.CPURatio, row.CPURatioSE = finite(cpu.Ratio), finite(cpu.SE)
}

func finite(x float64) record.Value {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return record.Value{}
	}
	return record.Of(x)
}

// judged are pairs as package ab takes them.
func judged(pairs []loadgen.Pair) []ab.Pair {
	known := func(v *float64) float64 {
		if v == nil {
			return math.NaN()
		}
		return *v
	}
	slice := func(s loadgen.Slice) ab.Slice {
		return ab.Slice{RPS: s.RPS, P50US: known(s.P50US), P99US: known(s.P99US), CPUMicros: known(s.CPUPerRequestUS)}
	}
	all := make([]ab.Pair, len(pairs))
	for i, p := range pairs {
		all[i] = ab.Pair{A: slice(p.A), B: slice(p.B), AFirst: !p.BFirst, At: time.Duration(p.EndS * float64(time.Second))}
	}
	return all
}

// pairsLeast is how many pairs a run needs: two of opposite order are the fewest in which
// being second is in neither direction.
const pairsLeast = 2

// shareFate makes both rows invalid where one is, with the reason of who is at fault, and
// when that was.
func (t *turns) shareFate(rows *[2]record.Measurement, shared string) {
	reason := t.fault(rows, shared)
	if reason == "" {
		return
	}
	if !math.IsNaN(t.atS) && t.atS > 0 && t.halves[0].evidence.From != 0 {
		reason += fmt.Sprintf(", %.3g s into the window", t.atS)
	}
	saturated := false
	for _, m := range t.halves {
		limit := m.saturated()
		saturated = saturated || limit != "" && strings.Contains(reason, limit)
	}
	for i := range rows {
		rows[i].State, rows[i].Reason = record.Invalid, record.OneLine(reason)
		if saturated { // of both, so that the pair is not measured again for it
			rows[i].Flags = withFlag(rows[i].Flags, FlagSaturated)
		}
	}
}

// fault is what makes the pair invalid, with who is at fault, "" when nothing does. Who
// answered nothing any more goes first: what the other has then is a consequence. shared is
// a reason that is known of both.
func (t *turns) fault(rows *[2]record.Measurement, shared string) string {
	if t.pairs != nil && t.pairs.Lost != nil {
		l := t.pairs.Lost
		name, why := t.name(l.Target), rows[l.Target].Reason
		if ended := t.halves[l.Target].running.ended(); ended != "" {
			why = ended
		}
		if why == "" {
			why = "it answered nothing any more: " + l.Why
		}
		return name + ": " + why
	}
	for i := range rows {
		if ended := t.halves[i].running.ended(); ended != "" {
			return t.name(i) + ": " + ended
		}
	}
	for i := range rows {
		if rows[i].State == record.Invalid && rows[i].Reason != shared {
			return t.name(i) + ": " + rows[i].Reason
		}
	}
	if shared != "" {
		return shared
	}
	if t.pairs != nil && len(t.pairs.Pairs) < pairsLeast {
		return fmt.Sprintf("%d pairs of slices in the window, expected %d or more: it is too short for slices of %v", len(t.pairs.Pairs), pairsLeast, t.pairs.Slices.Length)
	}
	return ""
}

func (t *turns) name(i int) string { return t.halves[i].running.variant.Name }

// withFlag adds one that may be there.
func withFlag(flags []string, flag string) []string {
	for _, f := range flags {
		if f == flag {
			return flags
		}
	}
	return append(flags, flag)
}

// SlicesSchema is the format of a [SlicesFile].
const SlicesSchema = "scalbench.slices/v1"

// SlicesRecord are the pairs of slices of one run, which its ratios are made of.
type SlicesRecord struct {
	Schema  string         `json:"schema"`
	Session string         `json:"session"` // its id
	Pair    string         `json:"pair"`    // column pair
	Base    string         `json:"base"`    // a of each pair
	New     string         `json:"new"`     // b of each pair
	LengthS float64        `json:"length_s"`
	SettleS float64        `json:"settle_s"` // beginning of a slice, which is not counted
	Elapsed float64        `json:"elapsed_s"`
	Pairs   []loadgen.Pair `json:"pairs"`
	Lost    *loadgen.Lost  `json:"lost,omitempty"` // which answered nothing any more
}

// collect adds the pairs to what is kept of the new variant.
func (t *turns) collect() error {
	if t.pairs == nil {
		return nil
	}
	return t.halves[1].evidence.addJSON(SlicesFile, SlicesRecord{
		Schema: SlicesSchema, Session: t.halves[0].bench.config.Session, Pair: t.id, Base: t.name(0), New: t.name(1),
		LengthS: t.pairs.Slices.Length.Seconds(), SettleS: t.pairs.Slices.Settle.Seconds(), Elapsed: t.pairs.Elapsed.Seconds(),
		Pairs: t.pairs.Pairs, Lost: t.pairs.Lost,
	})
}
