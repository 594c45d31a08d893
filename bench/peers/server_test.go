package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestParseListening(t *testing.T) {
	for _, url := range []string{"http://127.0.0.1:8080", "https://127.0.0.1:8443"} {
		at := site{secure: strings.HasPrefix(url, "https")}
		if got, err := parseListening("listening "+url+"\n", at.scheme()); err != nil || got != url {
			t.Errorf("parseListening = %q, %v, want %s", got, err, url)
		}
		at.secure = !at.secure
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
	for secure, want := range map[bool]string{
		false: "target",
		true:  "target|--cert|/s/certificate.pem|--key|/s/key.pem",
	} {
		if got := strings.Join(targetArgs(site{scratchDir: "/s", secure: secure}), "|"); got != want {
			t.Errorf("secure %v: %s, want %s", secure, got, want)
		}
	}
}

func TestNginxConfig(t *testing.T) {
	scratch, err := newScratch()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(scratch) })
	for secure, want := range map[bool]string{
		false: "listen 127.0.0.1:8080 backlog=4096 ;",
		true:  "listen 127.0.0.1:8080 backlog=4096 ssl http2;",
	} {
		path, err := writeNginxFiles(site{scratchDir: scratch, secure: secure}, 8080)
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
				t.Errorf("secure %v: the configuration lacks %q", secure, want)
			}
		}
	}
}
