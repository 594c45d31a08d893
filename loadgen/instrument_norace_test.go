//go:build !race

package loadgen_test

const detectsRaces = false
