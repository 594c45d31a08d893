//go:build !linux

package host

import "errors"

// freeBytes returns errors.ErrUnsupported.
func freeBytes(string) (int64, error) { return 0, errors.ErrUnsupported }
