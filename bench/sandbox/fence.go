package main

import (
	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
)

// writing is everything that changes files, and what they are called. Landlock has it
// whole since its third version (Linux 6.2).
const writing = landlock.AccessFSSet(ll.AccessFSWriteFile | ll.AccessFSTruncate |
	ll.AccessFSMakeReg | ll.AccessFSMakeDir | ll.AccessFSMakeSym | ll.AccessFSMakeSock | ll.AccessFSMakeFifo | ll.AccessFSMakeChar | ll.AccessFSMakeBlock |
	ll.AccessFSRemoveFile | ll.AccessFSRemoveDir | ll.AccessFSRefer)

// fence lets this process, and what it becomes, change files below the directories alone.
// /dev/null takes what it is given everywhere.
func fence(writable []string) error {
	return landlock.Config{HandledAccessFS: writing}.RestrictPaths(
		landlock.PathAccess(writing, writable...),
		landlock.PathAccess(landlock.AccessFSSet(ll.AccessFSWriteFile), "/dev/null"))
}
