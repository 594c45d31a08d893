//go:build !linux

package serverproc

import (
	"errors"
	"fmt"
)

// Reap returns errors.ErrUnsupported; there are no orphans, since nothing is started.
func Reap(orphans []Orphan) error {
	if len(orphans) == 0 {
		return nil
	}
	return fmt.Errorf("end %s: %w", orphans[0], errors.ErrUnsupported)
}
