package measure

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/scalws/scalbench/driver/loadplan"
	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/serverproc"
	"github.com/scalws/scalbench/internal/suite"
)

// Running is a variant that runs. One goroutine uses it, and must call Stop.
type Running struct {
	bench     *Bench
	dir       string        // of all its processes, removed when they have ended
	said      suite.Variant // as the suite says it
	variant   suite.Variant // with the ports it was given
	helpers   []*helper     // in the order in which they were started
	instances []*instance   // likewise; none: nothing is known of the server
	base      string        // URL of a server that was attached to; "": the variant's ports

	startup []record.IdentityCount // what was seen before it was what was meant; told with the first measurement
	facts   serverproc.Facts

	stopped    bool
	stopReason string
	stopErr    error
}

// instance is one process of a variant, with what came of it.
type instance struct {
	name       string        // names its files: "server", "server-2"
	variant    suite.Variant // as this instance was started
	seat       seat
	config     []byte
	configPath string // "": it has none
	env        []string
	expect     serverproc.Expect
	places     serverproc.Places
	logs       *logs // nil: of a server that was attached to

	server  *serverproc.Server // nil: it was attached to
	pid     int
	exited  <-chan struct{}
	subject func() (serverproc.Subject, error)
	meter   func() *serverproc.Meter
}

// newRunning makes the directory of a variant that is to be started.
func (b *Bench) newRunning(v suite.Variant) (*Running, error) {
	b.starts++
	r := &Running{bench: b, said: v, variant: v, dir: filepath.Join(b.config.Work, fmt.Sprintf("%s-%d", v.Name, b.starts))}
	if err := makeReadable(r.dir); err != nil {
		return nil, err
	}
	return r, nil
}

// urls are those of the helpers that are ready.
func (r *Running) urls() map[string]string {
	urls := map[string]string{}
	for _, h := range r.helpers {
		if h.url != "" { // a burden has none
			urls[h.Name] = h.url
		}
	}
	return urls
}

// Facts are what the variant is, as it ran, to be held against another's by
// [serverproc.Differs]. Of instances they are those of the first.
func (r *Running) Facts() serverproc.Facts { return r.facts }

// url is where a scenario is asked.
func (r *Running) url(sc suite.Scenario) (string, error) {
	if r.base == "" {
		return r.variant.URL(sc)
	}
	return loadplan.At(sc, r.base)
}

// pids are the processes that were started for the variant itself.
func (r *Running) pids() []int {
	var pids []int
	for _, i := range r.instances {
		pids = append(pids, i.pid)
	}
	return pids
}

// ended says which process has ended that should run, "" when all do.
func (r *Running) ended() string {
	for _, i := range r.instances {
		if has(i.exited) {
			return fmt.Sprintf("the %s has ended by itself (%s)", i.name, i.server.Exit())
		}
	}
	for _, h := range r.helpers {
		if has(h.server.Exited()) {
			return fmt.Sprintf("helper %s has ended by itself (%s)", h.Name, h.server.Exit())
		}
	}
	return ""
}

// has reports whether a channel is closed; nil never is.
func has(closed <-chan struct{}) bool {
	select {
	case <-closed:
		return true
	default:
		return false
	}
}

// removeDir removes the files of the variant's processes.
func (r *Running) removeDir() error {
	if r.dir == "" {
		return nil
	}
	return os.RemoveAll(r.dir)
}
