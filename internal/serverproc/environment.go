package serverproc

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
)

// Variables that this package sets.
const (
	// SessionVariable carries the session's id, by which [Orphans] knows what a
	// session has started.
	SessionVariable = "SCALBENCH_SESSION"
	// PadVariable has a value of random length. The size of the environment moves
	// the stack, and with it the speed of some programs by some percent (Mytkowicz
	// et al., "Producing wrong data without doing anything obviously wrong", 2009):
	// it is drawn for every start, so that it is noise and no bias.
	PadVariable = "SCALBENCH_PAD"
	// supervisorVariable marks a supervisor.
	supervisorVariable = "SCALBENCH_SUPERVISOR"
)

// padMaxBytes is one page: the stack's place within a page is what the pad moves.
const padMaxBytes = 4095

// inherited are the variables of the host that a server gets: what programs cannot
// do without, and what says in which language and time zone they write their logs.
// LD_PRELOAD, GOMAXPROCS, proxies and whatever else a shell had set stay out.
var inherited = []string{"PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR"}

// Environment makes the variables of one start.
type Environment struct {
	Host []string // of this process, KEY=value; a few are taken
	Set  []string // the variant's, KEY=value; they win over the host's

	// User is the one that the server runs as, whose HOME, USER and LOGNAME then
	// stand for the host's; "" is the user of this process.
	User string

	Session string // id of the session
	Seed    uint64 // of the length of the pad
}

// List returns the complete environment: what is inherited, the variant's in their
// order, the pad and the token. The error names every variable that is wrong.
func (e Environment) List() ([]string, error) {
	var faults []error
	set := map[string]bool{}
	for _, variable := range e.Set {
		key, _, assigned := strings.Cut(variable, "=")
		switch {
		case !assigned || key == "" || strings.Contains(variable, "\x00"):
			faults = append(faults, fmt.Errorf("env: %q, expected KEY=value", variable))
		case key == SessionVariable || key == PadVariable || key == supervisorVariable:
			faults = append(faults, fmt.Errorf("env: %s is set by scalbench itself", key))
		case set[key]:
			faults = append(faults, fmt.Errorf("env: %s is set twice", key))
		}
		set[key] = true
	}
	if e.Session == "" || strings.Contains(e.Session, "\x00") {
		faults = append(faults, fmt.Errorf("session id %q: expected some text", e.Session))
	}
	host, err := e.hostVariables()
	if err := errors.Join(append(faults, err)...); err != nil {
		return nil, err
	}
	var list []string
	for _, variable := range host {
		if key, _, _ := strings.Cut(variable, "="); !set[key] {
			list = append(list, variable)
		}
	}
	return append(append(list, e.Set...), e.pad(), SessionVariable+"="+e.Session), nil
}

// hostVariables are those that are inherited, in the order of the list.
func (e Environment) hostVariables() ([]string, error) {
	values := map[string]string{}
	for _, variable := range e.Host {
		if key, value, assigned := strings.Cut(variable, "="); assigned {
			values[key] = value
		}
	}
	keys := inherited
	if e.User != "" {
		keys = append(keys[:len(keys):len(keys)], "USER", "LOGNAME")
		values["HOME"], values["USER"], values["LOGNAME"] = "/", e.User, e.User
		// A number need not have an entry; then "/" is its home, as for login(1).
		if entry, err := lookUpUser(e.User); err == nil {
			values["HOME"], values["USER"], values["LOGNAME"] = entry.HomeDir, entry.Username, entry.Username
		} else if _, err := lookUpIdentity(e.User); err != nil {
			return nil, fmt.Errorf("user %q: %w", e.User, err)
		}
	}
	var list []string
	for _, key := range keys {
		if value, there := values[key]; there {
			list = append(list, key+"="+value)
		}
	}
	return list, nil
}

// pad is a variable of 0 to padMaxBytes bytes.
func (e Environment) pad() string {
	length := rand.New(rand.NewPCG(e.Seed, 0)).IntN(padMaxBytes + 1)
	return PadVariable + "=" + strings.Repeat("x", length)
}

// withoutVariables is an environment without some of its variables.
func withoutVariables(env []string, keys ...string) []string {
	var kept []string
next:
	for _, variable := range env {
		for _, key := range keys {
			if strings.HasPrefix(variable, key+"=") {
				continue next
			}
		}
		kept = append(kept, variable)
	}
	return kept
}
