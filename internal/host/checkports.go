package host

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/scalws/scalbench/internal/procfs"
	"github.com/scalws/scalbench/internal/units"
)

// spareDescriptors is what a process has open beside its connections: files, its
// poller, listeners, and the files of the run itself.
const spareDescriptors = 512

// checkDescriptors wants room for every connection in the descriptors of a process.
// The hard limit counts: a generator raises its own up to that, and servers are started with
// what the scenarios need of it. A server that passes requests on has a second connection for
// each; which do is not known here.
func (e examination) checkDescriptors() []Finding {
	const name = "descriptors"
	want, proxied := int64(e.need.Connections+spareDescriptors), int64(2*e.need.Connections+spareDescriptors)
	_, hard, ok := e.f.descriptorLimit()
	switch {
	case !ok:
		return one(findingf(name, NA, "the limit of open files is not known"))
	case hard < want:
		return one(findingf(name, Refuse, "a process may have %s files open, want %d (connections and %d): raise the hard limit (ulimit -Hn)", limitText(hard), want, spareDescriptors))
	case hard < proxied:
		return one(findingf(name, Warn, "a process may have %s files open, and a server that passes requests on may need %d: raise the hard limit (ulimit -Hn)", limitText(hard), proxied))
	}
	return one(findingf(name, OK, "a process may have %s files open, %d are needed", limitText(hard), want))
}

// descriptorLimit reads how many files this process may have open, now and at most;
// math.MaxInt64 for no limit. Source: proc_pid_limits(5).
func (f FS) descriptorLimit() (soft, hard int64, ok bool) {
	limits, _ := f.text("proc/self/limits")
	for line := range strings.Lines(limits) {
		rest, found := strings.CutPrefix(line, "Max open files")
		if !found {
			continue
		}
		fields := strings.Fields(rest)
		if len(fields) < 2 {
			return 0, 0, false
		}
		soft, ok1 := parseLimit(fields[0])
		hard, ok2 := parseLimit(fields[1])
		return soft, hard, ok1 && ok2
	}
	return 0, 0, false
}

func parseLimit(text string) (int64, bool) {
	if text == "unlimited" {
		return math.MaxInt64, true
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil
}

func limitText(limit int64) string {
	if limit == math.MaxInt64 {
		return "unlimited"
	}
	return strconv.FormatInt(limit, 10)
}

// checkPorts wants ports that nobody listens on. Who does is asked of the kernel:
// with SO_REUSEPORT a server would start all the same, and get half of the requests.
func (e examination) checkPorts() []Finding {
	const name = "ports"
	var found []Finding
	for _, port := range e.need.Ports {
		owners, err := e.f.proc.PortOwners(port.Network, port.Number)
		switch {
		case err != nil:
			found = append(found, findingf(name, NA, "who listens on %s is not known: %v", port, err))
		case len(owners.Listeners) > 0:
			found = append(found, findingf(name, Refuse, "%s is taken by %s", port, e.f.ownersText(owners)))
		}
	}
	if found == nil && len(e.need.Ports) > 0 {
		texts := make([]string, len(e.need.Ports))
		for i, p := range e.need.Ports {
			texts[i] = p.String()
		}
		found = one(findingf(name, OK, "free: %s", strings.Join(texts, ", ")))
	}
	return found
}

// ownersText names the processes that hold a socket, or the user whose they are.
func (f FS) ownersText(owners procfs.Owners) string {
	var names []string
	for _, pid := range owners.PIDs {
		name, err := f.proc.Name(pid)
		if err != nil {
			name = "process"
		}
		names = append(names, fmt.Sprintf("%s[%d]", name, pid))
	}
	if names == nil {
		return fmt.Sprintf("a process of user %d, which this user may not see", owners.Listeners[0].UID)
	}
	return strings.Join(names, ", ")
}

// checkLocalPorts wants a port for each connection to one server.
func (e examination) checkLocalPorts() []Finding {
	const name = "local ports"
	ports, err := e.f.proc.LocalPorts()
	switch {
	case err != nil:
		return one(findingf(name, NA, "how many local ports there are is not known: %v", err))
	case ports < e.need.Connections:
		return one(findingf(name, Refuse, "%d local ports for %d connections: widen net.ipv4.ip_local_port_range", ports, e.need.Connections))
	}
	return one(findingf(name, OK, "%s local ports", units.Group(int64(ports))))
}
