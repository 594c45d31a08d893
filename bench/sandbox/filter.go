package main

import (
	"syscall"

	"github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
)

// uselessToServers are system calls that change the host, look into other processes, or
// open ways into the kernel that have been abused.
var uselessToServers = []string{
	"acct", "add_key", "bpf", "chroot", "clock_adjtime", "clock_settime", "delete_module", "finit_module", "init_module",
	"io_uring_enter", "io_uring_register", "io_uring_setup", "kexec_load", "keyctl", "mount", "move_mount", "name_to_handle_at",
	"open_by_handle_at", "open_tree", "perf_event_open", "personality", "pivot_root", "process_vm_readv", "process_vm_writev",
	"ptrace", "quotactl", "reboot", "request_key", "setdomainname", "sethostname", "setns", "settimeofday", "swapoff", "swapon",
	"umount2", "unshare", "userfaultfd",
}

// filter refuses system calls to this process, and to what it becomes.
func filter(refused []string, with syscall.Errno) error {
	return seccomp.LoadFilter(seccomp.Filter{
		NoNewPrivs: true,
		Flag:       seccomp.FilterFlagTSync,
		Policy: seccomp.Policy{
			DefaultAction: seccomp.ActionAllow,
			Syscalls:      []seccomp.SyscallGroup{{Names: refused, Action: seccomp.ActionErrno | seccomp.Action(with)}},
		},
	})
}

// unknownCalls are the names that no system call of this architecture has.
func unknownCalls(names []string) (unknown []string) {
	info, err := arch.GetInfo("")
	if err != nil {
		return names
	}
	for _, name := range names {
		if _, known := info.SyscallNames[name]; !known {
			unknown = append(unknown, name)
		}
	}
	return unknown
}
