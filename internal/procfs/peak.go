package procfs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// ErrNotPermitted says that the kernel lets this user not do it to that process.
var ErrNotPermitted = errors.New("not permitted")

// ResetPeakRSS makes a process's VmHWM start again from its present RSS, so
// that the peak read later is that of the time between. Only the process's own
// user and root may (ErrNotPermitted). Source: kernel documentation,
// filesystems/proc.rst, "clear_refs", value 5.
func (f FS) ResetPeakRSS(pid int) error {
	err := os.WriteFile(f.path(pid, "clear_refs"), []byte("5"), 0)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ESRCH):
		return fmt.Errorf("reset peak RSS of process %d: %w", pid, ErrGone)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("reset peak RSS of process %d: %w", pid, ErrNotPermitted)
	case err != nil:
		return fmt.Errorf("reset peak RSS of process %d: %w", pid, err)
	}
	return nil
}
