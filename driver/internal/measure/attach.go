package measure

import (
	"context"
	"fmt"
	"slices"

	"github.com/scalws/scalbench/internal/procfs"
	"github.com/scalws/scalbench/internal/serverproc"
	"github.com/scalws/scalbench/internal/suite"
)

// Attach takes a server that runs already, at the scheme and address of url, for the
// variant: nothing is started, and nothing is known of it but what the process tells that
// listens there, when that can be found. It is held to staying the same process.
func (b *Bench) Attach(ctx context.Context, v suite.Variant, url string) (*Running, error) {
	r := &Running{bench: b, said: v, variant: v, base: url}
	pid, port := listener(url)
	if pid == 0 {
		b.say("nothing is known of the process that listens at %s: what it uses will not be told", url)
		return r, nil
	}
	fs := procfs.NewFS(procDir)
	tree := func() ([]int, error) { return fs.Tree(pid) }
	i := &instance{name: serverName(0), variant: v, pid: pid, seat: seat{cpus: b.placement.Server}}
	i.expect = serverproc.Expect{Ports: []serverproc.Port{port}}
	i.meter = func() *serverproc.Meter { return serverproc.NewMeter(procDir, tree) }
	i.subject = func() (serverproc.Subject, error) {
		pids, err := tree()
		return serverproc.Subject{PID: pid, Tree: pids, Ports: i.expect.Ports}, err
	}
	if allowed, err := fs.Allowed(pid); err == nil {
		i.seat.cpus = allowed
	}
	r.instances = []*instance{i}
	if err := b.identify(ctx, r); err != nil {
		if reason := reasonIn(err); reason != "" {
			return nil, &InvalidError{Variant: v.Name, Reason: reason}
		}
		return nil, fmt.Errorf("attach to %s: %w", url, err)
	}
	return r, nil
}

// listener finds the process that holds the socket at a URL's address, of several the one
// that started first; 0 when it cannot be told, as for another host. Where nobody listens
// over TCP it is one that speaks HTTP/3 alone.
func listener(text string) (int, serverproc.Port) {
	ports := portsOf(text)
	if len(ports) == 0 {
		return 0, serverproc.Port{}
	}
	fs, port := procfs.NewFS(procDir), ports[0]
	owners, err := fs.ListenerOwners(port.Addr)
	if err != nil || len(owners.PIDs) == 0 {
		port.Network = procfs.UDP
		owners, err = fs.UDPOwners(port.Addr)
	}
	if err != nil || len(owners.PIDs) == 0 {
		return 0, serverproc.Port{}
	}
	return slices.Min(owners.PIDs), port
}
