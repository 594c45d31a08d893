//go:build race

package transport

// raceEnabled tells that the detector is on, which allocates on its own.
const raceEnabled = true
