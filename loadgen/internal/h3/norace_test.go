//go:build !race

package h3

const raceEnabled = false
