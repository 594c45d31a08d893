//go:build !linux

package host

import "time"

// threadCPU is not known here.
func threadCPU() time.Duration { return 0 }
