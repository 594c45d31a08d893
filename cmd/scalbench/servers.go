package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/scalws/scalbench/internal/certs"
	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/internal/suite"
	"github.com/scalws/scalbench/internal/target"
)

// needed is what must run before the load of a scenario begins.
type needed struct {
	path    string     // asked of the embedded target; "": the scenario has a full URL
	certs   *certs.Set // of the embedded target; nil: it speaks cleartext
	http3   bool       // of the embedded target, beside the other versions
	helpers []suite.Helper
}

// targetName is what messages call the embedded target of a scenario.
const targetName = "server"

// startServers starts the helpers of a scenario and then, where it wants one,
// the embedded target. The group is empty when nothing is needed.
func (o *loadOptions) startServers(ctx context.Context, n needed, log io.Writer) (target.Group, error) {
	if n.path == "" && len(n.helpers) == 0 {
		return nil, nil
	}
	dir, err := n.writeCerts()
	if err != nil {
		return nil, err
	}
	var group target.Group
	commands, err := o.commands(n, dir)
	if err == nil {
		group, err = target.StartGroup(ctx, commands, log)
	}
	// The target has read its certificate when it listens. However the measurement
	// will end, no key is left behind.
	if err = errors.Join(err, os.RemoveAll(dir)); err != nil {
		return nil, errors.Join(err, group.Stop())
	}
	return group, nil
}

// writeCerts puts the target's certificates into a fresh directory; "" when it
// has none.
func (n needed) writeCerts() (dir string, err error) {
	if n.certs == nil {
		return "", nil
	}
	if dir, err = os.MkdirTemp("", "scalbench-certs-"); err != nil {
		return "", fmt.Errorf("make directory of the certificates: %w", err)
	}
	if err := n.certs.Write(dir); err != nil {
		return "", errors.Join(fmt.Errorf("write certificates: %w", err), os.RemoveAll(dir))
	}
	return dir, nil
}

// commands says how the helpers and the embedded target are started, each on its
// CPUs. The target is told the URL of the helper "upstream", and the files of its
// certificate in certDir.
func (o *loadOptions) commands(n needed, certDir string) ([]target.Command, error) {
	serverCPUs, err := o.serverSide()
	if err != nil {
		return nil, err
	}
	exe, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("start the embedded target: %w", err)
	}
	upstreamCPUs := serverCPUs
	if slices.ContainsFunc(n.helpers, func(h suite.Helper) bool { return h.CPUs == suite.BesideServer }) {
		serverCPUs, upstreamCPUs = target.Place(serverCPUs)
	}
	server := target.Command{Name: targetName, Exe: exe, Args: []string{"target"}, CPUs: serverCPUs}
	if certDir != "" {
		server.Args = append(server.Args, "--cert", filepath.Join(certDir, certs.CertFile), "--key", filepath.Join(certDir, certs.KeyFile))
	}
	if n.http3 {
		server.Args = append(server.Args, "--http3")
	}
	var commands []target.Command
	for _, h := range n.helpers {
		command := target.Command{Name: h.Name, Exe: h.Command[0], Args: h.Command[1:], CPUs: upstreamCPUs}
		if command.Exe == "scalbench" {
			command.Exe = exe
		}
		if h.CPUs == suite.WithServer {
			command.CPUs = serverCPUs
		}
		if h.Name == "upstream" {
			server.Args = append(server.Args, "--upstream", "{upstream}")
		}
		commands = append(commands, command)
	}
	if n.path != "" {
		commands = append(commands, server)
	}
	return commands, nil
}

// serverSide returns the CPUs for what a scenario brings along (DESIGN section
// 5): with one CPU it shares it with the generator, with two it has the lower,
// with more the lower half; the generator has the rest.
func (o *loadOptions) serverSide() (cpuset.Set, error) {
	cpus, err := cpuset.Allowed()
	if err != nil {
		return cpuset.Set{}, err
	}
	if left := cpus.Minus(o.cpus.set); o.cpus.set != (cpuset.Set{}) && left.Count() > 0 {
		return left, nil
	}
	return cpus.LowerHalf(), nil
}
