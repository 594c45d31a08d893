package servers

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/scalws/scalbench/internal/certs"
)

// Certificates are files in PEM: what a client must know, and what a server
// shows.
type Certificates struct {
	CA        string
	Cert, Key string
	Both      string // certificate and key in one file
}

// Certify makes certificates of a CA of their own, valid from an hour before
// now.
func (s *Site) Certify(t testing.TB, request certs.Request, now time.Time) Certificates {
	t.Helper()
	set, err := certs.Make(request, now)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp(s.dir, "certificates-*")
	if err != nil {
		t.Fatal(err)
	}
	c := Certificates{
		CA:   filepath.Join(dir, certs.CAFile),
		Cert: filepath.Join(dir, certs.CertFile),
		Key:  filepath.Join(dir, certs.KeyFile),
		Both: filepath.Join(dir, "both.pem"),
	}
	if err := errors.Join(set.Write(dir), os.WriteFile(c.Both, slices.Concat(set.Cert, set.Key), 0o600)); err != nil {
		t.Fatal(err)
	}
	return c
}

// Settings make a server show these certificates.
func (c Certificates) Settings() map[string]string {
	return map[string]string{"cert": c.Cert, "key": c.Key, "pem": c.Both}
}
