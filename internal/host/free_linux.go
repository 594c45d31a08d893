package host

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// freeBytes is the space of the file system of a directory that this user may fill.
func freeBytes(dir string) (int64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, fmt.Errorf("statfs %s: %w", dir, err)
	}
	return int64(s.Bavail) * s.Bsize, nil
}
