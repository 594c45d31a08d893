//go:build !linux

package serverproc

import (
	"errors"
	"fmt"
	"io"
)

// Supervise returns errors.ErrUnsupported, which the driver is told as the reason why
// its server was not started: only Linux has child subreapers.
func Supervise(_ io.Reader, out io.Writer) error {
	err := fmt.Errorf("supervise a server: %w", errors.ErrUnsupported)
	return errors.Join(err, writeLine(out, report{Failed: err.Error()}), writeLine(out, report{Empty: &empty{}}))
}
