// Package loadplan says in a plan of the generator what a scenario of a suite says.
//
// It stands here because suites and the generator know nothing of each other: a suite is
// read, and checked, without any load.
//
//  1. [Of] makes the plan of a scenario whose full URL is known.
//  2. The caller fills in what only it knows: whom to trust, CPUs, the session's times.
package loadplan
