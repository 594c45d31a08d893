package gate

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/scalws/scalbench/internal/record"
)

// WriteWhy writes how the verdict of one row came about, number by number: the runs,
// what each round makes of them, the median, the decision, and what it must be read
// with. The first lines are numbers that anybody can compute again.
func WriteWhy(out io.Writer, t *Table, r *Row) error {
	var page bytes.Buffer
	line := func(format string, args ...any) { fmt.Fprintln(&page, oneLine(fmt.Sprintf(format, args...))) }
	line("%s: %s", r.ID(), r.Word())
	if t.Estimate != "" {
		line("ESTIMATE: %s; it gives no verdict of record", t.Estimate)
	}
	r.writeRounds(&page)
	line("policy %s", r.rule.text())
	for _, reason := range r.Why {
		line("  %s", reason)
	}
	for i := range r.tests {
		line("  %s", r.tests[i].text())
	}
	r.writeEffect(line)
	if text := t.splitText(&r.Effect); text != "" {
		line("  %s", text)
	}
	for _, text := range r.Order.texts(r.Base, r.New) {
		line("order: %s", text)
	}
	if floor, known := r.Floor.Get(); known {
		line("noise floor %s: a program and itself come so far apart here, 19 times of 20; this row is %s from 1", lossText(floor), lossText(math.Abs(math.Log(r.Effect.Ratio))))
	}
	if r.Limiter.Text != "" {
		line("limit: %s", r.Limiter.Text)
	}
	for _, f := range r.Flags {
		line("flag %s: %s", f.Code, f.Text)
	}
	for i := range r.Repeats {
		line("")
		line("repeated: %s", r.Repeats[i].Line())
		r.Repeats[i].writeRounds(&page)
	}
	if command := t.again(r); command != "" {
		line("again: %s", command)
	}
	if _, err := out.Write(page.Bytes()); err != nil {
		return fmt.Errorf("write gate: %w", err)
	}
	return nil
}

// writeRounds writes the runs of each round, of what the row is judged by, and what was
// made of them.
func (r *Row) writeRounds(out *bytes.Buffer) {
	n := &r.Numbers
	judged := numberOf(n.Metric)
	for i, round := range n.Rounds {
		fmt.Fprintf(out, "round %d\n", i+1)
		grid := Grid{Columns: []Column{{"", false}, {r.Base, true}, {r.New, true}, {"new / base", true}}}
		add := func(name, base, new, ratio string) {
			grid.Rows = append(grid.Rows, []string{"  " + name, base, new, ratio})
		}
		for k := range round.Base {
			base, new := judged.of(&round.Base[k]).OrNaN(), judged.of(&round.New[k]).OrNaN()
			add(fmt.Sprintf("run %d, %s", round.Base[k].Run, judged.unit), judged.text(base), judged.text(new), ratioText(new/base))
		}
		spread := round.Spread
		if n.Metric == CPU {
			spread = round.CPUSpread
		}
		add("CV (n-1)", percentText(cv(record.Column(round.Base, judged.of))), percentText(cv(record.Column(round.New, judged.of))), "larger "+percentText(spread))
		add("median, req/s", rateText(round.BaseRPS), rateText(round.NewRPS), ratioText(round.Ratio))
		for _, number := range []struct {
			name     string
			of       func(*record.Measurement) record.Value
			decimals int
			ratio    float64
		}{{"median p99, ms", p99Of, 2, round.P99}, {"median p99.9, ms", p999Of, 2, round.P999}, {"median cpu_us", cpuOf, 2, round.CPU}, {"median peak RSS, KiB", rssOf, 0, round.RSS}} {
			add(number.name, decimals(medianOf(round.Base, number.of), number.decimals), decimals(medianOf(round.New, number.of), number.decimals), ratioText(number.ratio))
		}
		grid.Text(out) // a buffer takes everything
	}
	if len(n.Rounds) > 0 {
		fmt.Fprintf(out, "median of the rounds: ratio %s, spread %s, p99 %s, p99.9 %s, cpu_us %s, spread of cpu_us %s, peak RSS %s; pooled ratio %s, which decides nothing\n",
			ratioText(n.Value), percentText(n.Spread), ratioText(n.P99), ratioText(n.P999), ratioText(n.CPU), percentText(n.CPUSpread), ratioText(n.RSS), ratioText(n.Pooled))
	}
	if len(n.Sessions) > 1 {
		for _, s := range n.Sessions {
			fmt.Fprintf(out, "session %s: pooled ratio %s of %s and %s req/s\n", s.Session, ratioText(s.Pooled), rateText(s.New.RPS), rateText(s.Base.RPS))
		}
	}
}

// judgedNumber is what a row is judged by, of each run.
type judgedNumber struct {
	unit string
	of   func(*record.Measurement) record.Value
	text func(float64) string
}

func numberOf(m Metric) judgedNumber {
	if m == CPU {
		return judgedNumber{"cpu_us", cpuOf, func(x float64) string { return decimals(x, 2) }}
	}
	return judgedNumber{"req/s", rpsOf, rateText}
}

// text is the rule in one line.
func (r Rule) text() string {
	parts := []string{r.Policy.String()}
	switch r.Policy {
	case Parity:
		if r.MaxMarginFrac > 0 {
			parts = append(parts, "spread capped at "+percentText(r.MaxMarginFrac))
		} else {
			parts = append(parts, "spread not capped")
		}
	case Fixed:
		parts = append(parts, "smallest ratio "+shortText(r.MinRatio))
		if r.MaxRounds > r.Rounds() {
			parts = append(parts, fmt.Sprintf("BORDERLINE decided by rounds %d to %d", r.Rounds()+1, r.MaxRounds))
		}
	case NonInferior:
		parts = append(parts, "margin "+percentText(r.MarginFrac), "alpha "+shortText(r.alpha()))
		if r.OnInconclusive != 0 {
			parts = append(parts, "INCONCLUSIVE counts as "+r.OnInconclusive.String())
		}
		if r.MaxRounds > 0 {
			parts = append(parts, fmt.Sprintf("looks after rounds %d to %d, spending %s", r.Rounds(), r.MaxRounds, r.Spend))
		}
	}
	for _, l := range []struct {
		of  string
		max float64
	}{{"p99", r.P99Max}, {"p99.9", r.P999Max}, {"peak RSS", r.RSSMax}, {"cpu_us", r.CPUMax}} {
		if l.max > 0 {
			parts = append(parts, l.of+" at most "+shortText(l.max))
		}
	}
	if r.Interval != ByRounds {
		parts = append(parts, "interval "+r.Interval.String())
	}
	return strings.Join(parts, ", ")
}
