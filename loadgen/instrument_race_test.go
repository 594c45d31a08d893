//go:build race

package loadgen_test

// The race detector makes each answer of the target cost some ten times as much.
const detectsRaces = true
