package serverproc

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/scalws/scalbench/internal/procfs"
)

// PortFacts says who takes what is sent to one of the server's ports.
type PortFacts struct {
	Port Port
	// Own counts the sockets at the address that the tree, or a sibling, holds.
	Own int
	// Neighbours are others that take a part of it, each in words, such as
	// "nginx[4121], user 33".
	Neighbours []string
	NA         string // why it is not known who they are; "": it is
}

// portFacts finds the sockets that the kernel would choose for a connection to the
// port, and holds their owners against the tree.
func (o *Observer) portFacts(s Subject, p Port) PortFacts {
	facts := PortFacts{Port: p}
	owners, err := ownersAt(o.fs, p)
	if errors.Is(err, procfs.ErrNoListener) {
		return facts
	}
	if err != nil {
		facts.NA = err.Error()
		return facts
	}
	family := slices.Concat(s.Tree, s.Siblings)
	held, err := o.socketsOf(family)
	if err != nil {
		facts.NA = fmt.Sprintf("user %d may not see which sockets the server has: %v", os.Geteuid(), err)
		return facts
	}
	for _, l := range owners.Listeners {
		if held[l.Inode] {
			facts.Own++
		}
	}
	for _, pid := range owners.PIDs {
		if !slices.Contains(family, pid) {
			facts.Neighbours = append(facts.Neighbours, describe(o.fs, pid))
		}
	}
	if hidden := len(owners.Listeners) - facts.Own; hidden > 0 && len(facts.Neighbours) == 0 {
		facts.Neighbours = strangers(owners.Listeners, held)
	}
	return facts
}

// ownersAt finds who a connection to the port reaches.
func ownersAt(fs procfs.FS, p Port) (procfs.Owners, error) {
	if p.Network == procfs.UDP {
		return fs.UDPOwners(p.Addr)
	}
	return fs.ListenerOwners(p.Addr)
}

// strangers describes sockets of which nobody can be seen: those of another user, to
// an ordinary one.
func strangers(listeners []procfs.Listener, held map[uint64]bool) (texts []string) {
	for _, l := range listeners {
		if !held[l.Inode] {
			texts = append(texts, fmt.Sprintf("a process of user %d", l.UID))
		}
	}
	return texts
}

// socketsOf returns the inode numbers of all sockets that processes hold. One that has
// ended meanwhile holds none.
func (o *Observer) socketsOf(pids []int) (map[uint64]bool, error) {
	held := map[uint64]bool{}
	for _, pid := range pids {
		dir := o.file(pid, "fd")
		descriptors, err := os.ReadDir(dir)
		if errors.Is(err, os.ErrPermission) {
			return nil, err
		}
		if err != nil {
			continue
		}
		for _, d := range descriptors {
			link, err := os.Readlink(filepath.Join(dir, d.Name()))
			if err != nil {
				continue // closed meanwhile
			}
			if inode, ok := socketInode(link); ok {
				held[inode] = true
			}
		}
	}
	return held, nil
}

// socketInode reads the number in "socket:[12345]".
func socketInode(link string) (uint64, bool) {
	const before, after = "socket:[", "]"
	if len(link) <= len(before)+len(after) || link[:len(before)] != before {
		return 0, false
	}
	inode, err := strconv.ParseUint(link[len(before):len(link)-len(after)], 10, 64)
	return inode, err == nil
}
