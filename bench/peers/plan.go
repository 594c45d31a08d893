package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
)

// plan is what will be measured, from the flags and from what is installed.
type plan struct {
	load      load // url and scratchDir are filled in later
	serverCPU int
	rounds    int
	peers     []peer
	servers   []server
	paths     []string // those asked for; nil: all
	absent    []string // a line for everything that is not installed
	markdown  bool
	force     bool
}

// parsePlan reads the flags and looks for the programs. Nothing is started.
func parsePlan(args []string, stderr io.Writer) (plan, error) {
	var p plan
	flags := flag.NewFlagSet("peers", flag.ContinueOnError)
	flags.SetOutput(stderr)
	scalbenchPath := flags.String("scalbench", "./scalbench", "`path` of the scalbench binary")
	peerNames := flags.String("peers", "scalbench,wrk", "load generators, a comma-separated `list`")
	serverNames := flags.String("servers", "sink,nginx,target", "servers, a comma-separated `list`")
	paths := flags.String("paths", "", "only these request paths, a comma-separated `list` (default all of each server)")
	flags.IntVar(&p.rounds, "rounds", 5, "how often each peer runs on each course")
	flags.IntVar(&p.load.seconds, "seconds", 3, "length of one run in `seconds`")
	flags.IntVar(&p.load.connections, "connections", 64, "connections of each peer")
	flags.IntVar(&p.serverCPU, "server-cpu", 0, "`CPU` of the server")
	flags.IntVar(&p.load.cpu, "peer-cpu", 1, "`CPU` of the peer")
	flags.BoolVar(&p.markdown, "md", false, "print Markdown")
	flags.BoolVar(&p.force, "force", false, "run although other processes use the CPUs")
	if err := flags.Parse(args); err != nil {
		return plan{}, err
	}
	if flags.NArg() > 0 {
		return plan{}, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if *paths != "" {
		p.paths = strings.Split(*paths, ",")
	}
	var peersErr, serversErr error
	p.peers, peersErr = choose("peer", allPeers(*scalbenchPath), *peerNames)
	p.servers, serversErr = choose("server", allServers(*scalbenchPath), *serverNames)
	if err := errors.Join(peersErr, serversErr, p.validate()); err != nil {
		return plan{}, err
	}
	p.peers, p.absent = installed(p.peers, p.absent)
	p.servers, p.absent = installed(p.servers, p.absent)
	if len(p.peers) == 0 || len(p.servers) == 0 {
		return plan{}, fmt.Errorf("nothing to measure: %s", strings.Join(p.absent, "; "))
	}
	return p, nil
}

// validate names every number that makes no sense.
func (p plan) validate() error {
	var faults []error
	for _, number := range []struct {
		flag         string
		value, least int
	}{
		{"rounds", p.rounds, 1},
		{"seconds", p.load.seconds, 1},
		{"connections", p.load.connections, 1},
		{"server-cpu", p.serverCPU, 0},
		{"peer-cpu", p.load.cpu, 0},
	} {
		if number.value < number.least {
			faults = append(faults, fmt.Errorf("-%s %d: want at least %d", number.flag, number.value, number.least))
		}
	}
	if p.serverCPU == p.load.cpu {
		faults = append(faults, fmt.Errorf("-server-cpu and -peer-cpu are both %d: they would measure each other", p.serverCPU))
	}
	for _, path := range p.paths {
		if !slices.ContainsFunc(p.servers, func(s server) bool { return slices.Contains(s.paths(), path) }) {
			faults = append(faults, fmt.Errorf("-paths %s: none of the servers has it", path))
		}
	}
	return errors.Join(faults...)
}

// pathsOf returns the paths to measure of a server.
func (p plan) pathsOf(s server) []string {
	if p.paths == nil {
		return s.paths()
	}
	return slices.DeleteFunc(s.paths(), func(path string) bool { return !slices.Contains(p.paths, path) })
}

// choose picks the named ones, in the order in which they are named.
func choose[T interface{ name() string }](kind string, all []T, names string) ([]T, error) {
	var chosen []T
	for name := range strings.SplitSeq(names, ",") {
		i := slices.IndexFunc(all, func(t T) bool { return t.name() == name })
		if i < 0 {
			var known []string
			for _, t := range all {
				known = append(known, t.name())
			}
			return nil, fmt.Errorf("no %s %q: there are %s", kind, name, strings.Join(known, ", "))
		}
		if slices.ContainsFunc(chosen, func(t T) bool { return t.name() == name }) {
			return nil, fmt.Errorf("%s %q is named twice", kind, name)
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}

// installed drops what is not there and adds a line about each to absent.
func installed[T interface {
	name() string
	program() string
	install() string
}](all []T, absent []string) ([]T, []string) {
	var found []T
	for _, t := range all {
		if _, err := exec.LookPath(t.program()); err != nil {
			absent = append(absent, fmt.Sprintf("%s is absent: %s", t.name(), t.install()))
			continue
		}
		found = append(found, t)
	}
	return found, absent
}
