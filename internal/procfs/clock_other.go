//go:build !linux

package procfs

import (
	"errors"
	"time"
)

// processClock returns errors.ErrUnsupported.
func processClock(int) (time.Duration, error) { return 0, errors.ErrUnsupported }

// SinceBoot returns errors.ErrUnsupported.
func SinceBoot() (time.Duration, error) { return 0, errors.ErrUnsupported }
