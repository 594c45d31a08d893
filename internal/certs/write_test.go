package certs

import (
	"bytes"
	"crypto/tls"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestWrite(t *testing.T) {
	made, err := Make(Request{}, noon)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := made.Write(dir); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]byte{"ca.pem": made.CA, "cert.pem": made.Cert, "key.pem": made.Key} {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	info, err := os.Stat(filepath.Join(dir, "key.pem"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("key: mode %v, %v, want 0600", info.Mode(), err)
	}
	if _, err := tls.LoadX509KeyPair(filepath.Join(dir, CertFile), filepath.Join(dir, KeyFile)); err != nil {
		t.Error(err)
	}
}

// What is in the way is named, all of it, and stays; nothing is written.
func TestWriteOverwritesNothing(t *testing.T) {
	made, err := Make(Request{}, noon)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	ca, key := filepath.Join(dir, "ca.pem"), filepath.Join(dir, "key.pem")
	if err := os.WriteFile(ca, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("nowhere", key); err != nil {
		t.Fatal(err)
	}
	err = made.Write(dir)
	if want := ca + ": file already exists\n" + key + ": file already exists"; errorText(err) != want || !errors.Is(err, fs.ErrExist) {
		t.Errorf("Write: %v, want %s", err, want)
	}
	if text, _ := os.ReadFile(ca); string(text) != "mine" {
		t.Errorf("ca.pem holds %q", text)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 2 {
		t.Errorf("left: %v", entries)
	}
}

func TestWriteNowhere(t *testing.T) {
	made, err := Make(Request{}, noon)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "missing")
	if err := made.Write(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Write: %v, want that the directory is missing", err)
	}
}
