// Package report words results for people: the few lines that a load test
// prints. It formats and judges nothing; what it prints is in the result.
//
// Read load.go (the lines that are always there), then trouble.go (those that
// appear when something is wrong) and details.go (those of -v).
package report
