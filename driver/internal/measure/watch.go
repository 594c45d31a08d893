package measure

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/scalws/scalbench/internal/host"
	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/serverproc"
	"github.com/scalws/scalbench/internal/suite"
)

// watch is what looks every second while something is measured, each in a goroutine of its
// own: at each instance, whether it is still what was meant, at each helper likewise, and
// at the host.
type watch struct {
	running      *Running
	identity     []*serverproc.Sampler // of each instance
	helpers      []helperWatch
	interference *host.Sampler // nil: it could not be started, or another watch has it
	note         string        // why it could not
}

// helperWatch looks at one helper.
type helperWatch struct {
	*helper
	*serverproc.Sampler
}

// startWatch begins to look. The generator is the one that is about to load, and beside is
// a variant that it loads in turns with this one and that is nobody who disturbs; nil: there
// is none.
func (b *Bench) startWatch(r, beside *Running, generatorPID int) *watch {
	w := b.watchProcesses(r)
	all := []*Running{r}
	if beside != nil {
		all = append(all, beside)
	}
	var err error
	if w.interference, err = host.NewFS("/").StartSampler(b.watchOf(all, generatorPID), host.NewClock(b.clock)); err != nil {
		w.note = fmt.Sprintf("whether others used the CPUs is not known: %v", err)
	}
	return w
}

// watchProcesses begins to look at those of a variant alone.
func (b *Bench) watchProcesses(r *Running) *watch {
	w := &watch{running: r}
	for _, i := range r.instances {
		look := b.observer.Watch(i.subject, time.Now)
		w.identity = append(w.identity, serverproc.StartSampler(i.expect, serverproc.SampleEvery, look))
	}
	for _, h := range r.helpers {
		if h.isWatched() {
			w.helpers = append(w.helpers, helperWatch{h, serverproc.StartSampler(h.expect, serverproc.SampleEvery, b.observer.Watch(h.subject, time.Now))})
		}
	}
	return w
}

// watchOf says what is whose on the host.
func (b *Bench) watchOf(all []*Running, generatorPID int) host.Watch {
	server := host.WatchedSet{Name: "server", CPUs: b.placement.Server, Server: true}
	upstream := host.WatchedSet{Name: "upstream", CPUs: b.placement.Upstream}
	for _, r := range all {
		server.Roots = append(server.Roots, r.pids()...)
		for _, h := range r.helpers {
			if h.CPUs == suite.BesideServer && upstream.CPUs != server.CPUs {
				upstream.Roots = append(upstream.Roots, h.server.PID())
			} else {
				server.Roots = append(server.Roots, h.server.PID())
			}
		}
	}
	sets := []host.WatchedSet{server, {Name: "generator", CPUs: b.placement.Generator, Roots: []int{generatorPID}}}
	if upstream.CPUs != server.CPUs {
		sets = append(sets, upstream)
	}
	return host.Watch{Sets: sets, Own: []int{os.Getpid()}}
}

// violated reports whether an instance, or a helper, is not what was meant any more.
func (w *watch) violated() bool {
	return slices.ContainsFunc(w.identity, func(s *serverproc.Sampler) bool { return has(s.Violated()) }) ||
		slices.ContainsFunc(w.helpers, func(h helperWatch) bool { return has(h.Violated()) })
}

// seen is what the looking gave.
type seen struct {
	counts  []record.IdentityCount
	ok, n   int          // samples of all instances
	wrong   string       // the first violation; "": none
	log     []byte       // the rows of the interference log, a line each
	verdict host.Verdict // of the window
	cut     bool         // the verdict is not of the whole window
	cpu     time.Duration
	notes   []string
}

// stop ends the looking.
func (w *watch) stop(from, to mono.Time) seen {
	s := w.stopProcesses()
	w.stopHost(&s, from, to)
	return s
}

// stopProcesses ends the looking at the variant's own.
func (w *watch) stopProcesses() seen {
	var s seen
	for n, sampler := range w.identity {
		i, tally := w.running.instances[n], sampler.Stop()
		s.counts = record.AddCounts(s.counts, identityCounts(w.running.variant.Name, i.expect, tally))
		ok, total := tally.Samples()
		s.ok, s.n = s.ok+ok, s.n+total
		if first := tally.First(); first != nil && s.wrong == "" {
			s.wrong = first.Sentence
		}
		if err := tally.Err(); err != nil {
			s.notes = append(s.notes, fmt.Sprintf("identity of the %s: %v", i.name, err))
		}
	}
	for _, h := range w.helpers {
		h.addTo(&s, w.running.variant.Name)
	}
	return s
}

// stopHost ends the looking at the host.
func (w *watch) stopHost(s *seen, from, to mono.Time) {
	if w.interference == nil {
		s.notes, s.cut = append(s.notes, w.note), true
		return
	}
	found := w.interference.Stop()
	s.cpu = found.CPU
	if found.Dropped > 0 {
		s.cut = true
		s.notes = append(s.notes, fmt.Sprintf("whether others used the CPUs is not known of the last %d looks: only two hours are kept", found.Dropped))
	}
	if found.NoKernelLog != "" {
		s.notes = append(s.notes, "what the kernel said is n/a: "+found.NoKernelLog)
	}
	s.verdict = host.Limits{}.Judge(inWindow(found.Rows, from, to))
	for _, row := range found.Rows {
		line, err := json.Marshal(row)
		if err != nil {
			s.notes = append(s.notes, fmt.Sprintf("a row of the interference log: %v", err))
			continue
		}
		s.log = append(append(s.log, line...), '\n')
	}
}

// addTo ends the looking at a helper, and adds what it gave. Its samples are counted by
// what they are of, and are none of the variant's.
func (h helperWatch) addTo(s *seen, variant string) {
	tally := h.Stop()
	counts := identityCounts(variant, h.expect, tally)
	for i := range counts {
		counts[i].Check = "helper " + h.Name + ": " + counts[i].Check
	}
	s.counts = record.AddCounts(s.counts, counts)
	if first := tally.First(); first != nil && s.wrong == "" {
		s.wrong = "helper " + h.Name + ": " + first.Sentence
	}
	if err := tally.Err(); err != nil {
		s.notes = append(s.notes, fmt.Sprintf("identity of helper %s: %v", h.Name, err))
	}
}

// inWindow are the rows that have a part in the window: what happens before and after it
// disturbs nothing.
func inWindow(rows []host.Row, from, to mono.Time) []host.Row {
	var in []host.Row
	for _, r := range rows {
		began := r.AtNS.Add(-time.Duration(r.ElapsedUS) * time.Microsecond)
		if r.AtNS > from && began < to {
			in = append(in, r)
		}
	}
	return in
}
