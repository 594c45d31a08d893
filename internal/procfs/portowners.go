package procfs

import (
	"fmt"
)

// Network is a kind of port: TCP and UDP count theirs apart.
type Network uint8

// The kinds of ports. HTTP/3 listens on UDP.
const (
	TCP Network = iota
	UDP
)

func (n Network) String() string { return [...]string{"TCP", "UDP"}[n] }

// PortOwners finds the sockets of this host that listen on a port, whatever their
// address, and the processes that hold them. A port that is free has no listeners
// and no error.
//
// Binding the port would not tell: with SO_REUSEPORT a second server binds beside
// the first, and the kernel gives each of them a part of the connections.
func (f FS) PortOwners(network Network, port uint16) (Owners, error) {
	k := kindTCP
	if network == UDP {
		k = kindUDP
	}
	listeners, err := f.listenersOnPort(k, port)
	if err != nil {
		return Owners{}, fmt.Errorf("find listeners on %s port %d: %w", network, port, err)
	}
	if len(listeners) == 0 {
		return Owners{}, nil
	}
	owners := Owners{Listeners: listeners}
	inodes := make(map[uint64]bool, len(listeners))
	for _, l := range listeners {
		inodes[l.Inode] = true
	}
	owners.PIDs, owners.Access, err = f.holders(inodes)
	if err != nil {
		return Owners{}, fmt.Errorf("find owners of %s port %d: %w", network, port, err)
	}
	return owners, nil
}
