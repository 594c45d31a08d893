package measure

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/scalws/scalbench/internal/procfs"
	"github.com/scalws/scalbench/internal/serverproc"
	"github.com/scalws/scalbench/internal/suite"
)

// StartVariant starts a variant with its helpers, and returns when it is ready and was
// seen to be what was meant. The error is an [*InvalidError] when that is not so, and wraps
// [serverproc.ErrPortTaken] when somebody else listens at a port of it; whatever it is,
// nothing is left running.
func (b *Bench) StartVariant(ctx context.Context, v suite.Variant, helpers []suite.Helper) (*Running, error) {
	r, err := b.newRunning(v)
	if err != nil {
		return nil, fmt.Errorf("start variant %s: %w", v.Name, err)
	}
	err = b.start(ctx, r, helpers)
	if err == nil {
		return r, nil
	}
	reason, files := reasonIn(err), r.filesOfStart()
	if _, stopErr := r.stop(context.WithoutCancel(ctx), stopGraceFailed); stopErr != nil {
		return nil, fmt.Errorf("start variant %s: %w", v.Name, errors.Join(err, stopErr))
	}
	if reason != "" {
		return nil, &InvalidError{Variant: v.Name, Reason: reason, Files: files, Another: isAnother(err)}
	}
	return nil, fmt.Errorf("start variant %s: %w", v.Name, err)
}

// start is the story of a start. What it has begun is in r, whatever it returns.
func (b *Bench) start(ctx context.Context, r *Running, helpers []suite.Helper) error {
	expect, err := b.expectOf(r.variant)
	if err != nil {
		return err
	}
	if r.variant.Ports, err = b.numbered(r.variant.Ports, "variant "+r.variant.Name); err != nil {
		return err
	}
	for _, h := range helpers {
		if err := b.startHelper(ctx, r, h); err != nil {
			return err
		}
	}
	if twin := b.config.Twins[r.variant.Name]; twin.BurdenFrac > 0 {
		if err := b.startBurden(ctx, r, twin.BurdenFrac); err != nil {
			return err
		}
	}
	// That a test bind works would not be enough: with SO_REUSEPORT both servers may bind.
	if err := serverproc.FreePorts(b.mustBeFree(r.variant)); err != nil {
		return err
	}
	for _, s := range seats(r.variant, b.placement.Server) {
		if err := b.startInstance(ctx, r, s, expect); err != nil {
			return err
		}
	}
	if err := b.awaitReady(ctx, r); err != nil {
		return err
	}
	if err := b.identify(ctx, r); err != nil {
		return err
	}
	return r.scanStart()
}

// startInstance starts one process of a variant.
func (b *Bench) startInstance(ctx context.Context, r *Running, s seat, expect serverproc.Expect) error {
	i := &instance{name: serverName(s.number), seat: s}
	dir, err := r.makeDir(i.name, r.variant.User)
	if err != nil {
		return err
	}
	v := r.variant
	values := suite.Values{
		Config: dir.configPath(v), Dir: dir.run, Instance: s.label, CPUs: s.cpus.String(), Workers: s.workers, Helpers: b.urlsFor(r),
	}
	if values.Cert, values.Key, err = b.certificate(dir, v.User, v.Command, v.Env, v.Config.Edits); err != nil {
		return err
	}
	if i.variant, err = v.Expand(values); err != nil {
		return err
	}
	if i.configPath, i.config, err = b.writeConfig(i.variant, dir); err != nil {
		return err
	}
	spec, err := b.spec(i.name, i.variant.Command, i.variant.Env, v.User, dir, s.cpus)
	if err != nil {
		return err
	}
	if v.Nofile > 0 {
		spec.NofileMax = uint64(v.Nofile)
	}
	b.runCopy(&spec, v.Name)
	if len(r.instances) == 0 {
		spec.Ports = b.mustBeFree(v) // it is stopped last
	}
	i.env, i.places = spec.Env, placesOf(v, r.said, values)
	b.addTwinPlace(i.places, v.Name)
	i.logs = newLogs(i.name, dir, i.variant.Log, i.places)
	b.say("starting %s", describe(v.Name, s))
	if i.server, err = serverproc.Start(ctx, spec); err != nil {
		return err
	}
	i.pid, i.exited, i.meter = i.server.PID(), i.server.Exited(), i.server.Meter
	i.expect = instanceExpect(expect, i, b.listening(v))
	i.subject = func() (serverproc.Subject, error) { return r.subjectOf(i) }
	r.instances = append(r.instances, i)
	return nil
}

// serverName names the files of an instance.
func serverName(number int) string {
	if number <= 1 {
		return "server"
	}
	return "server-" + strconv.Itoa(number)
}

// describe names an instance for people.
func describe(variant string, s seat) string {
	text := fmt.Sprintf("variant %s on CPUs %s", variant, s.cpus)
	if s.number > 0 {
		text += fmt.Sprintf(", instance %d", s.number)
	}
	return text
}

// subjectOf is what is looked at of an instance: of several that share the ports, each has
// the others for siblings.
func (r *Running) subjectOf(i *instance) (serverproc.Subject, error) {
	s, err := i.server.Subject(i.expect.Ports)
	for _, other := range r.instances {
		if other == i {
			continue
		}
		if tree, err := other.server.Tree(); err == nil { // one that has ended holds nothing
			s.Siblings = append(s.Siblings, tree...)
		}
	}
	return s, err
}

// awaitReady waits for every instance. Instances share a port, and the kernel chooses which
// of them answers: that each listens there is for the identity to see.
func (b *Bench) awaitReady(ctx context.Context, r *Running) error {
	for _, i := range r.instances {
		ready := readyOf(i.variant.Ready)
		switch {
		case ready.URL != "":
		case len(i.variant.Ports) > 0:
			ready.URL = "tcp://" + portAt(procfs.TCP, i.variant.Ports[0].Number).Addr.String()
		default:
			continue // only a scenario can tell
		}
		if err := i.server.AwaitReady(ctx, ready); err != nil {
			return unready(ctx, err)
		}
	}
	return nil
}

// placesOf are what differs between variants for no other reason than that each has its
// own. A port that the suite fixes is not among them: it is part of the variant.
func placesOf(v suite.Variant, said suite.Variant, at suite.Values) serverproc.Places {
	places := serverproc.Places{at.Config: "{config}", at.Dir: "{dir}", at.Cert: "{cert}", at.Key: "{key}"}
	for i, p := range v.Ports {
		if said.Ports[i].Number == 0 {
			places[strconv.Itoa(p.Number)] = "{port." + p.Name + "}"
		}
	}
	for name, url := range at.Helpers {
		places[url], places[suite.Address(url)] = "{"+name+"}", "{"+name+".address}"
	}
	delete(places, "")
	return places
}

// helperTexts are the helpers as the suite says them, each in one line: its command, and
// what of its environment, user and CPUs is said.
func (r *Running) helperTexts() []string {
	var texts []string
	for _, h := range r.helpers {
		text := h.Name + ": " + fmt.Sprintf("%q", h.said.Command)
		for _, v := range h.said.Env {
			text += fmt.Sprintf(", %s=%q", v.Name, v.Value)
		}
		if h.said.User != "" {
			text += ", user " + h.said.User
		}
		if h.said.CPUs == suite.WithServer {
			text += ", on the server's CPUs"
		}
		texts = append(texts, text)
	}
	return texts
}
