package arch

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
)

// The most that a reader is asked to hold in mind at a time. Tests are exempt
// from both: a table of cases is long and simple.
const (
	fileBytesMax     = 20 << 10
	functionLinesMax = 70
)

// fileSize looks at what people wrote; generated files are nobody's reading.
func fileSize(files []File) (faults []string) {
	for _, f := range files {
		if n := len(f.Text); n > fileBytesMax && !f.IsTest() && !ast.IsGenerated(f.Syntax) {
			faults = append(faults, fmt.Sprintf("%s: %d bytes, at most %d: it has more than one concern", f.Path, n, fileBytesMax))
		}
	}
	return faults
}

func functionLength(files []File) (faults []string) {
	for _, f := range files {
		if f.IsTest() || ast.IsGenerated(f.Syntax) {
			continue
		}
		for _, d := range f.Syntax.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if n := f.lines.Position(fn.End()).Line - f.line(fn) + 1; n > functionLinesMax {
				faults = append(faults, f.faultf(fn, "func %s has %d lines, at most %d", fn.Name.Name, n, functionLinesMax))
			}
		}
	}
	return faults
}

// gofmt compares each file with its canonical form.
func gofmt(files []File) (faults []string) {
	for _, f := range files {
		formatted, err := format.Source(f.Text)
		switch {
		case err != nil:
			faults = append(faults, fmt.Sprintf("%s: %v", f.Path, err))
		case !bytes.Equal(formatted, f.Text):
			faults = append(faults, fmt.Sprintf("%s: not formatted: gofmt -w %s", f.Path, f.Path))
		}
	}
	return faults
}
