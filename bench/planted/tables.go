package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// tableOfEqual counts what equal servers are called.
func tableOfEqual(all []outcome) string {
	rows := [][]string{{"tries", "called different", "same", "cannot tell", "error", "half, 19 of 20 the same by", "truth in the interval: rps", "CPU"}}
	rows = append(rows, []string{
		fmt.Sprint(len(all)), fmt.Sprint(count(all, "slower") + count(all, "faster")), fmt.Sprint(count(all, "same")),
		fmt.Sprint(count(all, "cannot_tell")), fmt.Sprint(count(all, "error")), when(all, "same"), covered(all, rpsOf), covered(all, cpuOf),
	})
	return markdown(rows)
}

// tableOfLosses has a row for each loss.
func tableOfLosses(all []outcome) string {
	rows := [][]string{{"loss", "margin", "tries", "slower", "same", "faster", "cannot tell", "error", "half, 19 of 20 called by", "last",
		"rps: median (least to most)", "truth in its interval", "CPU/request: median (least to most)", "truth in its interval"}}
	for _, group := range groups(all, func(o outcome) float64 { return o.Loss }) {
		rows = append(rows, []string{
			percent(group[0].Loss, 1), percent(group[0].Margin, 2), fmt.Sprint(len(group)), fmt.Sprint(count(group, "slower")), fmt.Sprint(count(group, "same")),
			fmt.Sprint(count(group, "faster")), fmt.Sprint(count(group, "cannot_tell")), fmt.Sprint(count(group, "error")), when(group, "slower"), last(group),
			changes(group, rpsOf), covered(group, rpsOf), changes(group, cpuOf), covered(group, cpuOf),
		})
	}
	return markdown(rows)
}

// tableOfConnections says how far estimates are from the truth, and how far the intervals
// have them be.
func tableOfConnections(all []outcome) string {
	rows := [][]string{{"connections", "tries", "rps: median (least to most)", "standard deviation", "half its interval", "CPU/request: median (least to most)", "standard deviation", "half its interval", "called different", "error"}}
	for _, group := range groups(all, func(o outcome) float64 { return map[bool]float64{true: 1}[o.Keep] }) {
		name := "renewed"
		if group[0].Keep {
			name = "kept"
		}
		rows = append(rows, []string{
			name, fmt.Sprint(len(group)), changes(group, rpsOf), percent(deviation(group, rpsOf), 2), halves(group, rpsOf),
			changes(group, cpuOf), percent(deviation(group, cpuOf), 2), halves(group, cpuOf),
			fmt.Sprint(count(group, "slower") + count(group, "faster")), fmt.Sprint(count(group, "error")),
		})
	}
	return markdown(rows)
}

// deviation is the root mean square of ln estimate / truth.
func deviation(all []outcome, of func(outcome) (*ratio, float64)) float64 {
	squares := values(all, func(o outcome) (float64, bool) {
		r, truth := of(o)
		if r == nil || r.Estimate <= 0 {
			return 0, false
		}
		x := math.Log(r.Estimate / truth)
		return x * x, true
	})
	sum := 0.0
	for _, x := range squares {
		sum += x
	}
	return math.Sqrt(sum / float64(len(squares)))
}

// tableOfSlices says how wide the interval was in the end.
func tableOfSlices(all []outcome) string {
	rows := [][]string{{"slice", "tries", "pairs", "half the interval of rps: median (least to most)", "of CPU/request", "called different", "error"}}
	for _, group := range groups(all, func(o outcome) float64 { return float64(o.SliceMS) }) {
		rows = append(rows, []string{
			fmt.Sprintf("%d ms", group[0].SliceMS), fmt.Sprint(len(group)), fmt.Sprintf("%.0f", median(values(group, func(o outcome) (float64, bool) { return float64(o.Pairs), o.Pairs > 0 }))),
			halves(group, rpsOf), halves(group, cpuOf), fmt.Sprint(count(group, "slower") + count(group, "faster")), fmt.Sprint(count(group, "error")),
		})
	}
	return markdown(rows)
}

// tableOfSettling says how wide the interval was in the end, and whether the truth was in it.
func tableOfSettling(all []outcome) string {
	rows := [][]string{{"not counted", "tries", "rps: median (least to most)", "half its interval", "truth in it", "CPU/request: median (least to most)", "half its interval", "error"}}
	for _, group := range groups(all, func(o outcome) float64 { return o.Settle }) {
		rows = append(rows, []string{
			percent(group[0].Settle, 0), fmt.Sprint(len(group)), changes(group, rpsOf), halves(group, rpsOf), covered(group, rpsOf),
			changes(group, cpuOf), halves(group, cpuOf), fmt.Sprint(count(group, "error")),
		})
	}
	return markdown(rows)
}

// tableOfSessions counts verdicts.
func tableOfSessions(all []outcome) string {
	rows := [][]string{{"loss", "sessions", "FAIL", "BORDERLINE", "PASS", "other", "rps: median (least to most)", "time (median)"}}
	for _, group := range groups(all, func(o outcome) float64 { return o.Loss }) {
		known := count(group, "FAIL") + count(group, "BORDERLINE") + count(group, "PASS")
		rows = append(rows, []string{
			percent(group[0].Loss, 1), fmt.Sprint(len(group)), fmt.Sprint(count(group, "FAIL")), fmt.Sprint(count(group, "BORDERLINE")), fmt.Sprint(count(group, "PASS")),
			fmt.Sprint(len(group) - known), changes(group, rpsOf), seconds(median(values(group, func(o outcome) (float64, bool) { return o.ElapsedS, o.Verdict != "error" }))),
		})
	}
	return markdown(rows)
}

func rpsOf(o outcome) (r *ratio, truth float64) { return o.RPS, 1 - o.Loss }

// cpuOf: the same work in 1 - loss of the time costs 1 / (1 - loss).
func cpuOf(o outcome) (r *ratio, truth float64) { return o.CPU, 1 / (1 - o.Loss) }

// groups are the outcomes by a key, in the order of the keys.
func groups(all []outcome, key func(outcome) float64) (sorted [][]outcome) {
	by := map[float64][]outcome{}
	var keys []float64
	for _, o := range all {
		if by[key(o)] == nil {
			keys = append(keys, key(o))
		}
		by[key(o)] = append(by[key(o)], o)
	}
	slices.Sort(keys)
	for _, k := range keys {
		sorted = append(sorted, by[k])
	}
	return sorted
}

func count(all []outcome, verdict string) (n int) {
	for _, o := range all {
		if o.Verdict == verdict {
			n++
		}
	}
	return n
}

// when says by when half and 19 of 20 of all tries had a verdict; – where so many have not.
func when(all []outcome, verdict string) string {
	return seconds(moment(all, verdict, 0.5)) + ", " + seconds(moment(all, verdict, 0.95))
}

// moment is the least time by which a share of all tries had the verdict; +Inf: it was
// never so many.
func moment(all []outcome, verdict string, share float64) float64 {
	times := values(all, func(o outcome) (float64, bool) { return o.ElapsedS, o.Verdict == verdict })
	slices.Sort(times)
	need := int(math.Ceil(share * float64(len(all))))
	if need > len(times) {
		return math.Inf(1)
	}
	return times[need-1]
}

// last is when the last of the called was.
func last(all []outcome) string { return seconds(momentOfLast(all)) }

func momentOfLast(all []outcome) float64 {
	times := values(all, func(o outcome) (float64, bool) { return o.ElapsedS, o.Verdict == "slower" })
	if len(times) == 0 {
		return math.Inf(1)
	}
	return slices.Max(times)
}

// covered counts intervals that hold the truth, of those that there are.
func covered(all []outcome, of func(outcome) (*ratio, float64)) string {
	n, known := 0, 0
	for _, o := range all {
		r, truth := of(o)
		if r == nil || r.Lo == nil {
			continue
		}
		known++
		if r.covers(truth) {
			n++
		}
	}
	return fmt.Sprintf("%d of %d", n, known)
}

// changes are estimates as changes: median, least, most.
func changes(all []outcome, of func(outcome) (*ratio, float64)) string {
	estimates := values(all, func(o outcome) (float64, bool) {
		r, _ := of(o)
		if r == nil {
			return 0, false
		}
		return r.Estimate - 1, true
	})
	return spread(estimates, func(x float64) string { return signedPercent(x) })
}

// halves are half widths of intervals, of ln ratio.
func halves(all []outcome, of func(outcome) (*ratio, float64)) string {
	widths := values(all, func(o outcome) (float64, bool) {
		r, _ := of(o)
		if r == nil || r.Lo == nil || r.Hi == nil || *r.Lo <= 0 {
			return 0, false
		}
		return math.Log(*r.Hi / *r.Lo) / 2, true
	})
	return spread(widths, func(x float64) string { return percent(x, 2) })
}

func spread(values []float64, text func(float64) string) string {
	if len(values) == 0 {
		return "–"
	}
	return fmt.Sprintf("%s (%s to %s)", text(median(values)), text(slices.Min(values)), text(slices.Max(values)))
}

func values(all []outcome, of func(outcome) (float64, bool)) (known []float64) {
	for _, o := range all {
		if v, ok := of(o); ok {
			known = append(known, v)
		}
	}
	return known
}

// median of values that are left as they are; NaN of none.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	switch {
	case n == 0:
		return math.NaN()
	case n%2 == 1:
		return sorted[n/2]
	}
	return (sorted[n/2-1] + sorted[n/2]) / 2
}

func percent(frac float64, digits int) string { return fmt.Sprintf("%.*f %%", digits, 100*frac) }
func signedPercent(frac float64) string       { return fmt.Sprintf("%+.2f %%", 100*frac) }

func seconds(s float64) string {
	if math.IsInf(s, 1) || math.IsNaN(s) {
		return "–"
	}
	return fmt.Sprintf("%.0f s", s)
}

// markdown is a table whose first row is its head.
func markdown(rows [][]string) string {
	var b strings.Builder
	for i, row := range rows {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
		if i == 0 {
			fmt.Fprintf(&b, "|%s\n", strings.Repeat("--:|", len(row)))
		}
	}
	return b.String()
}
