// Package ab says whether one server is slower than another, from slices of load that
// were put on the two in turn, a pair after the other, while they are measured. It is
// pure: no clock, no process, no network; the same pairs give the same answer.
//
// It does not know how slices come about. Whoever measures feeds it, looks at what it
// says as often as he likes, and stops when it is decided:
//
//	judge, err := ab.NewJudge(ab.Rule{Margin: 0.005, Max: time.Minute})
//	for {
//		err = judge.Add(pair)
//		if s := judge.State(); s.Decided || s.Over {
//			fmt.Println(s.Line()) // B is 1.7 % slower (1.4 to 2.0 %), 22 s
//			break
//		}
//	}
//
// # Terms
//
//   - slice: some tens of milliseconds in which one server is loaded and the other
//     is not.
//   - pair: a slice of each, one right after the other. Whatever disturbs the host for
//     longer than a pair disturbs both.
//   - unit: two pairs of opposite order, as A B B A; what the second slice of a pair has
//     from being the second, and what drifts, is in neither direction.
//   - metric: rps, p50 and p99 of the response time, or the server's CPU per request.
//     Its difference in a pair is ln B − ln A, that of a unit the mean of two.
//   - centre: the trimmed mean of the differences of all units, 20 % off either end.
//   - totals: the mean rate of B over that of A, over all slices. They have the rare slow
//     slices that the centre leaves out; they count when these are B's or A's own.
//   - block: successive units that are averaged, as many as it takes for blocks not to
//     resemble each other.
//   - interval: where the ratio B / A is. That it is ever wrong until Rule.Max, however
//     often one looks, has the probability Rule.Alpha at most.
//   - margin: the difference that is none. It is fixed before anything is measured.
//
// # Verdict
//
// The interval of rps decides. It lies inside the margin: same. It does not, and lies
// below or above 1: slower or faster. Else it cannot be told yet. The first of these
// that holds ends the measurement, so that a difference of less than half the margin
// is as a rule called the same, and a larger one slower or faster: the interval closes
// in around the difference, and which of the two limits leaves it first depends on
// which is farther.
//
// With Rule.MaxLoss another question is asked: is more than that lost? Then it is
// decided as soon as the interval is on one side of it.
//
// # Flow
//
//  1. [Judge.Add] takes a pair; two of opposite order become a unit (units.go).
//  2. [Judge.State] measures each metric: centre, blocks, interval (interval.go); and
//     rps by its totals too, where rare slices make the difference (totals.go).
//  3. The interval becomes a verdict (verdict.go), or the time that it would take
//     (forecast.go).
//  4. [State.Line], [State.Live], [State.Details] and [State.Hopeless] word it
//     (words.go); [ReportOf] is what is written as JSON (report.go).
//
// [Compare] is for two results that were measured at different times: no pairs, one
// look, and whatever the host did in between is in the answer (compare.go). [SummaryOf] is
// for one run of several: a centre and its standard error, looked at once, for who combines
// them (summary.go).
//
// # Reading order
//
// pair.go, rule.go, judge.go, units.go, interval.go, totals.go, verdict.go,
// forecast.go; summary.go; words.go, report.go; compare.go, changewords.go.
package ab
