package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestParseListening(t *testing.T) {
	for _, url := range []string{"http://127.0.0.1:8080", "https://127.0.0.1:8443"} {
		var at site
		if strings.HasPrefix(url, "https") {
			at.over = tlsTCP
		}
		if got, err := parseListening("listening "+url+"\n", at.scheme()); err != nil || got != url {
			t.Errorf("parseListening = %q, %v, want %s", got, err, url)
		}
		at.over = tlsTCP - at.over // the other one
		if got, err := parseListening("listening "+url+"\n", at.scheme()); err == nil {
			t.Errorf("parseListening = %q where %s is wanted", got, at.scheme())
		}
	}
	for _, line := range []string{"", "http://127.0.0.1:1", "listening on 80"} {
		if _, err := parseListening(line, "http://"); err == nil {
			t.Errorf("parseListening(%q) succeeded", line)
		}
	}
}

func TestTargetArgs(t *testing.T) {
	for over, want := range map[transport]string{
		clearTCP: "target",
		tlsTCP:   "target|--cert|/s/certificate.pem|--key|/s/key.pem",
		quicUDP:  "target|--cert|/s/certificate.pem|--key|/s/key.pem|--http3",
	} {
		if got := strings.Join(targetArgs(site{scratchDir: "/s", over: over}), "|"); got != want {
			t.Errorf("over %s: %s, want %s", over, got, want)
		}
	}
}

func TestNginxConfig(t *testing.T) {
	scratch, err := newScratch()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(scratch) })
	for over, want := range map[transport]string{
		clearTCP: "listen 127.0.0.1:8080 backlog=4096 ;",
		tlsTCP:   "listen 127.0.0.1:8080 backlog=4096 ssl http2;",
	} {
		path, err := writeNginxFiles(site{scratchDir: scratch, over: over}, 8080)
		if err != nil {
			t.Fatal(err)
		}
		config := readText(path)
		for _, want := range []string{
			want,
			"ssl_certificate " + filepath.Join(scratch, certificateFile) + ";",
			"ssl_certificate_key " + filepath.Join(scratch, keyFile) + ";",
			"access_log " + filepath.Join(scratch, "nginx", probeLog) + " probe if",
		} {
			if !strings.Contains(config, want) {
				t.Errorf("over %s: the configuration lacks %q", over, want)
			}
		}
	}
}

// Every variable that the configuration reads is set, and Caddy writes nowhere but
// into its own folder.
func TestCaddyFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "caddy")
	path, err := writeCaddyFiles(dir)
	if err != nil {
		t.Fatal(err)
	}
	read := regexp.MustCompile(`\{\$([A-Z_]+)\}`).FindAllStringSubmatch(readText(path), -1)
	if len(read) != 4 { // port, certificate, key and www
		t.Errorf("the configuration reads %q", read)
	}
	set := make(map[string]string)
	for _, variable := range caddyEnvironment(site{scratchDir: "/s"}, dir, 8443) {
		name, value, _ := strings.Cut(variable, "=")
		set[name] = value
	}
	for _, match := range read {
		if set[match[1]] == "" {
			t.Errorf("%s is read, and not set", match[1])
		}
	}
	for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"} {
		if !strings.HasPrefix(set[name], dir) {
			t.Errorf("%s=%s, want it in %s", name, set[name], dir)
		}
	}
	for name, want := range map[string]int64{"static-small": 1 << 10, "static-1m": 1 << 20} {
		if info, err := os.Stat(filepath.Join(set["WWW"], name)); err != nil || info.Size() != want {
			t.Errorf("%s: %v, %v, want %d bytes", name, info, err, want)
		}
	}
}

// A file that is no Caddy of the version that is measured is passed by.
func TestLocateCaddy(t *testing.T) {
	cache := t.TempDir()
	other := filepath.Join(t.TempDir(), "caddy")
	for _, path := range []string{other, filepath.Join(binDir(cache), "caddy")} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", filepath.Dir(other))
	if got := locateCaddy(cache); got == other {
		t.Errorf("a program that is no Caddy was found: %s", got)
	}
	want := "GOBIN=CACHE/bin go install github.com/caddyserver/caddy/v2/cmd/caddy@v2.11.9"
	if got := (caddy{}).install(); got != want {
		t.Errorf("install: %s, want %s", got, want)
	}
}

// This test is made of quic-go, of the version in go.mod.
func TestReadModuleBuild(t *testing.T) {
	made, err := readModuleBuild(thisProgram, quicGoModule)
	goMod := readText("../../go.mod")
	if err != nil || !strings.HasPrefix(made.goVersion, "go1.") || !strings.Contains(goMod, quicGoModule+" "+made.version) {
		t.Errorf("made of %+v, %v", made, err)
	}
	if made, err := readModuleBuild(thisProgram, "example.com/absent"); err == nil {
		t.Errorf("made of a module that does not exist: %+v", made)
	}
	if _, err := readModuleBuild("/absent", quicGoModule); err == nil {
		t.Error("a file that is absent was read")
	}
}
