package serverproc

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/scalws/scalbench/internal/procfs"
)

// Reap kills orphans, each by its PID and only if it is still the process that was found.
// One that has ended meanwhile is no error.
func Reap(orphans []Orphan) error {
	var errs []error
	for _, o := range orphans {
		if err := o.kill(); err != nil && !errors.Is(err, unix.ESRCH) && !errors.Is(err, procfs.ErrGone) {
			errs = append(errs, fmt.Errorf("end %s: %w", o, err))
		}
	}
	return errors.Join(errs...)
}

// kill takes hold of the process first (pidfd_open(2)), looks whether it is the right
// one, and then signals what it holds, which the number cannot be reused for.
func (o Orphan) kill() error {
	fd, err := unix.PidfdOpen(o.PID, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	stat, err := procfs.NewFS(procDir).Stat(o.PID)
	if err != nil {
		return err
	}
	if stat.Start != o.Start {
		return procfs.ErrGone
	}
	return unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0)
}
