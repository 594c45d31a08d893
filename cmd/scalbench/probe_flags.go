package main

import (
	"errors"
	"net/http"
	"time"

	"github.com/spf13/pflag"

	"github.com/scalws/scalbench/internal/probe"
	"github.com/scalws/scalbench/loadgen"
)

// probeOptions is what the flags of `scalbench probe` say. Those that load has
// too mean the same and are read by the same code: asked holds them, and what
// probe does not register is never set in it.
type probeOptions struct {
	asked     loadOptions
	rate      float64
	keepAlive bool
	http3     bool

	format  string
	outFile string
	quiet   bool
	verbose bool
}

func (o *probeOptions) register(f *pflag.FlagSet) {
	f.SortFlags = false
	a := &o.asked
	f.Float64VarP(&o.rate, "rate", "q", 10, "probes a second, fractions allowed")
	f.VarP(&a.requests, "requests", "n", "this many probes (default until Ctrl-C)")
	f.DurationVarP(&a.duration, "duration", "z", 0, "begin probes for this long (default until Ctrl-C)")
	f.BoolVar(&o.keepAlive, "keepalive", false, "keep a connection between probes (default a new one for each)")
	f.DurationVarP(&a.timeout, "timeout", "t", 30*time.Second, "give a request up this long after sending; 0: never")
	f.DurationVar(&a.connectTimeout, "connect-timeout", 5*time.Second, "give a connection up after this; 0: never")

	a.registerRequest(f)
	f.StringVar(&a.httpVersion, "http-version", "1.1", "HTTP version: 1.1, 2 or 3")
	f.BoolVar(&a.http2, "http2", false, "HTTP/2: by ALPN on https://, with prior knowledge on http://")
	f.BoolVar(&o.http3, "http3", false, "HTTP/3")
	f.BoolVar(&a.ipv4, "ipv4", false, "connect to IPv4 addresses only")
	f.BoolVar(&a.ipv6, "ipv6", false, "connect to IPv6 addresses only")

	f.BoolVar(&a.tls.insecure, "insecure", false, "take any certificate of the server")
	f.StringVar(&a.tls.caFile, "cacert", "", "trust the authorities in a PEM `file`, beside the system's")
	f.StringVar(&a.tls.certFile, "cert", "", "the client's certificate, a PEM `file`")
	f.StringVar(&a.tls.keyFile, "key", "", "its key, a PEM `file`")
	f.StringVar(&a.tls.sni, "sni", "", "server `name` to send and to want in the certificate (default the URL's host)")

	f.StringVar(&o.format, "output-format", "text", "text, json, ndjson (a row for each probe) or quiet")
	f.StringVarP(&o.outFile, "output", "o", "", "write the summary's JSON to a `file`, the rest still to stdout")
	f.BoolVar(&o.quiet, "quiet", false, "no line a second on stderr")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "a line for each probe on stdout instead")
}

// config makes of the flags what is probed. All faults are found.
func (o *probeOptions) config(target string, f *pflag.FlagSet) (probe.Config, error) {
	a := &o.asked
	c := probe.Config{
		URL: absoluteURL(target), Rate: o.rate, KeepAlive: o.keepAlive,
		Count: int64(a.requests), Duration: a.duration, Timeout: a.timeout, ConnectTimeout: a.connectTimeout,
	}
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, usagef(format, args...)) }
	switch {
	case f.Changed("requests") && f.Changed("duration"):
		fault("-n and -z: a number of probes or a duration, not both")
	case f.Changed("requests") && a.requests < 1:
		fault("-n %d: want at least 1 probe", a.requests)
	case f.Changed("duration") && a.duration <= 0:
		fault("-z %s: want more", a.duration)
	}
	switch {
	case a.ipv4 && a.ipv6:
		fault("--ipv4 and --ipv6: they contradict each other")
	case a.ipv4:
		c.Family = 4
	case a.ipv6:
		c.Family = 6
	}
	var request loadgen.Target
	faults = append(faults, a.applyRequest(&request, f)...)
	c.Method, c.Host, c.Body, c.ExpectStatus = request.Method, request.Host, request.Body, request.ExpectStatus
	c.Header = http.Header{}
	for _, field := range request.Header {
		c.Header[field.Name] = append(c.Header[field.Name], field.Value)
	}
	var secure loadgen.TLS
	faults = append(faults, a.tls.apply(&secure, f), wantTLS(c.URL, f))
	c.TLS = probe.TLS{Insecure: secure.Insecure, CAs: secure.CAs, Cert: secure.Cert, Key: secure.Key, SNI: secure.SNI}
	var err error
	if c.Protocol, err = o.protocol(f); err != nil {
		faults = append(faults, err)
	}
	if invalid := c.Validate(); invalid != nil {
		faults = append(faults, usageError{invalid})
	}
	return c, errors.Join(faults...)
}

// protocol is the HTTP version that the flags agree on.
func (o *probeOptions) protocol(f *pflag.FlagSet) (probe.Protocol, error) {
	version := o.asked.httpVersion
	for _, short := range []struct {
		given         bool
		flag, version string
	}{{o.asked.http2, "--http2", "2"}, {o.http3, "--http3", "3"}} {
		if !short.given {
			continue
		}
		if f.Changed("http-version") && version != short.version {
			return 0, usagef("%s and --http-version %s: they contradict each other", short.flag, version)
		}
		version = short.version
	}
	switch {
	case o.asked.http2 && o.http3:
		return 0, usagef("--http2 and --http3: they contradict each other")
	case version == "1.1":
		return probe.HTTP1, nil
	case version == "2":
		return probe.HTTP2, nil
	case version == "3":
		return probe.HTTP3, nil
	}
	return 0, usagef("--http-version %s: want 1.1, 2 or 3", version)
}

// checkFormat refuses formats that we do not write.
func (o *probeOptions) checkFormat() error {
	switch o.format {
	case "text", "json", "ndjson", "quiet":
		return nil
	}
	return usagef("--output-format %q: want text, json, ndjson or quiet", o.format)
}
