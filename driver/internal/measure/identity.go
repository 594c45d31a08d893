package measure

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/serverproc"
	"github.com/scalws/scalbench/internal/suite"
)

// expectOf is what a suite expects of a variant, with the program as it was when the
// variant was first started in this session: one that was replaced since is another.
func (b *Bench) expectOf(v suite.Variant) (serverproc.Expect, error) {
	if expect, known := b.expects[v.Name]; known {
		return expect, nil
	}
	said := v.Expect
	expect := serverproc.Expect{
		Exe: said.Exe, SHA256: said.SHA256, UID: uidRule(said.UID), Seccomp: said.Seccomp, NoNewPrivs: said.NoNewPrivs,
		Processes: said.Processes, Grace: said.Grace,
	}
	if expect.Exe == "" && v.Command[0] == ourCommand {
		expect.Exe = b.config.Exe
	}
	if copy := b.copies[v.Name]; copy != "" {
		expect.Exe = copy
	}
	expect, err := expect.Resolve()
	if err != nil {
		return expect, err
	}
	b.expects[v.Name] = expect
	return expect, expect.Validate()
}

// uidRule is a suite's rule as it is checked.
func uidRule(r suite.UIDRule) serverproc.UIDRule {
	switch r.Kind {
	case suite.RootUID:
		return serverproc.UIDRule{Kind: serverproc.UIDExactly}
	case suite.NonRootUID:
		return serverproc.UIDRule{Kind: serverproc.UIDNonRoot}
	case suite.ExactUID:
		return serverproc.UIDRule{Kind: serverproc.UIDExactly, UID: r.UID}
	}
	return serverproc.UIDRule{}
}

// instanceExpect adds what is expected of one instance alone.
func instanceExpect(e serverproc.Expect, i *instance, ports []serverproc.Port) serverproc.Expect {
	e.Argv, e.CPUs, e.Ports = i.variant.Expect.Argv, i.seat.cpus, ports
	return e
}

// lookAgain is the time between two looks at a server that is not yet what was meant.
const lookAgain = 20 * time.Millisecond

// identify looks at each instance until it is what was meant. Within the grace after its
// start it may not be: a wrapper executes it, it installs a filter. What was seen then is
// counted as early. Once it was right it has no grace any more, and is held to its program
// and its start.
func (b *Bench) identify(ctx context.Context, r *Running) error {
	for n, i := range r.instances {
		var tally serverproc.Tally
		seen, err := b.awaitIdentity(ctx, i, &tally)
		r.startup = record.AddCounts(r.startup, identityCounts(r.variant.Name, i.expect, &tally))
		if err != nil {
			return err
		}
		i.expect = settled(i.expect, seen)
		if n == 0 {
			r.facts = r.factsOf(i, seen)
			if known := b.expects[r.variant.Name]; known.SHA256 == "" {
				known.SHA256 = seen.Server.SHA256.Value
				b.expects[r.variant.Name] = known
			}
		}
	}
	return nil
}

func (b *Bench) awaitIdentity(ctx context.Context, i *instance, tally *serverproc.Tally) (serverproc.Observation, error) {
	for {
		subject, err := i.subject()
		if err != nil {
			return serverproc.Observation{}, unready(ctx, fmt.Errorf("look at the %s: %w", i.name, err))
		}
		seen, err := b.observer.Observe(subject)
		if err != nil {
			return seen, err
		}
		tally.Add(i.expect, seen)
		wrong := serverproc.Check(i.expect, seen)
		switch {
		case len(wrong) == 0:
			return seen, nil
		case seen.Gone, seen.Server.Age >= i.expect.Grace:
			return seen, &fault{reason: sentences(wrong), another: !seen.Gone}
		}
		if err := pause(ctx, lookAgain); err != nil {
			return seen, err
		}
	}
}

// settled is what is expected of a server from now on: to stay what it is.
func settled(e serverproc.Expect, seen serverproc.Observation) serverproc.Expect {
	e.Grace, e.Start = 0, seen.Server.Start
	if e.Exe == "" {
		e.Exe = seen.Server.Exe.Value
	}
	if e.SHA256 == "" {
		e.SHA256 = seen.Server.SHA256.Value
	}
	return e
}

// sentences are violations in one.
func sentences(wrong []serverproc.Violation) string {
	var errs []error
	for _, v := range wrong {
		errs = append(errs, v)
	}
	return errors.Join(errs...).Error()
}

// pause lets time pass, unless it is called off.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// factsOf are what a variant is, by what was seen of one of its instances.
func (r *Running) factsOf(i *instance, seen serverproc.Observation) serverproc.Facts {
	facts := serverproc.FactsOf(seen)
	facts.Config, facts.Places, facts.Helpers = i.config, i.places, r.helperTexts()
	if !facts.Env.Known() && i.env != nil {
		facts.Env = serverproc.Fact[[]string]{Value: i.env}
	}
	return facts
}

// identityCounts are a tally as records have it.
func identityCounts(variant string, e serverproc.Expect, t *serverproc.Tally) []record.IdentityCount {
	var counts []record.IdentityCount
	for _, c := range t.Counts(e) {
		counts = append(counts, record.IdentityCount{
			Variant: variant, Check: c.Expect, Samples: c.Samples, OK: c.OK, Early: c.Early, Missed: c.Missed, NA: c.NA,
		})
	}
	return counts
}
