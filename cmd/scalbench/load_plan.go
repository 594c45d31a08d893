package main

import (
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"net/url"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/scalws/scalbench/loadgen"
)

// planFromURL makes the plan that the flags describe for a URL.
func (o *loadOptions) planFromURL(target string, f *pflag.FlagSet) (loadgen.Plan, error) {
	plan := loadgen.DefaultPlan(absoluteURL(target))
	err := o.apply(&plan, f)
	if target != placeholderURL {
		err = errors.Join(err, wantTLS(plan.Targets[0].URL, f))
	}
	return plan, err
}

// absoluteURL completes "localhost:8080/x" to a URL; what cannot be completed
// stays as it is, for Validate to name.
func absoluteURL(target string) string {
	if strings.Contains(target, "://") || strings.HasPrefix(target, "http:") || strings.HasPrefix(target, "https:") {
		return target
	}
	if u, err := url.Parse("http://" + target); err == nil && u.Hostname() != "" {
		return u.String()
	}
	return target
}

// apply writes every flag that was given into the plan. All faults are found.
func (o *loadOptions) apply(plan *loadgen.Plan, f *pflag.FlagSet) error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, usagef(format, args...)) }

	if f.Changed("connections") {
		plan.Connections = int(min(o.connections, math.MaxInt))
	}
	if f.Changed("duration") {
		plan.Measure = o.duration
	}
	if f.Changed("warmup") {
		plan.WarmUp = o.warmUp
	}
	plan.Drain, plan.Timeout, plan.ConnectTimeout, plan.Window = o.drain, o.timeout, o.connectTimeout, o.window
	plan.RestMax, plan.QUICStats = o.restMax, o.quicStats
	if o.waitOngoing {
		plan.Drain = o.timeout
		if o.timeout == 0 {
			fault("-w and -t 0: this may wait for ever, want a --timeout, or a --drain instead of -w")
		}
		if f.Changed("drain") {
			fault("-w and --drain: both say how long requests may finish, want one of them")
		}
	}
	if f.Changed("requests") {
		plan.Requests = int64(o.requests)
		if o.requests < 1 {
			fault("-n %d: want at least 1 request", o.requests)
		}
		if f.Changed("duration") {
			fault("-n and -z: a number of requests or a duration, not both")
		}
	}
	if o.noKeepAlive {
		plan.RequestsPerConn = 1
	}
	if f.Changed("requests-per-conn") {
		plan.RequestsPerConn = int(min(o.requestsPerConn, math.MaxInt))
		if o.noKeepAlive && o.requestsPerConn != 1 {
			fault("--disable-keepalive and --requests-per-conn %d: they contradict each other", o.requestsPerConn)
		}
	}
	faults = append(faults, o.applyProtocol(plan, f), o.tls.apply(&plan.TLS, f))
	switch {
	case o.ipv4 && o.ipv6:
		fault("--ipv4 and --ipv6: they contradict each other")
	case o.ipv4:
		plan.Family = 4
	case o.ipv6:
		plan.Family = 6
	}
	if f.Changed("source-ip") {
		sources, err := loadgen.ParseSources(o.sourceIPs)
		if err != nil {
			faults = append(faults, usagef("--source-ip: %w", err))
		}
		plan.SourceIPs = sources
	}
	pid, err := parseServerPID(o.serverPID)
	if err != nil {
		faults = append(faults, err)
	}
	plan.ServerPID, plan.CPUs, plan.Seed = pid, o.cpus.set, o.seed
	faults = append(faults, o.offer.apply(plan, f)...)
	faults = append(faults, o.applyRequest(&plan.Targets[0], f)...)
	return errors.Join(faults...)
}

// applyRequest writes the flags about the request itself into the target.
func (o *loadOptions) applyRequest(t *loadgen.Target, f *pflag.FlagSet) []error {
	var faults []error
	if f.Changed("method") {
		t.Method = o.method
	}
	if f.Changed("host") {
		t.Host = o.host
	}
	if f.Changed("expect-status") {
		t.ExpectStatus = o.expectStatus
	}
	if f.Changed("expect-bytes") {
		t.ExpectBytes = o.expectBytes
	}
	if f.Changed("expect-sha256") {
		t.ExpectSHA256 = o.expectSHA256
	}
	for _, text := range o.header {
		name, value, ok := strings.Cut(text, ":")
		if !ok || strings.TrimSpace(name) == "" {
			faults = append(faults, usagef("-H %q: want \"name: value\"", text))
			continue
		}
		t.Header = append(t.Header, loadgen.Field{Name: name, Value: strings.TrimSpace(value)})
	}
	for _, h := range []struct{ flag, name, value string }{
		{"content-type", "Content-Type", o.contentType}, {"accept", "Accept", o.accept}, {"basic-auth", "Authorization", basicAuth(o.auth)},
	} {
		if f.Changed(h.flag) {
			t.Header = append(t.Header, loadgen.Field{Name: h.name, Value: h.value})
		}
	}
	if f.Changed("basic-auth") && !strings.Contains(o.auth, ":") {
		faults = append(faults, usagef("-a: want user:password")) // not echoed: it may be a password
	}
	switch {
	case f.Changed("body") && f.Changed("body-file"):
		faults = append(faults, usagef("-d and -D: one body, not two"))
	case f.Changed("body"):
		t.Body = []byte(o.body)
	case f.Changed("body-file"):
		body, err := os.ReadFile(o.bodyFile)
		if err != nil {
			faults = append(faults, fmt.Errorf("-D %s: %w", o.bodyFile, cause(err)))
		}
		t.Body = body
	}
	return faults
}

func basicAuth(userAndPassword string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(userAndPassword))
}

func parseServerPID(text string) (int, error) {
	switch text {
	case "auto":
		return loadgen.ServerAuto, nil
	case "none":
		return loadgen.ServerNone, nil
	}
	pid, err := strconv.Atoi(text)
	if err != nil || pid < 1 {
		return 0, usagef("--server-pid %q: want auto, none or the number of a process", text)
	}
	return pid, nil
}
