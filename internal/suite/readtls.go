package suite

import (
	"net/netip"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

var tlsKeys = keyTable{
	what:  "tls",
	known: []string{"verify", "ca", "sni"},
	hints: map[string]string{
		"insecure": "it is verify: false here",
		"cert":     "certificates of clients are not supported yet",
		"key":      "certificates of clients are not supported yet",
	},
}

// http reads a protocol version.
func (r *reader) http(f field) HTTP {
	return choice(r, f, option[HTTP]{word: "1.1", value: HTTP1}, option[HTTP]{word: "2", value: HTTP2}, option[HTTP]{word: "3", value: HTTP3})
}

// tls reads how connections are protected; that the key is there says that they
// are.
func (r *reader) tls(f field, sc *placed) {
	t := &sc.TLS
	t.On, sc.tlsAt = true, f.name
	for _, f := range r.fields(f.val, tlsKeys) {
		switch f.key {
		case "verify":
			t.Insecure = !r.boolean(f)
		case "ca":
			t.CA, sc.caAt = r.path(f), f.val
		case "sni":
			t.SNI = r.sni(f)
		}
	}
}

// path reads the path of a file, which is relative to that of the suite.
func (r *reader) path(f field) string {
	text, ok := r.text(f, "the path of a file")
	switch {
	case !ok: // told already
	case text == "" || strings.ContainsRune(text, 0):
		r.fault(f.val, "%s: %q, expected the path of a file", f.key, text)
	case filepath.IsAbs(text):
		return text
	default:
		return filepath.Join(filepath.Dir(r.file), text)
	}
	return ""
}

// A server name is a host name without the dot at its end, and no address (RFC
// 6066, 3).
var validServerName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,63}(\.[a-zA-Z0-9_-]{1,63})*$`)

func (r *reader) sni(f field) string {
	text, ok := r.text(f, "a host name")
	_, notAddress := netip.ParseAddr(text)
	if ok && (!validServerName.MatchString(text) || len(text) > 253 || notAddress == nil) {
		r.fault(f.val, "sni: %q, expected a host name such as www.example.com, no address", text)
		return ""
	}
	return text
}

// maxStreams is what servers let a client have, at most; many 100 to 250.
const maxStreams = 1000

// upstreamName is the helper that the suite's target asks.
const upstreamName = "upstream"

// checkProtocol tells what contradicts itself in url, http, tls, streams and
// helpers, and completes what an https URL says about tls.
func (r *reader) checkProtocol(sc *placed) {
	ofTarget := sc.UsesTarget() && sc.TLS.On
	asksUpstream := slices.ContainsFunc(sc.Helpers, func(h Helper) bool { return h.Name == upstreamName })
	said, _ := scalarText(sc.httpAt) // a version that is not known was told already
	isHTTP1 := sc.httpAt == nil || said == HTTP1.String()

	scheme := schemeOf(sc.URL)
	switch {
	case scheme == "http" && sc.TLS.On:
		r.fault(sc.tlsAt, "tls: the url %s is cleartext, expected https://", sc.URL)
	case scheme == "https":
		sc.TLS.On = true
	case ofTarget && sc.TLS.CA != "":
		r.fault(sc.caAt, "ca: the certificate of the suite's target is made for the run, expected no ca")
	}
	if ofTarget && asksUpstream {
		r.fault(sc.tlsAt, "tls: the suite's target asks an upstream in cleartext only, expected no helper %q", upstreamName)
	}
	if sc.TLS.Insecure && sc.TLS.CA != "" {
		r.fault(sc.caAt, "ca: with verify: false nothing is verified, expected one of them")
	}
	if sc.HTTP != HTTP1 && sc.UsesTarget() && !sc.TLS.On {
		r.fault(sc.httpAt, "http: %s of the suite's target is there over TLS only, expected the key tls: {} beside it", sc.HTTP)
	}
	switch {
	case sc.HTTP == HTTP3 && scheme == "http":
		r.fault(sc.httpAt, "http: 3 is never in cleartext, as the url %s is, expected https://", sc.URL)
	case sc.HTTP == HTTP3 && sc.OfVariants && !sc.TLS.On:
		r.fault(sc.httpAt, "http: 3 is never in cleartext, expected the key tls: {} beside it")
	}
	if isHTTP1 && sc.Streams > 1 {
		r.fault(sc.streamsAt, "streams: %d, but HTTP/1.1 carries one request at a time on a connection, expected http: 2 or 3 beside it", sc.Streams)
	}
}

// schemeOf returns the scheme of a URL in lower case (RFC 3986, 3.1), "" for a
// path.
func schemeOf(url string) string {
	scheme, _, found := strings.Cut(url, "://")
	if !found || strings.HasPrefix(url, "/") {
		return ""
	}
	return strings.ToLower(scheme)
}
