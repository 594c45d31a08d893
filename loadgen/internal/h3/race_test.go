//go:build race

package h3

// raceEnabled tells that the detector is on, which allocates on its own.
const raceEnabled = true
