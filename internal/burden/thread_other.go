//go:build !linux

package burden

import (
	"errors"
	"fmt"
	"time"
)

// thread is not there: sessions need Linux.
type thread struct{}

func newThread() (thread, error) { return thread{}, fmt.Errorf("burden: %w", errors.ErrUnsupported) }

func (thread) used() time.Duration       { return 0 }
func (thread) sleep(time.Duration) error { return nil }
