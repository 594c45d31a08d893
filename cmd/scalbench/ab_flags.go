package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/scalws/scalbench/ab"
	"github.com/scalws/scalbench/driver"
	"github.com/scalws/scalbench/internal/units"
	"github.com/scalws/scalbench/loadgen"
)

// abOptions is what the flags of `scalbench ab` say. Those that load has too mean the
// same and are read by the same code: asked holds them.
type abOptions struct {
	asked loadOptions

	base, new       string // commands, or variants of a suite
	ready           string
	params          []string
	max             time.Duration
	margin, maxLoss percentage
	slice           time.Duration
	settle          percentage
	keep            bool
	freeze          bool
	allowDifferent  bool

	format  string
	outFile string
	quiet   bool
}

func (o *abOptions) register(f *pflag.FlagSet) {
	f.SortFlags = false
	a := &o.asked
	a.connections, a.streams, a.window, a.restMax = 64, 1, time.Second, 500*time.Microsecond
	o.margin.frac, o.settle.frac = ab.DefaultMargin, loadgen.SettleShare

	f.DurationVar(&o.max, "max", time.Minute, "end after this, decided or not")
	f.Var(&o.margin, "margin", "a difference smaller than this is none (`1%`)")
	f.Var(&o.maxLoss, "max-loss", "exit code 3 when B loses more than this (`3%`)")
	f.BoolVar(&o.allowDifferent, "allow-different", false, "compare although both answer something else")

	f.StringVar(&o.base, "base", "", "start A by a `command` with {port} in it; or the variant that A is, with --suite")
	f.StringVar(&o.new, "new", "", "likewise B")
	f.StringVar(&o.ready, "ready", "", "ask this `URL`, with {port} in it, until a server is ready (default it accepts)")
	f.StringVar(&a.suite, "suite", "", "the `file` of a suite, or the name of an embedded one, whose variants are compared")
	f.StringVar(&a.scenario, "scenario", "", "the scenario of it")
	f.StringArrayVar(&o.params, "param", nil, "a suite's param, `NAME=VALUE`; repeatable")

	f.VarP(&a.connections, "connections", "c", "connections to each")
	f.VarP(&a.streams, "parallel", "p", "requests at a time on each connection (HTTP/2, HTTP/3)")
	f.BoolVar(&a.noKeepAlive, "disable-keepalive", false, "a connection for each request")
	f.Var(&a.requestsPerConn, "requests-per-conn", "requests on a connection before a new one; 0: keep it")
	f.DurationVar(&a.warmUp, "warmup", time.Second, "load on each before the first slice")
	f.DurationVar(&o.slice, "slice", loadgen.SliceDefault, "how long each is loaded before it is the other's turn")
	f.Var(&o.settle, "settle", "share of a slice, its beginning, that is not counted (`20%`)")
	f.BoolVar(&o.keep, "keep-connections", false, "the same connections from beginning to end (default anew again and again: where their memory lies makes a difference)")
	f.BoolVar(&o.freeze, "freeze-idle", false, "stop the server that is not loaded (SIGSTOP); a kill -9 of scalbench leaves it stopped")

	a.registerRequest(f)
	a.registerBody(f)
	f.StringVar(&a.httpVersion, "http-version", "1.1", "HTTP version: 1.1, 2 or 3")
	f.BoolVar(&a.http2, "http2", false, "HTTP/2: by ALPN on https://, with prior knowledge on http://")
	f.BoolVar(&a.http3, "http3", false, "HTTP/3, over QUIC")
	a.tls.register(f)
	f.DurationVarP(&a.timeout, "timeout", "t", 30*time.Second, "give a request up this long after sending; 0: never")
	f.DurationVar(&a.drain, "drain", time.Second, "how long requests may finish after a slice")
	f.DurationVar(&a.connectTimeout, "connect-timeout", 5*time.Second, "give a connection up after this")
	f.Var(&a.cpus, "cpus", "CPUs of the generator, one worker each (0-3,8)")
	f.StringVar(&a.serverPID, "server-pid", "auto", "whether to find the servers' processes: auto or none")
	f.Uint64Var(&a.seed, "seed", 0, "of the coins that order slices")

	f.StringVar(&o.format, "output-format", "text", "text, json or quiet")
	f.StringVarP(&o.outFile, "output", "o", "", "write the JSON to a `file`, the text still to stdout")
	f.BoolVar(&o.quiet, "quiet", false, "no progress on stderr")
}

// percentage is a flag that takes "1%", "0.5 %" and "0.01".
type percentage struct{ frac float64 }

func (p *percentage) String() string { return units.Percent(p.frac) }
func (p *percentage) Type() string   { return "share" }
func (p *percentage) Set(text string) (err error) {
	p.frac, err = parseShare(text)
	return err
}

// rule is what is to be decided.
func (o *abOptions) rule() ab.Rule {
	return ab.Rule{Margin: o.margin.frac, MaxLoss: o.maxLoss.frac, Alpha: ab.DefaultAlpha, Max: o.max}
}

// check refuses what the flags say with each other, all at once.
func (o *abOptions) check(urls []string, f *pflag.FlagSet) error {
	var faults []error
	need := func(ok bool, format string, args ...any) {
		if !ok {
			faults = append(faults, usagef(format, args...))
		}
	}
	need(o.format == "text" || o.format == "json" || o.format == "quiet", "--output-format %q: want text, json or quiet", o.format)
	need(o.slice > 0, "--slice %v: want a time above 0, such as 50ms", o.slice)
	need(o.max >= time.Second, "--max %v: want a second or more", o.max)
	need(o.asked.serverPID == "auto" || o.asked.serverPID == "none", "--server-pid %s: of two servers, want auto or none", o.asked.serverPID)
	need(!f.Changed("margin") || o.margin.frac > 0, "--margin 0: want a share above 0, such as 0.5%%: no two servers are equal to the last digit")
	need(!f.Changed("max-loss") || o.maxLoss.frac > 0, "--max-loss 0: want a share above 0, such as 3%%: no measurement rules out any loss")
	if err := o.rule().Validate(); err != nil {
		faults = append(faults, usageError{err})
	}
	starts := o.base != "" || o.new != ""
	switch {
	case o.asked.suite != "":
		need(o.asked.scenario != "", "--suite %s: which --scenario of it", o.asked.suite)
		need(o.base != "" && o.new != "", "--suite %s: which variants of it, --base and --new", o.asked.suite)
		need(len(urls) == 0, "ab: %q beside --suite, which says what is asked", urls)
		need(o.ready == "", "--ready: a suite says when its variants are ready")
	case starts:
		need(o.base != "" && o.new != "", "--base and --new: want both commands")
		need(len(urls) <= 1, "ab: %d URLs beside two commands, want one with {port} in it, or none", len(urls))
		need(o.asked.scenario == "", "--scenario %s: want the --suite it is in", o.asked.scenario)
	default:
		need(len(urls) == 2, "ab: %d URLs, want two, or --base and --new", len(urls))
		need(o.ready == "", "--ready: want it beside --base and --new")
		need(o.asked.scenario == "", "--scenario %s: want the --suite it is in", o.asked.scenario)
	}
	need(len(o.params) == 0 || o.asked.suite != "", "--param: want it beside --suite")
	faults = append(faults, o.faultOfParam())
	if o.asked.suite != "" {
		ofScenario := pflag.NewFlagSet("", pflag.ContinueOnError)
		var unread loadOptions
		unread.registerRequest(ofScenario)
		unread.registerBody(ofScenario)
		unread.tls.register(ofScenario)
		for _, name := range []string{"http-version", "http2", "http3", "disable-keepalive", "requests-per-conn"} {
			ofScenario.Bool(name, false, "")
		}
		ofScenario.VisitAll(func(flag *pflag.Flag) {
			need(!f.Changed(flag.Name), "--%s: a suite's scenario says what is asked, and how", flag.Name)
		})
	}
	return errors.Join(faults...)
}

// beside is what is to be started for the comparison; false: nothing, both run.
func (o *abOptions) beside(urls []string) (b driver.Beside, starts bool) {
	switch {
	case o.asked.suite != "":
		b = driver.Beside{Suite: o.asked.suite, Scenario: o.asked.scenario, Base: o.base, New: o.new, Params: map[string]string{}, Generator: o.asked.cpus.set}
		for _, text := range o.params {
			name, value, _ := strings.Cut(text, "=")
			b.Params[name] = value
		}
		return b, true
	case o.base != "":
		b = driver.Beside{Commands: [2]string{o.base, o.new}, Ready: o.ready, URL: o.ready, Generator: o.asked.cpus.set}
		if len(urls) == 1 {
			b.URL = absoluteURL(urls[0])
		}
		if b.URL == "" {
			b.URL = "http://127.0.0.1:{port}/"
		}
		return b, true
	}
	return b, false
}

// faultOfParam is of a --param without a value.
func (o *abOptions) faultOfParam() error {
	for _, text := range o.params {
		if name, _, found := strings.Cut(text, "="); !found || name == "" {
			return usagef("--param %s: want NAME=VALUE", text)
		}
	}
	return nil
}

// sliced puts the slices into a plan.
func (o *abOptions) sliced(plan *loadgen.Plan) {
	plan.Slices = loadgen.Slices{Length: o.slice, Settle: time.Duration(o.settle.frac * float64(o.slice)), Keep: o.keep}
	plan.Slices.Freeze = o.freeze
	plan.Measure, plan.WarmUp = o.max, o.asked.warmUp
}

// different says in what two answers are not the same; "": in nothing that counts.
func different(a, b loadgen.Answer) string {
	switch {
	case a.Status != b.Status:
		return fmt.Sprintf("A answers status %d, B %d", a.Status, b.Status)
	case a.Bytes != b.Bytes:
		return fmt.Sprintf("A answers %s bytes, B %s", units.Group(a.Bytes), units.Group(b.Bytes))
	case a.SHA256 != b.SHA256:
		return fmt.Sprintf("both answer %s bytes, but not the same", units.Group(a.Bytes))
	}
	return ""
}
