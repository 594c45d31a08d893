package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"

	"github.com/spf13/pflag"
)

func main() {
	// Restrictions are of threads, and execve(2) keeps those of the one that calls it.
	runtime.LockOSThread()
	err := run(os.Args[1:], os.Stderr)
	if errors.Is(err, pflag.ErrHelp) {
		return
	}
	fmt.Fprintf(os.Stderr, "sandbox: %s\n", strings.ReplaceAll(err.Error(), "\n", "\n  "))
	os.Exit(exitFailed)
}

// exitFailed is that nothing was executed, as of env(1) and others.
const exitFailed = 125

// order is what the arguments say.
type order struct {
	writable   []string // directories
	refused    []string // system calls
	refuseWith syscall.Errno
	command    []string // program and arguments
}

// run is the story of the program. It returns only with an error.
func run(args []string, stderr io.Writer) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	program, err := exec.LookPath(o.command[0])
	if err != nil {
		return err
	}
	if os.Geteuid() == 0 {
		fmt.Fprintln(stderr, "sandbox: running as root: the sandbox is not applied")
	} else if err := o.apply(); err != nil {
		return err
	}
	return fmt.Errorf("execute %s: %w", program, syscall.Exec(program, o.command, os.Environ()))
}

// parse reads the arguments and tells everything that is wrong with them.
func parse(args []string) (order, error) {
	var o order
	var errorName string
	f := pflag.NewFlagSet("sandbox", pflag.ContinueOnError)
	f.SortFlags = false
	f.SetInterspersed(false) // what follows the command is its own
	f.StringArrayVar(&o.writable, "write", nil, "a `directory` below which files may be changed; repeatable")
	f.StringSliceVar(&o.refused, "refuse", uselessToServers, "`names` of system calls; repeatable")
	f.StringVar(&errorName, "refuse-with", "EPERM", "the `error` of a refused system call: EPERM or ENOSYS")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	o.command = f.Args()
	var faults []error
	switch errorName {
	case "EPERM":
		o.refuseWith = syscall.EPERM
	case "ENOSYS":
		o.refuseWith = syscall.ENOSYS
	default:
		faults = append(faults, fmt.Errorf("--refuse-with %s: want EPERM or ENOSYS", errorName))
	}
	if len(o.command) == 0 {
		faults = append(faults, errors.New("no command"))
	}
	if unknown := unknownCalls(o.refused); unknown != nil {
		faults = append(faults, fmt.Errorf("--refuse %s: not known here as a system call", strings.Join(unknown, ",")))
	}
	return o, errors.Join(faults...)
}

// apply restricts this process. The fence comes first: what it needs may be refused after.
func (o order) apply() error {
	if err := fence(o.writable); err != nil {
		return fmt.Errorf("write fence: %w", err)
	}
	if err := filter(o.refused, o.refuseWith); err != nil {
		return fmt.Errorf("filter of system calls: %w", err)
	}
	return nil
}
