package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/scalws/scalbench/loadgen"
)

// tlsOptions is what the flags about https:// say.
type tlsOptions struct {
	insecure     bool
	caFile       string
	certFile     string
	keyFile      string
	lowest, most string
	alpn         string
	sni          string
	resume       bool
	zeroRTT      bool
}

func (o *tlsOptions) register(f *pflag.FlagSet) {
	f.BoolVar(&o.insecure, "insecure", false, "take any certificate of the server")
	f.StringVar(&o.caFile, "cacert", "", "trust the authorities in a PEM `file`, beside the system's")
	f.StringVar(&o.certFile, "cert", "", "the client's certificate, a PEM `file`")
	f.StringVar(&o.keyFile, "key", "", "its key, a PEM `file`")
	f.StringVar(&o.lowest, "tls-min", "", "lowest TLS `version`, 1.2 or 1.3 (default 1.2)")
	f.StringVar(&o.most, "tls-max", "", "highest TLS `version` (default 1.3)")
	f.StringVar(&o.alpn, "alpn", "", "protocols to offer, a comma-separated `list` (default the one that is spoken)")
	f.StringVar(&o.sni, "sni", "", "server `name` to send and to want in the certificate (default the URL's host)")
	f.BoolVar(&o.resume, "tls-resume", false, "resume the sessions of earlier connections")
	f.BoolVar(&o.zeroRTT, "zero-rtt", false, "and send requests with the handshake (HTTP/3)")
}

// apply writes those that were given into a plan's TLS.
func (o *tlsOptions) apply(t *loadgen.TLS, f *pflag.FlagSet) error {
	t.Min, t.Max, t.Resume, t.ZeroRTT = o.lowest, o.most, o.resume, o.zeroRTT
	if f.Changed("insecure") { // else a scenario may have said so
		t.Insecure = o.insecure
	}
	if f.Changed("sni") {
		t.SNI = o.sni
	}
	if o.alpn != "" {
		for p := range strings.SplitSeq(o.alpn, ",") {
			t.ALPN = append(t.ALPN, strings.TrimSpace(p))
		}
	}
	var faults []error
	if (o.certFile == "") != (o.keyFile == "") {
		faults = append(faults, usagef("--cert and --key: a client's certificate needs both"))
	}
	for _, f := range []struct {
		flag, name string
		into       *[]byte
	}{{"--cacert", o.caFile, &t.CAs}, {"--cert", o.certFile, &t.Cert}, {"--key", o.keyFile, &t.Key}} {
		if f.name == "" {
			continue
		}
		pem, err := os.ReadFile(f.name)
		if err != nil {
			faults = append(faults, fmt.Errorf("%s %s: %w", f.flag, f.name, cause(err)))
		}
		*f.into = pem
	}
	if len(faults) > 0 { // a pair that is not whole has no faults of its own
		t.Cert, t.Key = nil, nil
	}
	return errors.Join(faults...)
}

// wantTLS refuses flags about TLS beside a URL that has none. --insecure asks for
// nothing there, and scripts give it always.
func wantTLS(url string, f *pflag.FlagSet) error {
	if !strings.HasPrefix(url, "http://") {
		return nil
	}
	var faults []error
	for _, name := range []string{"cacert", "cert", "key", "tls-min", "tls-max", "alpn", "sni", "tls-resume", "zero-rtt"} {
		if f.Changed(name) {
			faults = append(faults, usagef("--%s: %s is not TLS, want https://", name, url))
		}
	}
	return errors.Join(faults...)
}

// applyProtocol writes the HTTP version into the plan.
func (o *loadOptions) applyProtocol(plan *loadgen.Plan, f *pflag.FlagSet) error {
	version := o.httpVersion
	if o.http2 && o.http3 {
		return usagef("--http2 and --http3: they contradict each other")
	}
	for _, short := range []struct {
		given   bool
		version string
	}{{o.http2, "2"}, {o.http3, "3"}} {
		if !short.given {
			continue
		}
		if f.Changed("http-version") && version != short.version {
			return usagef("--http%s and --http-version %s: they contradict each other", short.version, version)
		}
		version = short.version
	}
	switch version {
	case "1.1":
		if f.Changed("http-version") {
			plan.Protocol = loadgen.HTTP1
		}
	case "2":
		plan.Protocol = loadgen.HTTP2
	case "3":
		plan.Protocol = loadgen.HTTP3
	default:
		return usagef("--http-version %s: want 1.1, 2 or 3", version)
	}
	if f.Changed("parallel") {
		plan.Streams = int(o.streams)
	}
	return nil
}
