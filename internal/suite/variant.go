package suite

import (
	"fmt"
	"net"
	"slices"
	"strconv"
	"time"
)

// Variant is one way to start a server.
type Variant struct {
	Name string // [a-z0-9._-], it names directories

	Command   []string // program and arguments; placeholders
	Config    Config
	Env       []EnvVar // beside what the driver lets through; placeholders in values
	User      string   // name or number; "": whoever runs the session
	Workers   int      // of the server, 1 to 4096; 0: as many as it has CPUs
	Nofile    int      // soft limit of open files, from 64; 0: as many as the scenarios need, or that of whoever runs the session
	Ports     []Port   // in the order of the file; the first is {port}
	Ready     Ready
	Expect    Identity
	Provides  []string // what it can, such as http, tls, h2; nil: whatever is needed
	Log       LogRules
	About     map[string]string // of its making, such as commit and libc; lists are joined by ", "
	Instances Instances
	SameOK    string // why it may be the same program as another, as in calibration
	Needed
}

// Needed are programs that the host must have beside those of commands, such as what a
// wrapper becomes: without one of them rows are not run.
type Needed struct {
	Programs []string // names, looked up as a shell would
	Install  string   // the line that installs them; "": it is not known
}

// EnvVar is a variable of the environment, as its text stands in the file.
type EnvVar struct {
	Name, Value string
}

// Port is one that a server listens on.
type Port struct {
	Name   string // http and https are asked by scenarios whose url is a path
	Number int    // 1 to 65535; 0: a free one, chosen when the server is started
}

// Ready is when a server can be asked. Without URL it is ready when its first port
// accepts a connection.
type Ready struct {
	URL     string // http[s]://…; placeholders
	Status  int    // 200 to 599; 0: any 2xx
	Body    string // that the answer must be; "": any
	Timeout time.Duration
}

// defaultReady is for how long a server may start.
const defaultReady = 10 * time.Second

// Identity is what must be true of a running variant. The zero value of a field is
// not looked at.
type Identity struct {
	Exe        string // path of the program that runs, once wrappers have become it, or a name that is looked up
	SHA256     string // of that program, 64 hexadecimal digits
	UID        UIDRule
	Seccomp    *int  // 0, 1 or 2, as /proc/PID/status has it
	NoNewPrivs *bool // likewise
	Argv       []string
	Processes  int           // how many there are, 1 to 10 000
	Grace      time.Duration // after the start, in which a miss is early and no fault; default 1 s
}

const defaultGrace = time.Second

// UIDRule is as whom a server must run.
type UIDRule struct {
	Kind UIDKind
	UID  int // of ExactUID
}

// UIDKind is a kind of UIDRule.
type UIDKind uint8

const (
	AnyUID UIDKind = iota
	RootUID
	NonRootUID
	ExactUID
)

// String returns the word of the file, "" for AnyUID.
func (u UIDRule) String() string {
	if u.Kind == ExactUID {
		return strconv.Itoa(u.UID)
	}
	return [...]string{"", "root", "nonroot"}[u.Kind]
}

// LogRules say where a server's log is beside its standard streams, and are regular
// expressions (package regexp) for its lines.
type LogRules struct {
	Files  []string // paths; placeholders, and one without a slash in front is in {dir}
	Fail   []string // a line that matches makes the measurement invalid
	Ignore []string // unless one of these matches too
}

// Instances are how many servers a variant is. The zero value is one.
type Instances struct {
	Count  int // processes of Multi, loops of Single; 1 to 1024
	Layout Layout
	ID     string // what {instance} has before its number, which counts from 1
}

// Layout is what instances are.
type Layout uint8

const (
	Standalone Layout = iota // one server: no instances
	Multi                    // a process each, on a CPU each, at the same port
	Single                   // a loop each, in one process
)

// String returns the word of the file, "" for Standalone.
func (l Layout) String() string { return [...]string{"", "multi", "single"}[l] }

// Lacks returns what of needs the variant does not provide: the scenario is then not
// applicable to it.
func (v Variant) Lacks(needs []string) []string {
	if v.Provides == nil {
		return nil
	}
	var lacks []string
	for _, need := range needs {
		if !slices.Contains(v.Provides, need) {
			lacks = append(lacks, need)
		}
	}
	return lacks
}

// portName is the port that a scenario's path is asked at.
func portName(sc Scenario) string {
	if sc.TLS.On {
		return "https"
	}
	return "http"
}

// URL returns the full URL of a scenario on this variant: its own, or its path at
// the variant's port http or https on 127.0.0.1. A port that is not there or not yet
// chosen is an error.
func (v Variant) URL(sc Scenario) (string, error) {
	if !sc.isPath() {
		return sc.URL, nil
	}
	scheme := portName(sc)
	i := slices.IndexFunc(v.Ports, func(p Port) bool { return p.Name == scheme })
	if i < 0 || v.Ports[i].Number == 0 {
		return "", fmt.Errorf("variant %s, scenario %s: no port %q for %s", v.Name, sc.Name, scheme, sc.URL)
	}
	return scheme + "://" + net.JoinHostPort("127.0.0.1", strconv.Itoa(v.Ports[i].Number)) + sc.URL, nil
}
