package certs

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"net"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

func TestConcern(t *testing.T) {
	const day = 24 * time.Hour
	v := Validity{
		NotBefore: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
		NotAfter:  time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC),
	}
	for _, test := range []struct {
		name string
		now  time.Time
		want string
	}{
		{"before", v.NotBefore.Add(-1), "is not valid before 2026-01-01"},
		{"first instant", v.NotBefore, ""},
		{"31 days left", v.NotAfter.Add(-31 * day), ""},
		{"30 days and 1 ns left", v.NotAfter.Add(-30*day - 1), ""},
		{"30 days left", v.NotAfter.Add(-30 * day), "expires on 2026-04-01, within 30 days"},
		{"last instant", v.NotAfter, "expires on 2026-04-01, within 30 days"},
		{"after", v.NotAfter.Add(1), "has expired on 2026-04-01"},
		{"elsewhere", v.NotAfter.Add(1).In(time.FixedZone("", -12*3600)), "has expired on 2026-04-01"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := v.Concern(test.now); got != test.want {
				t.Errorf("Concern: %q, want %q", got, test.want)
			}
		})
	}
}

func TestReadValidity(t *testing.T) {
	made, err := Make(Request{Names: []string{"a.test"}, Days: 1}, noon)
	if err != nil {
		t.Fatal(err)
	}
	from := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC) // an hour before noon
	leaf := Validity{"CN=a.test,O=scalbench test", from, from.Add(24 * time.Hour)}
	ca := Validity{"CN=scalbench test CA", from, from.Add(24 * time.Hour)}
	anonymous := Validity{"b.test 10.0.0.7", from, from.Add(time.Hour)}
	for _, test := range []struct {
		name string
		text []byte
		want []Validity
	}{
		{"one", made.Cert, []Validity{leaf}},
		{"chain", slices.Concat(made.Cert, made.CA), []Validity{leaf, ca}},
		{"key first", slices.Concat(made.Key, []byte("a comment\n"), made.Cert), []Validity{leaf}},
		{"no subject", withoutSubject(t, from), []Validity{anonymous}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := ReadValidity(write(t, test.text))
			if err != nil || !slices.Equal(got, test.want) {
				t.Errorf("read %v, %v, want %v", got, err, test.want)
			}
		})
	}
}

func TestReadValidityFaults(t *testing.T) {
	made, err := Make(Request{}, noon)
	if err != nil {
		t.Fatal(err)
	}
	key := write(t, made.Key)
	if _, err := ReadValidity(key); errorText(err) != key+": no certificate in PEM" {
		t.Errorf("a key alone: %v", err)
	}
	broken := write(t, append(slices.Clone(made.Cert), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: []byte("x")})...))
	if _, err := ReadValidity(broken); errorText(err) != "certificate 2 of "+broken+": x509: malformed certificate" {
		t.Errorf("a broken second one: %v", err)
	}
	if _, err := ReadValidity(broken + "x"); !os.IsNotExist(err) {
		t.Errorf("a missing file: %v", err)
	}
}

// withoutSubject makes a certificate that only its alternative names tell apart.
func withoutSubject(t *testing.T, from time.Time) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{NotBefore: from, NotAfter: from.Add(time.Hour), DNSNames: []string{"b.test"}, IPAddresses: []net.IP{net.IPv4(10, 0, 0, 7)}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

func write(t *testing.T, text []byte) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "f.pem")
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}
