package measure

import (
	"context"
	"fmt"
	"net/netip"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/internal/procfs"
	"github.com/scalws/scalbench/internal/serverproc"
	"github.com/scalws/scalbench/internal/suite"
)

// Helpers returns what must run beside a server that serves the scenarios: the suite's
// and theirs, in the order in which they are started, each once. The error names a helper
// that two of them want differently: such scenarios need restart: measurement.
func Helpers(s *suite.Suite, scenarios []suite.Scenario) ([]suite.Helper, error) {
	helpers := slices.Clone(s.Helpers)
	for _, sc := range scenarios {
		for _, h := range sc.Helpers {
			i := slices.IndexFunc(helpers, func(other suite.Helper) bool { return other.Name == h.Name })
			switch {
			case i < 0:
				helpers = append(helpers, h)
			case !reflect.DeepEqual(helpers[i], h):
				return nil, fmt.Errorf("scenario %s: its helper %s is not that of the others, expected restart: measurement", sc.Name, h.Name)
			}
		}
	}
	return helpers, nil
}

// helper is a process beside the server.
type helper struct {
	suite.Helper // as it was started
	said         suite.Helper
	url          string
	cpus         cpuset.Set
	server       *serverproc.Server
	logs         *logs
	expect       serverproc.Expect // of what it was when it was ready; zero: it is not looked at
}

// startHelper starts a helper and waits until it is ready. The URLs of those before it are
// known to it.
func (b *Bench) startHelper(ctx context.Context, r *Running, said suite.Helper) error {
	dir, err := r.makeDir(said.Name, said.User)
	if err != nil {
		return err
	}
	cpus := b.placement.Upstream
	if said.CPUs == suite.WithServer {
		cpus = b.placement.Server
	}
	values := suite.Values{Dir: dir.run, CPUs: cpus.String(), Helpers: r.urls()}
	if values.Cert, values.Key, err = b.certificate(dir, said.User, said.Command, said.Env, nil); err != nil {
		return err
	}
	numbered := said
	if numbered.Ports, err = b.numbered(said.Ports, "helper "+said.Name); err != nil {
		return err
	}
	expanded, err := numbered.Expand(values)
	if err != nil {
		return err
	}
	if expanded.Ready.URL == "" && len(expanded.Ports) > 0 {
		expanded.Ready.URL = "tcp://" + portAt(procfs.TCP, expanded.Ports[0].Number).Addr.String()
	}
	spec, err := b.spec(said.Name, expanded.Command, expanded.Env, said.User, dir, cpus)
	if err != nil {
		return err
	}
	spec.StdinOpen = expanded.Ready.URL == "" || spec.StdinOpen
	spec.Ports = portsOf(expanded.Ready.URL)
	for _, p := range expanded.Ports {
		if port := portAt(procfs.TCP, p.Number); !slices.Contains(spec.Ports, port) {
			spec.Ports = append(spec.Ports, port)
		}
	}
	if err := serverproc.FreePorts(spec.Ports); err != nil {
		return fmt.Errorf("start helper %s: %w", said.Name, err)
	}
	b.say("starting helper %s", said.Name)
	h := &helper{Helper: expanded, said: said, url: urlOf(said, expanded), cpus: cpus, logs: newLogs(said.Name, dir, expanded.Log, nil)}
	if h.server, err = serverproc.Start(ctx, spec); err != nil {
		return err
	}
	r.helpers = append(r.helpers, h)
	if expanded.Ready.URL != "" {
		err = h.server.AwaitReady(ctx, readyOf(expanded.Ready))
	} else {
		h.url, err = h.server.AwaitListening(ctx, expanded.Ready.Timeout)
	}
	if err != nil {
		return unready(ctx, err)
	}
	return b.identifyHelper(ctx, h)
}

// urlsFor are the URLs of the suite's helpers, as a variant is told them. A configuration
// may name all of them, and be started for scenarios that need some; the others do not run
// then, or are not even installed, and have an address where nobody is.
func (b *Bench) urlsFor(r *Running) map[string]string {
	urls := r.urls()
	for n, h := range b.config.Suite.Named {
		if _, runs := urls[h.Name]; !runs {
			urls[h.Name] = nobodyAt(h, n+1)
		}
	}
	return urls
}

// nobodyAt is a URL for the nth helper, of the kind that it would have: the port of the
// discard protocol at a loopback address that nobody uses, or a socket that is not there.
func nobodyAt(h suite.Helper, n int) string {
	scheme, _, is := strings.Cut(h.Ready.URL, "://")
	switch {
	case !is:
		scheme = "http"
	case scheme == "unix":
		return "unix:///nowhere/" + h.Name + ".sock"
	}
	return fmt.Sprintf("%s://127.0.%d.%d:9", scheme, 2+n/256, n%256)
}

// urlOf is where a helper is asked that does not say so itself; one that says its ports
// alone speaks HTTP at the first.
func urlOf(said, expanded suite.Helper) string {
	if said.Ready.URL == "" {
		return strings.Replace(expanded.Ready.URL, "tcp://", "http://", 1)
	}
	return expanded.Ready.URL
}

// identifyHelper looks at a helper that is ready, and holds it from then on to be what it
// was, on its CPUs and at its port.
func (b *Bench) identifyHelper(ctx context.Context, h *helper) error {
	h.expect = serverproc.Expect{CPUs: h.cpus, Ports: portsOf(h.url)}
	subject, err := h.subject()
	if err != nil {
		return unready(ctx, fmt.Errorf("look at helper %s: %w", h.Name, err))
	}
	seen, err := b.observer.Observe(subject)
	if err != nil {
		return err
	}
	if wrong := serverproc.Check(h.expect, seen); len(wrong) > 0 {
		return faultf("helper %s: %s", h.Name, sentences(wrong))
	}
	h.expect = settled(h.expect, seen)
	return nil
}

func (h *helper) subject() (serverproc.Subject, error) { return h.server.Subject(h.expect.Ports) }

// isWatched tells whether a helper is held to be what it was; the burden is not.
func (h *helper) isWatched() bool { return h.expect.Start != 0 }

// readyOf is a suite's ready check as it is made.
func readyOf(r suite.Ready) serverproc.Ready {
	ready := serverproc.Ready{URL: r.URL, Status: r.Status, Timeout: r.Timeout}
	if r.Body != "" {
		ready.Body = []byte(r.Body)
	}
	return ready
}

// portsOf is where somebody listens who is ready at a URL with an address of this host;
// none for another URL.
func portsOf(text string) []serverproc.Port {
	u, err := url.Parse(text)
	if err != nil {
		return nil
	}
	addr, err := netip.ParseAddrPort(strings.Replace(u.Host, "localhost:", loopback.String()+":", 1)) // a unix URL has none
	if err != nil || !addr.Addr().IsLoopback() {
		return nil
	}
	return []serverproc.Port{{Network: procfs.TCP, Addr: addr}}
}
