// Package order says in which order a session measures, what it cannot measure
// and how long it will take. It is arithmetic: the same plan gives the same order
// on every host, today and when a session is resumed.
//
// # Terms
//
//   - row: a scenario in a mode, a line of the tables (Scenario).
//   - run, round, variant, mode: as in package record. Run k of a round is
//     measured for all variants before run k+1 of any.
//   - design: sequences of the variants, one for each run of a block, in which
//     every variant comes equally often first, second, ... and after each other.
//     AB and BA are the one for two variants; for more it is a Williams square.
//   - block: the runs that go through a design once.
//   - gap: a row that is not measured for a variant, and why (Gap).
//
// # Flow
//
//  1. [Rows] names the rows of a suite, [Gaps] those that are not measured; [Shuffled]
//     puts rows in the order of a round, where the plan wants another in each.
//  2. [Round] puts the measurements of one round in order, or [RoundOfPairs] where two
//     variants take turns in one; [Without] takes the gaps out of it, and [PairGaps] says what
//     is a gap for the sake of the other of a pair.
//  3. [Estimate] tells the time.
//
// # What cancels what
//
// A host drifts, slowly and mostly in one direction: it warms up, a cache fills, the
// evening comes. Whoever is always second bears more of it. Rotation shares that out
// over two runs, and begins each round one variant further because an odd number of
// runs leaves one over. Counterbalancing does the same exactly, also for what one
// variant leaves behind for the next, and by a coin, so that nothing periodic on the
// host can fall in step with it.
//
// Nothing is left out: the two halves of a pair lie in one window of time, whatever
// the order, because no run begins before the one before it was measured for all
// variants.
//
// # Reading order
//
// row.go, round.go, sequence.go, williams.go; pairs.go, gap.go, estimate.go.
package order
