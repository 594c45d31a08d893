// Package report words results: as the few lines that a load test prints for
// people, and as the rows and tables that other tools read. It formats and
// judges nothing; what it prints is in the result.
//
// Read load.go (the lines that are always there), trouble.go (those that appear
// when something is wrong), details.go (those of -v), then rows.go (ndjson, csv
// and hgrm).
package report
