//go:build race

package loadgen

// The race detector allocates on its own.
const raceEnabled = true
