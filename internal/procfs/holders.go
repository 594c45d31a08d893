package procfs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// holders searches the descriptors of every process for sockets with the given
// inode numbers and returns the PIDs that have one, ascending.
func (f FS) holders(inodes map[uint64]bool) ([]int, Access, error) {
	pids, err := f.PIDs()
	if err != nil {
		return nil, AccessDenied, err
	}
	var found []int
	denied := false
	for _, pid := range pids {
		holds, err := f.holdsSocket(pid, inodes)
		switch {
		case errors.Is(err, fs.ErrPermission):
			denied = true
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ESRCH):
			// It ended meanwhile.
		case err != nil:
			return nil, AccessDenied, err
		case holds:
			found = append(found, pid)
		}
	}
	switch {
	case !denied:
		return found, AccessComplete, nil
	case len(found) > 0:
		return found, AccessPartial, nil
	}
	return nil, AccessDenied, nil
}

// holdsSocket reads the links of /proc/PID/fd, "socket:[12345]" for sockets.
func (f FS) holdsSocket(pid int, inodes map[uint64]bool) (bool, error) {
	dir := f.path(pid, "fd")
	descriptors, err := numericNames(dir)
	if err != nil {
		return false, err
	}
	for _, fd := range descriptors {
		link, err := os.Readlink(filepath.Join(dir, strconv.Itoa(fd)))
		if err != nil {
			continue // closed meanwhile
		}
		if inode, ok := socketInode(link); ok && inodes[inode] {
			return true, nil
		}
	}
	return false, nil
}

// socketInode reads the number in "socket:[12345]".
func socketInode(link string) (uint64, bool) {
	text, isSocket := strings.CutPrefix(link, "socket:[")
	text, closed := strings.CutSuffix(text, "]")
	if !isSocket || !closed {
		return 0, false
	}
	inode, err := strconv.ParseUint(text, 10, 64)
	return inode, err == nil
}
