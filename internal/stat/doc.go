// Package stat holds the statistics with which two variants are compared: how
// much faster or slower one is, how sure that is, what could have been seen at
// all, and what is odd about the host.
//
// Every function is pure: no clock, no file, no state. The same input gives the
// same output, down to the last bit; what is random takes a seed. Input is never
// modified.
//
// # Terms
//
//   - pair: two runs, one of each variant, that stood in the same place of the
//     order; its difference d is ln new − ln base. On this scale a ratio is a
//     shift, noise that multiplies is noise that adds, and swapping the variants
//     changes a sign. Whoever prints takes exp.
//   - round: pairs that were measured in one window of time.
//   - Walsh average: the mean of two of n differences, or of one with itself;
//     there are N = n(n+1)/2.
//   - centre: the Hodges-Lehmann estimate, the median of the Walsh averages.
//   - level: the probability of error that is granted to one bound, or to one
//     test in one direction; between 0 and 0.5, both excluded. An interval of two
//     bounds at level 0.05 each covers with 0.90.
//   - look: a moment of a session at which the gate may stop.
//   - mode: one of two heaps in which the runs of a scenario lie.
//
// # Flow
//
//  1. [HodgesLehmann] estimates the centre of the differences,
//     [SignedRankInterval] bounds it and [ShiftTest] gives the p of a margin. All
//     three count the same Walsh averages, so that they cannot contradict each
//     other.
//  2. [CompareRounds] tests whether the rounds differ by more than their pairs do,
//     and has an interval that holds whether or not they do; [Interval.Outer] puts
//     both together. [HierarchicalBootstrap] cross-checks either.
//  3. [Spending] shares one level out over several looks, [Holm] over several rows.
//  4. [DetectableLoss] and [PairsToDetect] say what a plan can see, the methods of
//     [RoundCheck] with the same names what it can see by rounds, and
//     [RoundCheck.BestSplit] how to divide pairs among rounds.
//  5. [TrimmedMean], [Blocking] and [WatchedBound] are for hundreds of pairs that are
//     looked at while they are measured, and may resemble their neighbours.
//  6. [DriftTest], [PositionTest], [Lag1], [WarmUpTest] and [FlipTest] look at the
//     order of things in time. [FindModes], [FisherExact] and [Strata] deal with a
//     host that has two speeds. [FindChanges] looks along a history of sessions.
//
// # Errors
//
// A number that is not finite is refused with [ErrNotFinite]; fewer values than
// a method needs give a [TooFewError]. Nothing is dropped as an outlier: the
// methods are robust instead.
//
// Read sample.go, walsh.go, signedrank.go, interval.go and shift.go, which are
// the core; then rounds.go, spending.go and holm.go; trimmed.go, blocks.go and
// watched.go; the rest in any order.
package stat
