// Package gate judges: it compares variants by what was recorded of them, and says
// PASS, FAIL, or that it has no opinion. It is pure: it reads no file and no clock,
// and the same records give the same tables.
//
// # Terms
//
//   - ratio: new / base of requests per second, of the medians of the runs of a round;
//     above 1 is better. The row's value is the median over its rounds.
//   - spread: of a round, the larger CV (n-1) of its two variants; of a row, the median
//     over its rounds. A fraction here; tables print percent.
//   - margin of parity: how much of a loss the spread excuses.
//   - pair: run i of the base and run i of the new variant in one round.
//   - turns: that both variants were up and were loaded in slices of time, in one run. Its
//     ratio is that of its pairs of slices; it is one pair among the others all the same.
//   - effect: what the pairs say about the ratio: an estimate, bounds, and the smallest
//     loss that they could have shown. Every row has it; it decides under noninferior.
//   - interval: how bounds are made of pairs: by rounds, which errs with alpha at most
//     whatever a round adds of its own; by pairs; or by a bootstrap.
//   - margin of noninferior: the loss that a row may have, fixed beforehand.
//   - look: a round after which a session that stops early is judged.
//   - speed: one of two rates between which a host, or a variant, flips.
//   - absolute number: a rate, or what else is no ratio. None is made of two sessions.
//   - limiter: what kept the rate from being higher.
//   - limit: what the ratios of p99, peak RSS and cpu_us may be at most.
//   - row: one scenario, in one mode, of one comparison.
//   - table: rows of one or more comparisons over the same rounds; the rule is one.
//   - flag: what a row must be read with. Flags decide nothing.
//   - estimate: a table of fewer rounds than its policy needs or its plan has, or of a
//     preset that gives no verdict of record. Its cells say what they would; the table is INCONCLUSIVE.
//   - repeat: a later session that measured some rows alone. It resolves BORDERLINE and
//     INCONCLUSIVE, never FAIL.
//   - origin: suite, host and method of a table. Ratios of sessions of one origin form a
//     series, in which a change of level can be seen.
//   - calibration: what a variant shows against its twin, which is itself under a second
//     name; with a positive control, in which the twin has a burden.
//   - pseudo gate: one of a program against itself, drawn from the pairs of a calibration.
//   - noise floor: what 95 of 100 pseudo gates stay below, of |ln ratio|.
//   - ruling: what a person decided about a FAIL. It changes no verdict.
//
// # Flow
//
//  1. [Judge] takes [Evidence] and [Rules]; gather decides which rounds form the table
//     and which repeat it. Evidence that does not belong together is never judged: all
//     rows are INVALID with the reason.
//  2. For each row, draw collects the runs, or says why there are none: INVALID, NOT
//     RUN or N/A. compareVariants holds what differs between the variants against what
//     may; nothing at all is SAME. Where rows left their session as they were decided,
//     roundsOf says in which rounds they must be.
//  3. measure turns the runs into [Numbers].
//  4. [Decide] turns numbers into a verdict: pairsOf makes their effect, then the policy
//     decides (a file each: parity.go, fixed.go, noninferior.go), then the limits. It is
//     the only place where that happens, so that a published table can be judged again
//     by its printed ratios ([JudgePublished]).
//  5. correct takes back FAILs of noninferior that chance may have made among so many
//     rows.
//  6. Flags, repeats and rulings are added; [Table.Remember] adds what earlier sessions
//     said. [Gate] and [Table] say the worst, and [Table.Look] which rows need no more
//     rounds.
//     Profiles that were taken beside the rounds are shown with what they explain; nothing
//     is judged by them.
//  7. Grids lay rows out as the reports do, and a second block has the effects.
//     [WriteText], [WriteMarkdown], [WriteJSON], [WriteBenchfmt], [WriteJUnit] and
//     [WriteGitHub] write all, [WriteWhy] one row number by number.
//
// [Calibrate] makes a calibration of two sessions, and [WriteCalibration] writes it. One
// that holds for a table tells in step 6 which rows are within the noise of the host, and
// before step 4 the margin of those for which nobody said one.
//
// # Severity
//
// PASS < BORDERLINE < INCONCLUSIVE < NOT RUN < FAIL < INVALID. N/A counts for nothing.
// Of several rows, and tables, the gravest counts.
//
// # Exactness
//
// Decisions are made on unrounded numbers with a guard of 1e-9, so that printed
// decimals give ties as ties; and a tie of loss and margin is a FAIL, as in the
// published tables. Numbers are rounded when they are printed, never before.
//
// # Reading order
//
// verdict.go, rule.go, judge.go; evidence.go, missing.go, sample.go, differs.go, people.go;
// numbers.go, sessions.go, pairs.go, turns.go, interval.go, effect.go, need.go, speeds.go; decide.go,
// parity.go, fixed.go,
// noninferior.go, limits.go, family.go; looks.go; flags.go, limiter.go, order.go, repeat.go,
// worst.go, history.go; calibration.go, pseudogate.go, noisefloor.go; published.go; then grid.go, layouts.go, effectgrid.go, span.go,
// write.go, text.go, markdown.go, format.go, json.go, jsonrow.go, benchfmt.go, junit.go,
// github.go, profiles.go, why.go, whyeffect.go, historytext.go, calibrationtext.go.
package gate
