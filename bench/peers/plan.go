package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
)

// plan is what will be measured, from the flags and from what is installed.
type plan struct {
	load        load // what the course decides, and scratchDir, are filled in later
	serverCPU   int
	rounds      int
	churnRounds int
	timeWaitMax int // sockets in TIME_WAIT that a churn run may start with
	peers       []peer
	servers     []server
	courses     []course
	absent      []string // a line for everything that is not installed
	markdown    bool
	jsonFile    string // "" for none
	force       bool

	install bool   // install peers and servers instead of measuring
	cache   string // the folder for that; "" if there can be none
}

// choices are the flags that name something.
type choices struct {
	scalbenchPath, peers, servers, courses string
}

// parsePlan reads the flags and looks for the programs. Nothing is started.
func parsePlan(args []string, stderr io.Writer) (plan, error) {
	p, chosen, err := parseFlags(args, stderr)
	if err != nil {
		return plan{}, err
	}
	if p.cache, err = cacheDir(); err != nil {
		p.cache = "" // no home: PATH alone counts
	}
	all := allPeers(chosen.scalbenchPath, p.cache)
	if chosen.peers == "" {
		chosen.peers = names(all)
	}
	var peersErr, serversErr, coursesErr error
	p.peers, peersErr = choose("peer", all, chosen.peers)
	p.servers, serversErr = choose("server", allServers(chosen.scalbenchPath, p.cache), chosen.servers)
	p.courses, coursesErr = chooseCourses(chosen.courses, p.servers)
	if err := errors.Join(peersErr, serversErr, coursesErr, p.validate()); err != nil {
		return plan{}, err
	}
	if p.install {
		return p, nil
	}
	p.peers, p.absent = installed(p.peers, p.absent)
	p.servers, p.absent = installed(p.servers, p.absent)
	if len(p.peers) == 0 || len(p.servers) == 0 {
		return plan{}, fmt.Errorf("nothing to measure: %s", strings.Join(p.absent, "; "))
	}
	return p, nil
}

// parseFlags reads the command line.
func parseFlags(args []string, stderr io.Writer) (plan, choices, error) {
	var p plan
	var chosen choices
	flags := flag.NewFlagSet("peers", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&chosen.scalbenchPath, "scalbench", "./scalbench", "`path` of the scalbench binary")
	flags.StringVar(&chosen.peers, "peers", "", "load generators, a comma-separated `list` (default all that are installed)")
	flags.StringVar(&chosen.servers, "servers", names(allServers("", "")), "servers, a comma-separated `list`")
	flags.StringVar(&chosen.courses, "courses", "", "courses, a comma-separated `list` (default all of the servers: "+names(allCourses())+")")
	flags.IntVar(&p.rounds, "rounds", 5, "how often each peer runs in each heat")
	flags.IntVar(&p.churnRounds, "churn-rounds", 3, "the same for churn, where up to a minute passes before each run")
	flags.IntVar(&p.load.seconds, "seconds", 3, fmt.Sprintf("length of one run in `seconds`; of churn at most %d", churnSeconds))
	flags.IntVar(&p.load.connections, "connections", 64, "connections of each peer")
	flags.IntVar(&p.serverCPU, "server-cpu", 0, "`CPU` of the server")
	flags.IntVar(&p.load.cpu, "peer-cpu", 1, "`CPU` of the peer")
	flags.IntVar(&p.timeWaitMax, "time-wait-max", 1000, "`sockets` in TIME_WAIT that a churn run may start with")
	flags.BoolVar(&p.markdown, "md", false, "print Markdown")
	flags.StringVar(&p.jsonFile, "json", "", "write every sample to this `file` too")
	flags.BoolVar(&p.force, "force", false, "run although other processes use the CPUs")
	flags.BoolVar(&p.install, "install", false, "install the peers and servers that are absent, and measure nothing")
	if err := flags.Parse(args); err != nil {
		return plan{}, choices{}, err
	}
	if flags.NArg() > 0 {
		return plan{}, choices{}, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	return p, chosen, nil
}

// validate names every number that makes no sense.
func (p plan) validate() error {
	var faults []error
	for _, number := range []struct {
		flag         string
		value, least int
	}{
		{"rounds", p.rounds, 1},
		{"churn-rounds", p.churnRounds, 1},
		{"seconds", p.load.seconds, 1},
		{"connections", p.load.connections, 1},
		{"server-cpu", p.serverCPU, 0},
		{"peer-cpu", p.load.cpu, 0},
		{"time-wait-max", p.timeWaitMax, 1},
	} {
		if number.value < number.least {
			faults = append(faults, fmt.Errorf("-%s %d: want at least %d", number.flag, number.value, number.least))
		}
	}
	if p.serverCPU == p.load.cpu {
		faults = append(faults, fmt.Errorf("-server-cpu and -peer-cpu are both %d: they would measure each other", p.serverCPU))
	}
	for _, c := range p.courses {
		if len(p.servers) > 0 && !slices.ContainsFunc(p.servers, c.on) {
			faults = append(faults, fmt.Errorf("course %s is on none of the servers, only on %s", c.name(), strings.Join(c.servers, ", ")))
		}
	}
	return errors.Join(faults...)
}

// chooseCourses picks the named courses; of none named, all that one of the
// servers has.
func chooseCourses(list string, servers []server) ([]course, error) {
	if list == "" {
		onNone := func(c course) bool { return !slices.ContainsFunc(servers, c.on) }
		return slices.DeleteFunc(allCourses(), onNone), nil
	}
	return choose("course", allCourses(), list)
}

// coursesOn returns the courses to measure on a server over one transport.
func (p plan) coursesOn(s server, over transport) []course {
	return slices.DeleteFunc(slices.Clone(p.courses), func(c course) bool {
		return !c.on(s) || c.protocol.transport() != over
	})
}

// protocolsOver are those of the courses over one transport, each once; nil for
// none.
func (p plan) protocolsOver(over transport) []protocol {
	var protocols []protocol
	for _, c := range p.courses {
		if c.protocol.transport() == over && !slices.Contains(protocols, c.protocol) {
			protocols = append(protocols, c.protocol)
		}
	}
	return protocols
}

// roundsOf is how often each peer runs in a heat of the course.
func (p plan) roundsOf(c course) int {
	if c.churn {
		return min(p.rounds, p.churnRounds)
	}
	return p.rounds
}

// hasChurn tells whether one of the courses is churn.
func (p plan) hasChurn() bool {
	return slices.ContainsFunc(p.courses, func(c course) bool { return c.churn })
}

// installables are the peers and then the servers of the plan, each program once:
// scalbench is both.
func (p plan) installables() []installable {
	var all []installable
	for _, peer := range p.peers {
		all = append(all, peer)
	}
	for _, s := range p.servers {
		known := func(i installable) bool { return i.program() == s.program() }
		if !slices.ContainsFunc(all, known) {
			all = append(all, s)
		}
	}
	return all
}
