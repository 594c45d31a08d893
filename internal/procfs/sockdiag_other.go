//go:build !linux

package procfs

import "errors"

// diagListeners returns errors.ErrUnsupported.
func diagListeners(kind, uint16) ([]Listener, error) { return nil, errors.ErrUnsupported }
