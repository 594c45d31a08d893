package procfs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
)

// kernelMount is where this kernel's own processes are seen. Only below it do
// process ids and inode numbers mean the same to system calls as in the files.
const kernelMount = "/proc"

// ErrGone says that a process does not exist, or no longer. Callers that read
// a set of processes expect it, since any of them may end at any time.
var ErrGone = errors.New("process is gone")

// FS is a mounted proc file system. The zero value is not usable.
type FS struct {
	root string
}

// NewFS returns the proc file system mounted at root, "/proc" for this host.
func NewFS(root string) FS { return FS{root: filepath.Clean(root)} }

// live reports whether system calls may stand in for files.
func (f FS) live() bool { return f.root == kernelMount }

// path names a file of a process.
func (f FS) path(pid int, name string) string {
	return filepath.Join(f.root, strconv.Itoa(pid), name)
}

// readProcess reads a file of a process in one go: every read of a proc file
// is a new snapshot, and its size in stat(2) is 0. A process that ended, even
// between open and read (ESRCH), is ErrGone.
func (f FS) readProcess(pid int, name string) ([]byte, error) {
	data, err := os.ReadFile(f.path(pid, name))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
		return nil, fmt.Errorf("read %s of process %d: %w", name, pid, ErrGone)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s of process %d: %w", name, pid, err)
	}
	return data, nil
}

// PIDs lists the processes there are, in ascending order.
func (f FS) PIDs() ([]int, error) {
	return numericNames(f.root)
}

// numericNames lists the entries of a directory that are numbers, ascending:
// processes, threads, file descriptors.
func numericNames(dir string) ([]int, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var numbers []int
	for _, entry := range entries {
		if n, err := strconv.Atoi(entry.Name()); err == nil {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers) // the directory is in the order of text
	return numbers, nil
}
