// Package loadplan says in a plan of the generator what a scenario of a suite says.
//
// It stands here because suites and the generator know nothing of each other: a suite is
// read, and checked, without any load.
//
//  1. [At] is the URL of a scenario on a server that runs already.
//  2. [Of] makes the plan of a scenario whose full URL is known.
//  3. The caller fills in what only it knows: whom to trust, CPUs, the session's times.
package loadplan
