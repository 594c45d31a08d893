package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/internal/suite"
	"github.com/scalws/scalbench/internal/target"
)

// needed is what must run before the load of a scenario begins.
type needed struct {
	path    string // asked of the embedded target; "": the scenario has a full URL
	helpers []suite.Helper
}

// targetName is what messages call the embedded target of a scenario.
const targetName = "server"

// startServers starts the helpers of a scenario and then, where it wants one,
// the embedded target, which is told the URL of the helper "upstream". Each is
// on its CPUs; the group is empty when nothing is needed.
func (o *loadOptions) startServers(ctx context.Context, n needed, log io.Writer) (target.Group, error) {
	if n.path == "" && len(n.helpers) == 0 {
		return nil, nil
	}
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
	return target.StartGroup(ctx, commands, log)
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
