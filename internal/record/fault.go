package record

import (
	"fmt"
	"strings"
)

// Fault is one thing that is wrong with a file.
type Fault struct {
	File string // as given to the reader
	Line int    // from 1; 0: the file as a whole, or its place
	Text string // what is wrong and, where it helps, what was expected
}

// Error returns file:line: text.
func (f Fault) Error() string {
	if f.Line == 0 {
		return f.File + ": " + f.Text
	}
	return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Text)
}

// Faults are all faults that were found, in the order of files and lines.
type Faults []Fault

// Error returns one line for each fault.
func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i, fault := range f {
		lines[i] = fault.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap lets errors.As find a single [Fault].
func (f Faults) Unwrap() []error {
	errs := make([]error, len(f))
	for i, fault := range f {
		errs[i] = fault
	}
	return errs
}

// faultsMax is how many faults of one file are told: nobody reads more, and a
// file that is no record at all has one on every line.
const faultsMax = 100

// faultList collects the faults of one file.
type faultList struct {
	file string
	all  Faults
}

// at records a fault of a line; 0 is the whole file.
func (l *faultList) at(line int, format string, args ...any) {
	switch {
	case len(l.all) < faultsMax:
		l.all = append(l.all, Fault{l.file, line, fmt.Sprintf(format, args...)})
	case len(l.all) == faultsMax:
		l.all = append(l.all, Fault{l.file, line, "more faults follow"})
	}
}

// err returns the faults as an error, nil when there are none.
func (l *faultList) err() error {
	if len(l.all) == 0 {
		return nil
	}
	return l.all
}
