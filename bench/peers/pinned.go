package main

import (
	"errors"
	"os/exec"
	"runtime"

	"github.com/scalws/scalbench/internal/cpuset"
)

// startPinned starts a process that may run on one CPU only, from its first
// instruction: it inherits the affinity of the thread that starts it. taskset
// would do the same with one exec more, and the CPU time of that exec would
// count as the peer's.
func startPinned(cmd *exec.Cmd, cpu int) error {
	before, err := cpuset.Allowed()
	if err != nil {
		return err
	}
	one, err := cpuset.Of(cpu)
	if err != nil {
		return err
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := cpuset.SetThread(one); err != nil {
		return err
	}
	return errors.Join(cmd.Start(), cpuset.SetThread(before))
}
