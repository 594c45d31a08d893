package main

import (
	"crypto/tls"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/scalws/scalbench/internal/certs"
)

// runCert runs the command as the program does and returns what it said.
func runCert(args ...string) (code int, stdout, stderr string) {
	var out, errs output
	cmd := newCert(streams{out: &out, err: &errs})
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetFlagErrorFunc(flagError)
	cmd.SetArgs(args)
	err := cmd.Execute()
	if err != nil {
		printError(&errs, err)
	}
	return exitCode(err, nil), out.String(), errs.String()
}

func TestCert(t *testing.T) {
	for _, test := range []struct {
		name    string
		args    []string
		days    int
		names   string // in the second line
		address string // in the last two
	}{
		{"default", nil, 90, "localhost, 127.0.0.1, ::1", "127.0.0.1:8443"},
		{"named", []string{"--name", "*.test", "--name", "10.0.0.7", "--days", "7"}, 7, "*.test, 10.0.0.7", "www.test:8443"},
		{"v6", []string{"--name", "::1"}, 90, "::1", "[::1]:8443"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "new", "certs")
			before := time.Now()
			code, stdout, stderr := runCert(append([]string{dir}, test.args...)...)
			ca, cert, key := filepath.Join(dir, "ca.pem"), filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
			// From an hour ago, so that the day is that of an hour before the end.
			end := before.UTC().Add(time.Duration(test.days)*24*time.Hour - time.Hour).Format(time.DateOnly)
			want := fmt.Sprintf("%s: the CA, for clients\n%s: for %s, until %s\n%s: its key\n"+
				"scalbench target --listen %s --cert %s --key %s\nscalbench load https://%s/respond --cacert %s\n",
				ca, cert, test.names, end, key, test.address, cert, key, test.address, ca)
			if code != 0 || stdout != want || stderr != "" {
				t.Errorf("exit code %d, stderr %q, stdout\n%swant\n%s", code, stderr, stdout, want)
			}
			if _, err := tls.LoadX509KeyPair(cert, key); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestCertRefusals(t *testing.T) {
	dir := t.TempDir()
	mine := filepath.Join(dir, "cert.pem")
	if err := os.WriteFile(mine, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"in the way", []string{dir}, 2, "scalbench: " + mine + ": file already exists\n"},
		{"not a directory", []string{filepath.Join(mine, "x")}, 1, "scalbench: mkdir " + mine + ": not a directory\n"},
		{"no directory", nil, 2, "scalbench: cert: one directory, got 0: []\n"},
		{"two directories", []string{"a", "b"}, 2, `scalbench: cert: one directory, got 2: ["a" "b"]` + "\n"},
		{"no days", []string{dir, "--days", "0"}, 2, "scalbench: --days 0: want at least 1\n"},
		{"all faults", []string{dir, "--days", "-1", "--name", "a b", "--name", ""}, 2, `scalbench: name "a b": expected a host name such as localhost or an IP address
scalbench: name "": expected a host name such as localhost or an IP address
scalbench: -1 days: expected 1 to 3650
`},
		{"words for days", []string{dir, "--days", "ten"}, 2, "scalbench: --days ten: want a whole number\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			code, stdout, stderr := runCert(test.args...)
			if code != test.code || stdout != "" || stderr != test.want {
				t.Errorf("exit code %d, stdout %q, stderr %q; want %d, nothing, %q", code, stdout, stderr, test.code, test.want)
			}
		})
	}
	if text, _ := os.ReadFile(mine); string(text) != "mine" {
		t.Errorf("cert.pem holds %q", text)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("left: %v", entries)
	}
}

func TestWarnOfExpiry(t *testing.T) {
	made := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	set, err := certs.Make(certs.Request{Days: 40}, made)
	if err != nil {
		t.Fatal(err)
	}
	chain := filepath.Join(t.TempDir(), "chain.pem")
	if err := os.WriteFile(chain, append(set.Cert, set.CA...), 0o644); err != nil {
		t.Fatal(err)
	}
	const day = 24 * time.Hour
	for _, test := range []struct {
		name, want string
		now        time.Time
	}{
		{"fresh", "", made},
		// 1 March and 40 days are 10 April; an hour earlier is the same day.
		{"soon", "expires on 2026-04-10, within 30 days", made.Add(11 * day)},
		{"over", "has expired on 2026-04-10", made.Add(41 * day)},
		{"not yet", "is not valid before 2026-03-01", made.Add(-2 * time.Hour)},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out strings.Builder
			if err := warnOfExpiry(&out, chain, test.now); err != nil {
				t.Fatal(err)
			}
			want := ""
			if test.want != "" {
				want = "scalbench: warning: certificate " + chain + " (CN=localhost,O=scalbench test) " + test.want + "\n" +
					"scalbench: warning: certificate " + chain + " (CN=scalbench test CA) " + test.want + "\n"
			}
			if got := out.String(); got != want {
				t.Errorf("said %q, want %q", got, want)
			}
		})
	}
	if err := warnOfExpiry(&strings.Builder{}, chain+"x", made); !os.IsNotExist(err) {
		t.Errorf("a missing file: %v", err)
	}
}
