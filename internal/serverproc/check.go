package serverproc

import (
	"fmt"
	"slices"
	"strings"
)

// Finding is what one look at one trait gave.
type Finding struct {
	Trait Trait
	// Wrong is a sentence that says what was seen and what was expected; "": it is as
	// expected.
	Wrong string
	NA    string // why it could not be looked at; Wrong is "" then
}

// Violation is a trait that is not as expected.
type Violation struct {
	Trait    Trait
	Sentence string
}

// Error returns the sentence.
func (v Violation) Error() string { return v.Sentence }

// Check returns what is not as expected, in the order of the traits; nil when all is,
// or could not be looked at ([Findings] tells these apart).
func Check(e Expect, o Observation) []Violation {
	var violations []Violation
	for _, f := range Findings(e, o) {
		if f.Wrong != "" {
			violations = append(violations, Violation{f.Trait, f.Wrong})
		}
	}
	return violations
}

// Findings looks at every trait that something is expected of, in their order.
func Findings(e Expect, o Observation) []Finding {
	if o.Gone {
		return []Finding{{Trait: TraitAlive, Wrong: "the server has ended"}}
	}
	findings := []Finding{{Trait: TraitAlive}}
	look := func(expected bool, t Trait, wrong, na string) {
		if expected {
			findings = append(findings, Finding{Trait: t, Wrong: wrong, NA: na})
		}
	}
	server := o.Server
	look(e.Start != 0, TraitStart, wrongStart(e, server), "")
	look(e.Exe != "", TraitExe, wrongExe(e, o), server.Exe.NA)
	look(e.SHA256 != "", TraitSHA256, wrongHash(e, server), server.SHA256.NA)
	look(e.Argv != nil, TraitArgv, wrongArgv(e, server), server.Argv.NA)
	look(e.UID.Kind != UIDAny, TraitUID, wrongUID(e, server), "")
	look(e.Seccomp != nil, TraitSeccomp, wrongFact(server, TraitSeccomp, server.Security.Seccomp, e.Seccomp), server.Security.Seccomp.NA)
	look(e.NoNewPrivs != nil, TraitNoNewPrivs, wrongFact(server, TraitNoNewPrivs, server.Security.NoNewPrivs, e.NoNewPrivs), server.Security.NoNewPrivs.NA)
	look(e.Processes != 0, TraitProcesses, wrongProcesses(e, o), "")
	look(e.CPUs.Count() > 0, TraitCPUs, wrongCPUs(e, o), "")
	wrong, na := wrongPorts(e, o)
	look(len(e.Ports) > 0 && !o.PortsSkipped, TraitPorts, wrong, na)
	return findings
}

func wrongStart(e Expect, p ProcessFacts) string {
	if p.Start == e.Start {
		return ""
	}
	return fmt.Sprintf("process %d was started %s after boot, and the server %s: it is another one", p.PID, p.Start, e.Start)
}

// wrongExe tells a wrapper that stays between us and the server from another program.
func wrongExe(e Expect, o Observation) string {
	exe := o.Server.Exe
	switch {
	case !exe.Known():
		return ""
	case exe.Value == e.Exe && o.Server.Replaced:
		return fmt.Sprintf("%s was replaced since process %d was started: what runs is no longer there", e.Exe, o.Server.PID)
	case exe.Value == e.Exe:
		return ""
	}
	for _, m := range o.Members {
		if m.PID != o.Server.PID && m.Exe.Value == e.Exe {
			return fmt.Sprintf("the pid is %s, not %s, which runs below it as process %d: the wrapper must exec", exe.Value, e.Exe, m.PID)
		}
	}
	if IsWrapper(exe.Value) {
		return fmt.Sprintf("the pid is %s, not %s: the wrapper must exec", exe.Value, e.Exe)
	}
	return fmt.Sprintf("process %d runs %s, not %s", o.Server.PID, exe.Value, e.Exe)
}

// IsWrapper knows programs, by their names or paths, that are there to start or to become
// another one. As a server they make no sense.
func IsWrapper(exe string) bool {
	wrappers := []string{"sh", "bash", "dash", "ash", "ksh", "zsh", "busybox", "env", "taskset", "numactl", "chrt", "nice", "ionice", "nohup", "setsid", "setpriv",
		"su", "sudo", "runuser", "unshare", "prlimit", "stdbuf", "timeout", "strace", "systemd-run"}
	return slices.Contains(wrappers, exe[strings.LastIndexByte(exe, '/')+1:])
}

func wrongHash(e Expect, p ProcessFacts) string {
	if !p.SHA256.Known() || p.SHA256.Value == e.SHA256 {
		return ""
	}
	return fmt.Sprintf("process %d runs %s with SHA-256 %s, expected %s", p.PID, p.Exe.Value, p.SHA256.Value, e.SHA256)
}

func wrongArgv(e Expect, p ProcessFacts) string {
	argv := p.Argv.Value
	isTitle := len(argv) == 1 && strings.Contains(argv[0], strings.Join(e.Argv, " "))
	if !p.Argv.Known() || slices.Equal(argv, e.Argv) || isTitle {
		return ""
	}
	return fmt.Sprintf("process %d was started as %q, expected %q", p.PID, argv, e.Argv)
}

func wrongUID(e Expect, p ProcessFacts) string {
	if e.UID.holds(p.RealUID, p.EffectiveUID) {
		return ""
	}
	return fmt.Sprintf("process %d runs as user %d (real %d), expected %s", p.PID, p.EffectiveUID, p.RealUID, e.UID)
}

// wrongFact compares a fact with what is expected of it; nil expects nothing.
func wrongFact[T comparable](p ProcessFacts, t Trait, got Fact[T], want *T) string {
	if want == nil || !got.Known() || got.Value == *want {
		return ""
	}
	return fmt.Sprintf("process %d has %s %v, expected %v", p.PID, t, got.Value, *want)
}

func wrongProcesses(e Expect, o Observation) string {
	if len(o.Members) == e.Processes {
		return ""
	}
	var names []string
	for _, m := range o.Members {
		names = append(names, fmt.Sprintf("%s[%d]", m.Name, m.PID))
	}
	return fmt.Sprintf("the server has %d processes (%s), expected %d", len(o.Members), strings.Join(names, ", "), e.Processes)
}

func wrongCPUs(e Expect, o Observation) string {
	for _, m := range o.Members {
		if outside := m.CPUs.Minus(e.CPUs); outside.Count() > 0 {
			return fmt.Sprintf("%s[%d] may run on CPUs %s, expected none but %s", m.Name, m.PID, m.CPUs, e.CPUs)
		}
	}
	return ""
}

// wrongPorts looks at the ports that were observed. One that was not is n/a.
func wrongPorts(e Expect, o Observation) (wrong, na string) {
	for _, p := range e.Ports {
		i := slices.IndexFunc(o.Ports, func(f PortFacts) bool { return f.Port == p })
		switch {
		case i < 0:
			na = fmt.Sprintf("%s was not looked at", p)
		case len(o.Ports[i].Neighbours) > 0:
			return fmt.Sprintf("%s is shared with %s", p, strings.Join(o.Ports[i].Neighbours, ", ")), ""
		case o.Ports[i].NA != "":
			na = o.Ports[i].NA
		case o.Ports[i].Own == 0:
			return fmt.Sprintf("the server does not listen at %s", p), ""
		}
	}
	return "", na
}
