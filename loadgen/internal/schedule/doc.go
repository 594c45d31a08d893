// Package schedule says when the requests of an open loop are intended: a pure
// function of what was asked for, without a clock. Nothing that a server or a
// generator does moves an intended time, which is what keeps a stalled server
// from also stopping the requests that would have shown it.
//
// # Terms
//
//   - rate: requests a second that are offered, over time: a [Rate] of one or
//     more steps, each constant or a ramp. No rate is a closed loop.
//   - offered: the integral of the rate, in requests since the start of the run.
//   - arrival: how requests lie in time at a rate. Constant: request k, counted
//     from 0, is intended where the offered load reaches k. Poisson: at the
//     points of a Poisson process, as users who know nothing of each other come.
//   - burst: instead of a rate, a number of requests at once, again and again.
//   - open step: the last step of a rate when it has no duration. It lasts to the
//     end of the run; [Rate.Over] closes it.
//   - amount: offered load as a whole number of quanta (amount.go).
//   - segment: one step, as integers, with the amount before and after it.
//   - low end: the end of a ramp at which its rate is lower. Ramps are inverted
//     from there, where no subtraction of neighbours costs digits.
//
// # Exactness
//
// Rates are taken to the nearest millionth of a request a second. From there on
// all is integer arithmetic: an intended time is the last whole nanosecond at
// which the offered load has not passed what it stands for. No rounding
// accumulates, whatever the rate, the ramp or the length of the run, and from
// the start to any time d before the last step's end there are exactly as many
// constant arrivals as the offered load at d, rounded up.
//
// # Workers
//
// Of n workers, number i has the requests i, i+n, i+2n, ... of a constant
// arrival or of bursts. Together they are the whole schedule, each request once,
// and no two workers send at the same time unless the schedule wants it. Poisson
// arrivals are a process of their own for each worker, of an n-th of the rate:
// their superposition is a Poisson process of the whole rate (J. F. C. Kingman,
// Poisson Processes, 1993, section 2.2).
//
// # Flow
//
//  1. [Parse] reads a rate from the command line; JSON carries it as data.
//  2. The run closes its open step with [Rate.Over] and puts the warm-up in front
//     with [Rate.After].
//  3. [Spec.Validate] tells all faults; [New] makes each worker's [Schedule].
//  4. [Schedule.Next] goes on by one request in the domain of offered load, where
//     constant arrivals are equally spaced and Poisson arrivals have the rate 1,
//     finds the segment and inverts it.
//
// # Reading order
//
// spec.go, rate.go, parse.go, validate.go (what is asked for); schedule.go,
// segment.go, ramp.go, amount.go (when that is).
package schedule
