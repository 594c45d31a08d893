package main

import (
	"fmt"
	"io"
	"os"

	"github.com/scalws/scalbench/internal/record"
)

// wholeBytesMax is far more than any result, table or map has.
const wholeBytesMax = 64 << 20

// readWhole reads a file that is held in memory; its error names it, and is a
// [record.Faults] for one that is too long.
func readWhole(name string) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, cause(err))
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, wholeBytesMax+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, cause(err))
	}
	if len(text) > wholeBytesMax {
		return nil, record.Faults{{File: name, Text: fmt.Sprintf("more than %d MiB: nobody measured this", wholeBytesMax>>20)}}
	}
	return text, nil
}
