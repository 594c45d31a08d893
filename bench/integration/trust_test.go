package integration

import (
	"regexp"
	"testing"
	"time"

	"github.com/scalws/scalbench/bench/integration/servers"
	"github.com/scalws/scalbench/internal/certs"
)

// exitFailed is how the program ends when a load could not be done.
const exitFailed = 1

// smallBody is what is asked for where the body does not matter.
const smallBody = 1 << 10

// A certificate that does not hold ends the run before it begins, with the
// reason, and with the flags by which one may insist.
func TestCertificateIsRefused(t *testing.T) {
	site := newSite(t)
	now := time.Now()
	stranger := site.Certify(t, certs.Request{}, now)
	expired := site.Certify(t, certs.Request{Days: 1}, now.Add(-48*time.Hour)) // ended a day ago
	misnamed := site.Certify(t, certs.Request{Names: []string{"elsewhere.example"}}, now)
	for _, test := range []struct {
		name  string
		shown servers.Certificates
		ca    string // of the client; "": only those of the system
		says  string // by both, the oracle and the program
	}{
		{"no CA", site.Certificates, "", "signed by (an|unknown) authority"},
		{"another CA", site.Certificates, stranger.CA, "signed by (an|unknown) authority"},
		{"expired", expired, expired.CA, "expired"},
		{"another name", misnamed, misnamed.CA, `127\.0\.0\.1`},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := site.Start(t, servers.Nginx, test.shown.Settings())
			for _, p := range []servers.Protocol{servers.H1S, servers.H2} {
				t.Run(string(p), func(t *testing.T) {
					url := server.URL(p, servers.StaticPath(smallBody))
					_, err := servers.Ask(servers.Oracle(t, p, test.ca), "GET", url, nil)
					if err == nil || !regexp.MustCompile(test.says).MatchString(err.Error()) {
						t.Errorf("oracle: %v, want %q", err, test.says)
					}
					arguments := protocolArguments(p, test.ca, 1)
					refused(t, url, arguments, test.says, "certificate", "--insecure", "--cacert")
					allOK(t, load(t, url, append(arguments, "--insecure", "-n", "10", "-c", "1")...), 10)
				})
			}
		})
	}
}

// The name that is sent is the name that the certificate must have.
func TestSNIIsTheNameWanted(t *testing.T) {
	site := newSite(t)
	misnamed := site.Certify(t, certs.Request{Names: []string{"elsewhere.example"}}, time.Now())
	server := site.Start(t, servers.Nginx, misnamed.Settings())
	arguments := append(protocolArguments(servers.H2, misnamed.CA, 1), "--sni", "elsewhere.example", "-n", "10", "-c", "1")
	allOK(t, load(t, server.URL(servers.H2, servers.StaticPath(smallBody)), arguments...), 10)
}

// refused wants a load not to be possible, and to say why.
func refused(t *testing.T, url string, arguments []string, says ...string) {
	t.Helper()
	code, stdout, stderr := tryLoad(t, url, append(arguments, "-n", "10", "-c", "1", "--connect-timeout", "2s")...)
	if code != exitFailed {
		t.Errorf("exit code %d, want %d\n%s\n%s", code, exitFailed, stderr, stdout)
	}
	for _, pattern := range says {
		if !regexp.MustCompile(pattern).MatchString(stderr) {
			t.Errorf("%q is not in\n%s\n%s", pattern, stderr, stdout)
		}
	}
}
