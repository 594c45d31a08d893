package serverproc

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"strings"
	"time"

	"github.com/scalws/scalbench/internal/procfs"
)

// Port is where a server listens, as those see it who load it.
type Port struct {
	Network procfs.Network // TCP, or UDP for HTTP/3
	// Addr is the address that connections are made to, such as 127.0.0.1:8080. The
	// server may listen on it or on all addresses.
	Addr netip.AddrPort
}

// String returns the form "TCP 127.0.0.1:8080".
func (p Port) String() string { return p.Network.String() + " " + p.Addr.String() }

// Validate reports an address that nobody can connect to.
func (p Port) Validate() error {
	if !p.Addr.IsValid() || p.Addr.Port() == 0 || p.Addr.Addr().IsUnspecified() {
		return fmt.Errorf("port %s: expected an address that can be connected to", p)
	}
	return nil
}

// ErrPortTaken says that somebody listens where a server is to be started.
var ErrPortTaken = errors.New("port is taken")

// FreePorts returns nil when nobody listens at the ports, on whatever address. Otherwise
// the error (ErrPortTaken) names who does, for each port.
func FreePorts(ports []Port) error {
	fs := procfs.NewFS(procDir)
	var taken []error
	for _, p := range ports {
		owners, err := fs.PortOwners(p.Network, p.Addr.Port())
		switch {
		case err != nil:
			taken = append(taken, err)
		case len(owners.Listeners) > 0:
			taken = append(taken, fmt.Errorf("%s: %w by %s", p, ErrPortTaken, ownersText(fs, owners)))
		}
	}
	return errors.Join(taken...)
}

// ownersText names those who listen, or their user where they cannot be seen.
func ownersText(fs procfs.FS, owners procfs.Owners) string {
	if len(owners.PIDs) == 0 {
		return fmt.Sprintf("a process of user %d, which this user may not look at", owners.Listeners[0].UID)
	}
	var names []string
	for _, pid := range owners.PIDs {
		names = append(names, describe(fs, pid))
	}
	return strings.Join(names, ", ")
}

// describe names a process for a message: "nginx[4121], user 33".
func describe(fs procfs.FS, pid int) string {
	name, err := fs.Name(pid)
	if err != nil {
		return fmt.Sprintf("process %d, which has ended since", pid)
	}
	text := fmt.Sprintf("%s[%d]", name, pid)
	if status, err := fs.Status(pid); err == nil && status.EffectiveUID != os.Geteuid() {
		text += fmt.Sprintf(", user %d", status.EffectiveUID)
	}
	return text
}

// AwaitFree waits until nobody listens at the ports any more. When ctx ends first it
// returns what [FreePorts] has said last.
func AwaitFree(ctx context.Context, ports []Port) error {
	const every = 10 * time.Millisecond
	for {
		err := FreePorts(ports)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(every):
		}
	}
}
