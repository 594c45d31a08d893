package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/tls"
	"crypto/x509"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestCertificate(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	if err := writeCertificate(dir, now); err != nil {
		t.Fatal(err)
	}
	pair, err := tls.LoadX509KeyPair(filepath.Join(dir, certificateFile), filepath.Join(dir, keyFile))
	if err != nil {
		t.Fatal(err)
	}
	if key, isECDSA := pair.Leaf.PublicKey.(*ecdsa.PublicKey); !isECDSA || key.Curve != elliptic.P256() {
		t.Errorf("key of %T, want ECDSA on P-256", pair.Leaf.PublicKey)
	}
	roots, err := readRoots(filepath.Join(dir, certificateFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		host string
		at   time.Time
		want string // of the error; "" for none
	}{
		{"127.0.0.1", now, ""},
		{"127.0.0.1", now.Add(-30 * time.Minute), ""}, // a clock set back by less than certificateBefore
		{"127.0.0.1", now.Add(89 * 24 * time.Hour), ""},
		{"127.0.0.1", now.Add(91 * 24 * time.Hour), "expired"},
		{"127.0.0.2", now, "127.0.0.2"},
	} {
		_, err := pair.Leaf.Verify(x509.VerifyOptions{DNSName: tt.host, Roots: roots, CurrentTime: tt.at})
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s at %s: %v, want %q", tt.host, tt.at, err, tt.want)
		}
	}
	info, err := os.Stat(filepath.Join(dir, keyFile))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("key file: %v, %v, want to be read by its user alone", info.Mode(), err)
	}
}

func TestReadRootsErrors(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{empty: "no certificate in", empty + "-absent": "no such file"} {
		if _, err := readRoots(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("readRoots(%s): %v, want %q", path, err, want)
		}
	}
}
