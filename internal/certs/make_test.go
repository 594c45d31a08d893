package certs

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"net"
	"slices"
	"strings"
	"testing"
	"time"
)

// noon has a fraction of a second, which no certificate can hold.
var noon = time.Date(2026, 3, 1, 12, 0, 0, 999, time.FixedZone("", 3600))

func TestMakeVerifies(t *testing.T) {
	long := strings.Repeat("a", 60) + ".test" // longer than a common name may be
	for _, test := range []struct {
		name    string
		request Request
		good    []string
		bad     []string
		subject string
	}{
		{"default", Request{}, []string{"localhost", "127.0.0.1", "::1"}, []string{"127.0.0.2", "example.com"}, "CN=localhost,O=scalbench test"},
		{"named", Request{Names: []string{"*.test", "10.0.0.7", "a_b.test"}}, []string{"a.test", "10.0.0.7", "a_b.test"}, []string{"test", "localhost", "a.b.test"}, "CN=*.test,O=scalbench test"},
		{"long", Request{Names: []string{long}}, []string{long}, []string{"localhost"}, "O=scalbench test"},
	} {
		t.Run(test.name, func(t *testing.T) {
			made, err := Make(test.request, noon)
			if err != nil {
				t.Fatal(err)
			}
			leaf := parse(t, made.Cert)
			if got := leaf.Subject.String(); got != test.subject {
				t.Errorf("subject %q, want %q", got, test.subject)
			}
			roots := x509.NewCertPool()
			if !roots.AppendCertsFromPEM(made.CA) {
				t.Fatal("the CA is not taken")
			}
			for _, name := range append(test.good, test.bad...) {
				host := name
				if net.ParseIP(name) != nil {
					host = "[" + name + "]" // how x509 tells addresses
				}
				_, err := leaf.Verify(x509.VerifyOptions{DNSName: host, Roots: roots, CurrentTime: noon})
				if isGood := slices.Contains(test.good, name); isGood != (err == nil) {
					t.Errorf("for %s: %v, want good %t", name, err, isGood)
				}
			}
			if _, err := tls.X509KeyPair(made.Cert, made.Key); err != nil {
				t.Errorf("certificate and key: %v", err)
			}
		})
	}
}

// Both certificates begin an hour before noon, which is 10:00 UTC here, at a
// whole second; the default is 90 days: March has 31 and April 30 of them, so
// that the end is 90 - 61 = 29 days after 1 May.
func TestMakeValidity(t *testing.T) {
	made, err := Make(Request{}, noon)
	if err != nil {
		t.Fatal(err)
	}
	from, to := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC), time.Date(2026, 5, 30, 10, 0, 0, 0, time.UTC)
	for name, text := range map[string][]byte{"CA": made.CA, "leaf": made.Cert} {
		if cert := parse(t, text); !cert.NotBefore.Equal(from) || !cert.NotAfter.Equal(to) {
			t.Errorf("%s: from %s to %s, want %s to %s", name, cert.NotBefore, cert.NotAfter, from, to)
		}
	}
	if !made.NotAfter.Equal(to) {
		t.Errorf("told end %s, want %s", made.NotAfter, to)
	}
}

// A CA is no leaf and a leaf no CA, and two sets are strangers.
func TestMakeRoles(t *testing.T) {
	one, err := Make(Request{}, noon)
	if err != nil {
		t.Fatal(err)
	}
	other, err := Make(Request{}, noon)
	if err != nil {
		t.Fatal(err)
	}
	ca, leaf := parse(t, one.CA), parse(t, one.Cert)
	if !ca.IsCA || !ca.MaxPathLenZero || ca.KeyUsage != x509.KeyUsageCertSign {
		t.Errorf("CA: is one %t, path length 0 %t, usage %b", ca.IsCA, ca.MaxPathLenZero, ca.KeyUsage)
	}
	if leaf.IsCA || leaf.KeyUsage != x509.KeyUsageDigitalSignature || len(leaf.ExtKeyUsage) != 1 || leaf.ExtKeyUsage[0] != x509.ExtKeyUsageServerAuth {
		t.Errorf("leaf: is a CA %t, usage %b, %v", leaf.IsCA, leaf.KeyUsage, leaf.ExtKeyUsage)
	}
	if leaf.SerialNumber.Cmp(parse(t, other.Cert).SerialNumber) == 0 {
		t.Error("two leaves have the same serial number")
	}
	roots := x509.NewCertPool()
	roots.AddCert(parse(t, other.CA))
	if _, err := leaf.Verify(x509.VerifyOptions{Roots: roots, CurrentTime: noon}); err == nil {
		t.Error("another CA vouches for the leaf")
	}
}

func TestRequestFaults(t *testing.T) {
	for _, test := range []struct {
		name    string
		request Request
		want    string
	}{
		{"zero", Request{}, ""},
		{"longest", Request{Days: 3650, Names: []string{strings.Repeat("a.", 126) + "b"}}, ""}, // 126 x 2 + 1 = 253 bytes
		{"too long", Request{Names: []string{strings.Repeat("a.", 127) + "b"}},
			`name "` + strings.Repeat("a.", 127) + `b": expected a host name such as localhost or an IP address`},
		{"all", Request{Days: 3651, Names: []string{"a b", "localhost", "localhost", "1.2.3", "", "fe80::1%eth0", "https://h", "*.*.x", "_b"}},
			`name "a b": expected a host name such as localhost or an IP address
name "localhost" is there twice
name "1.2.3": expected a host name such as localhost or an IP address
name "": expected a host name such as localhost or an IP address
name "fe80::1%eth0": expected a host name such as localhost or an IP address
name "https://h": expected a host name such as localhost or an IP address
name "*.*.x": expected a host name such as localhost or an IP address
name "_b": expected a host name such as localhost or an IP address
3651 days: expected 1 to 3650`},
		{"negative", Request{Days: -1}, "-1 days: expected 1 to 3650"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := errorText(test.request.Validate()); got != test.want {
				t.Errorf("Validate: %q, want %q", got, test.want)
			}
			made, err := Make(test.request, noon)
			if got := errorText(err); got != test.want || (made == nil) != (test.want != "") {
				t.Errorf("Make: %v, %q, want %q", made, got, test.want)
			}
		})
	}
}

// parse reads the one certificate of a PEM text.
func parse(t *testing.T, text []byte) *x509.Certificate {
	t.Helper()
	block, rest := pem.Decode(text)
	if block == nil || block.Type != "CERTIFICATE" || len(rest) != 0 {
		t.Fatalf("no single certificate: %q", text)
	}
	cert, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	return cert
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
