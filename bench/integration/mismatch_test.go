package integration

import (
	"regexp"
	"testing"

	"github.com/scalws/scalbench/bench/integration/servers"
)

// Server and client that have no protocol in common end at once, and each says
// what it has met. The oracle shows that the server is as it is meant to be.
func TestProtocolMismatch(t *testing.T) {
	site := newSite(t)
	all := site.Start(t, servers.Nginx, nil)
	withoutH2 := site.Start(t, servers.Nginx, map[string]string{"tls_http2": ""})
	tls12 := site.Start(t, servers.Nginx, map[string]string{"tls_versions": "TLSv1.2"})
	path := servers.StaticPath(smallBody)
	for _, test := range []struct {
		name      string
		url       string
		protocol  servers.Protocol
		arguments []string
		oracle    string // says; "": is content
		program   string // says
	}{
		{"cleartext to a TLS port", all.PlainURL(servers.H1S, path), servers.H1, nil, "", "400"},
		{"cleartext HTTP/2 to a TLS port", all.PlainURL(servers.H2, path), servers.H2C, nil, ".", "HTTP/1"},
		{"TLS to a cleartext port", all.SecureURL(servers.H1, path), servers.H1S, nil, "HTTP response to HTTPS client", "cleartext|does not speak TLS"},
		{"HTTP/2 over TLS to a cleartext port", all.SecureURL(servers.H1, path), servers.H2, nil, "HTTP response to HTTPS client", "cleartext|does not speak TLS"},
		{"TLS to a port of HTTP/2 in cleartext", all.SecureURL(servers.H2C, path), servers.H2, nil, ".", "TLS"},
		{"HTTP/2 where only HTTP/1.1 is", withoutH2.URL(servers.H2, path), servers.H2, nil, "no application protocol", "does not offer h2.*http/1.1"},
		{"HTTP/2 in cleartext where only HTTP/1.1 is", withoutH2.URL(servers.H1, path), servers.H2C, nil, ".", "HTTP/1"},
		{"TLS 1.3 where only 1.2 is", tls12.URL(servers.H2, path), servers.H2, []string{"--tls-min", "1.3"}, "", "protocol version"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := servers.Ask(site.Oracle(t, test.protocol), "GET", test.url, nil)
			switch {
			case err == nil && test.oracle != "":
				t.Errorf("oracle: no error, want %q", test.oracle)
			case err != nil && (test.oracle == "" || !regexp.MustCompile(test.oracle).MatchString(err.Error())):
				t.Errorf("oracle: %v, want %q", err, test.oracle)
			}
			refused(t, test.url, append(protocolArguments(test.protocol, site.Certificates.CA, 1), test.arguments...), test.program)
		})
	}
}

// The versions of TLS that were asked for are those that are spoken.
func TestTLSVersions(t *testing.T) {
	site := newSite(t)
	both := site.Start(t, servers.Nginx, nil)
	tls12 := site.Start(t, servers.Nginx, map[string]string{"tls_versions": "TLSv1.2"})
	tls13 := site.Start(t, servers.Nginx, map[string]string{"tls_versions": "TLSv1.3"})
	for _, test := range []struct {
		name      string
		server    *servers.Server
		arguments []string
	}{
		{"at most 1.2", both, []string{"--tls-max", "1.2"}},
		{"at least 1.3", both, []string{"--tls-min", "1.3"}},
		{"what there is, 1.2", tls12, nil},
		{"what there is, 1.3", tls13, nil},
	} {
		for _, p := range []servers.Protocol{servers.H1S, servers.H2} {
			t.Run(test.name+"/"+string(p), func(t *testing.T) {
				url := test.server.URL(p, servers.StaticPath(smallBody))
				if _, err := servers.Ask(site.Oracle(t, p), "GET", url, nil); err != nil {
					t.Errorf("oracle: %v", err)
				}
				arguments := append(protocolArguments(p, site.Certificates.CA, 1), test.arguments...)
				allOK(t, load(t, url, append(arguments, "-n", "10", "-c", "1")...), 10)
			})
		}
	}
}
