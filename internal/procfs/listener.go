package procfs

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"slices"
)

// ErrNoListener says that no TCP socket listens at an address on this host (in
// this network namespace): the server is elsewhere, or its port is forwarded.
var ErrNoListener = errors.New("no local listener")

// Listener is one TCP socket in state LISTEN, or one UDP socket that takes
// datagrams of anybody.
type Listener struct {
	// Addr is where it listens; an unspecified address (0.0.0.0, ::) is every one.
	Addr netip.AddrPort
	// V6Only: a socket on [::] that does not accept IPv4. Only inet_diag tells;
	// false when the table of /proc was read.
	V6Only bool
	Inode  uint64
	// UID is the user that created it.
	UID int
}

// Access is how much of the holders could be seen.
type Access uint8

const (
	// AccessComplete: the descriptors of every process were searched.
	AccessComplete Access = iota
	// AccessPartial: holders were found; processes of other users, which may
	// hold the socket too, could not be searched.
	AccessPartial
	// AccessDenied: no holder was found, and there are processes that could not
	// be searched. What depends on the owner is "n/a".
	AccessDenied
)

func (a Access) String() string {
	return [...]string{"complete", "partial", "not permitted"}[a]
}

// Owners are the processes behind an address.
type Owners struct {
	// Listeners are the sockets a connection to the address may reach: several
	// with SO_REUSEPORT.
	Listeners []Listener
	// PIDs hold at least one of them open, ascending.
	PIDs   []int
	Access Access
}

// ListenerOwners finds the processes that accept connections to addr, an
// address of this host. ErrNoListener if none does.
//
// The sockets come from inet_diag, which filters by port in the kernel; the
// tables in /proc/net list every connection of the host, which takes seconds
// where there are a million, and serve only where netlink is refused. Which
// process holds a socket is told by /proc/PID/fd alone, readable for the
// processes of the same user, and for root.
func (f FS) ListenerOwners(addr netip.AddrPort) (Owners, error) { return f.owners(kindTCP, addr) }

// UDPOwners is the same for the processes that take datagrams sent to addr.
func (f FS) UDPOwners(addr netip.AddrPort) (Owners, error) { return f.owners(kindUDP, addr) }

// kind is a kind of sockets that listen.
type kind uint8

const (
	kindTCP kind = iota
	kindUDP
)

// state is what their state is called by the kernel: TCP_LISTEN, or TCP_CLOSE for
// a UDP socket that is not connected.
func (k kind) state() uint8 { return [...]uint8{kindTCP: 10, kindUDP: 7}[k] }

// table is the name of their table in /proc/net; with a 6 behind it that of IPv6.
func (k kind) table() string { return [...]string{kindTCP: "net/tcp", kindUDP: "net/udp"}[k] }

func (f FS) owners(k kind, addr netip.AddrPort) (Owners, error) {
	listeners, err := f.listenersOnPort(k, addr.Port())
	if err != nil {
		return Owners{}, fmt.Errorf("find listener at %s: %w", addr, err)
	}
	listeners = reached(listeners, addr.Addr())
	if len(listeners) == 0 {
		return Owners{}, fmt.Errorf("find listener at %s: %w", addr, ErrNoListener)
	}
	owners := Owners{Listeners: listeners}
	inodes := make(map[uint64]bool, len(listeners))
	for _, l := range listeners {
		inodes[l.Inode] = true
	}
	owners.PIDs, owners.Access, err = f.holders(inodes)
	if err != nil {
		return Owners{}, fmt.Errorf("find owners of listener at %s: %w", addr, err)
	}
	return owners, nil
}

// listenersOnPort asks inet_diag, and reads the tables where it is not there.
func (f FS) listenersOnPort(k kind, port uint16) ([]Listener, error) {
	if f.live() {
		if listeners, err := diagListeners(k, port); err == nil {
			return listeners, nil
		}
	}
	return f.tableListeners(k, port)
}

// reached keeps the listeners that the kernel would choose for a connection to
// an address: the most specific kind that matches, since that one takes it
// from all others.
func reached(listeners []Listener, addr netip.Addr) []Listener {
	addr = addr.Unmap().WithZone("")
	best := matchNone
	var kept []Listener
	for _, l := range listeners {
		m := l.match(addr)
		if m == matchNone || m < best {
			continue
		}
		if m > best {
			best, kept = m, nil
		}
		kept = append(kept, l)
	}
	slices.SortFunc(kept, func(a, b Listener) int { return cmp.Compare(a.Inode, b.Inode) })
	return kept
}

// match is how specific a listener is for an address, higher wins.
type match uint8

const (
	matchNone      match = iota
	matchDualStack       // [::] that accepts IPv4 too, for an IPv4 address
	matchWildcard        // 0.0.0.0 or [::] of the address's own family
	matchExact
)

// match compares the listener with an address without IPv4 mapping and zone.
func (l Listener) match(addr netip.Addr) match {
	// A socket on ::ffff:127.0.0.1 accepts IPv4 at that address.
	own := l.Addr.Addr().Unmap()
	switch {
	case own == addr:
		return matchExact
	case !own.IsUnspecified():
		return matchNone
	case own.Is4() == addr.Is4():
		return matchWildcard
	case addr.Is4() && !l.V6Only:
		return matchDualStack
	}
	return matchNone
}
