//go:build race

package h2

// raceEnabled tells that the detector is on, which allocates on its own.
const raceEnabled = true
