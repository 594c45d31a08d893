//go:build !linux

package cpuset

import (
	"errors"
	"fmt"
)

// Allowed returns errors.ErrUnsupported: this system has no CPU affinity to
// read, and the caller leaves placement to the scheduler.
func Allowed() (Set, error) {
	return Set{}, fmt.Errorf("read CPU affinity: %w", errors.ErrUnsupported)
}

// SetThread returns errors.ErrUnsupported.
func SetThread(s Set) error {
	return fmt.Errorf("pin thread to CPUs %q: %w", s, errors.ErrUnsupported)
}

// SetProcess returns errors.ErrUnsupported.
func SetProcess(s Set) error {
	return fmt.Errorf("pin process to CPUs %q: %w", s, errors.ErrUnsupported)
}
