package procfs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Children returns the processes whose parent is pid, in ascending order.
func (f FS) Children(pid int) ([]int, error) {
	children, err := f.childrenByParent()
	if err != nil {
		return nil, err
	}
	return children[pid], nil
}

// Tree returns a process and all its descendants, parents before children. A
// process whose parent ended has moved to another parent and is not found:
// daemons that fork twice have to be found by their socket.
//
// /proc/PID/task/*/children would need fewer files, but is a kernel option and
// complete only while nothing changes.
func (f FS) Tree(pid int) ([]int, error) {
	if _, err := f.Stat(pid); err != nil {
		return nil, err
	}
	children, err := f.childrenByParent()
	if err != nil {
		return nil, err
	}
	tree := []int{pid}
	for i := 0; i < len(tree); i++ {
		for _, child := range children[tree[i]] {
			// While the files were read one by one a PID may have been used again,
			// so that the root appears below itself. Every process was read once and
			// has one parent: no other loop can come about.
			if child != pid {
				tree = append(tree, child)
			}
		}
	}
	return tree, nil
}

// childrenByParent looks at the parent of every process, once.
func (f FS) childrenByParent() (map[int][]int, error) {
	pids, err := f.PIDs()
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	children := make(map[int][]int)
	for _, pid := range pids {
		s, err := f.Stat(pid)
		if errors.Is(err, ErrGone) {
			continue
		}
		if err != nil {
			return nil, err
		}
		children[s.PPID] = append(children[s.PPID], pid)
	}
	return children, nil
}

// Name returns the base name of the executable. Of another user's process the
// link cannot be read; then it is the main thread's name, which is cut to 15
// bytes and may have been changed.
func (f FS) Name(pid int) (string, error) {
	exe, err := os.Readlink(f.path(pid, "exe"))
	if err == nil {
		// The kernel marks a file that was replaced since, as by a rebuild.
		return filepath.Base(strings.TrimSuffix(exe, " (deleted)")), nil
	}
	s, err := f.Stat(pid)
	if err != nil {
		return "", err
	}
	return s.Comm, nil
}
