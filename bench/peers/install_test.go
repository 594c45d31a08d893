package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestDecide(t *testing.T) {
	tests := []struct {
		name    string
		peer    installable
		found   []string // programs that are there
		root    bool
		cache   string
		recipes []string
		why     string
	}{
		{"there", oha{path: "/c/bin/oha"}, []string{"/c/bin/oha", "cargo"}, true, "/c", nil, "is there: /c/bin/oha"},
		{"with and without h3", oha{path: "oha"}, []string{"cargo"}, false, "/c", []string{
			"cargo install oha --locked --version 1.16.0 --features http3 --root /c",
			"cargo install oha --locked --version 1.16.0 --root /c",
		}, ""},
		{"no cargo", oha{path: "oha"}, []string{"go"}, false, "/c", nil, "cannot be installed: no cargo"},
		{"go", bombardier{path: "bombardier"}, []string{"go"}, false, "/c",
			[]string{"GOBIN=/c/bin go install github.com/codesenberg/bombardier@v1.2.6"}, ""},
		{"no cache", bombardier{path: "bombardier"}, []string{"go"}, false, "", nil,
			"cannot be installed: no cache folder: neither XDG_CACHE_HOME nor HOME is set"},
		{"apt", h2load{path: "h2load"}, []string{"apt-get"}, true, "",
			[]string{"apt-get install --yes --no-install-recommends nghttp2-client"}, ""},
		{"apt without root", wrk{path: "wrk"}, []string{"apt-get"}, false, "/c", nil,
			"cannot be installed: needs root: apt-get install --yes --no-install-recommends wrk"},
		{"no recipe", h1load{path: "h1load"}, []string{"go", "cargo", "apt-get"}, true, "/c", nil,
			"cannot be installed from here: in no registry; build wtarreau/h1load and put it on PATH"},
		{"a server", caddy{path: "/c/bin/caddy"}, []string{"go"}, false, "/c",
			[]string{"GOBIN=/c/bin go install github.com/caddyserver/caddy/v2/cmd/caddy@v2.11.9"}, ""},
		{"in this program", quicGo{path: thisProgram}, []string{thisProgram}, false, "/c", nil, "is there: /proc/self/exe"},
		{"our own", scalbench{path: "./s"}, nil, true, "/c", nil,
			"cannot be installed from here: go build -o ./s ./cmd/scalbench"},
	}
	for _, tt := range tests {
		found := func(program string) string {
			if slices.Contains(tt.found, program) {
				return program
			}
			return ""
		}
		d := decide(tt.peer, surroundings{found: found, root: tt.root, cache: tt.cache})
		var recipes []string
		for _, r := range d.recipes {
			recipes = append(recipes, r.String())
		}
		if d.name != tt.peer.name() || d.why != tt.why || !slices.Equal(recipes, tt.recipes) {
			t.Errorf("%s: %s, %q, %q, want %q, %q", tt.name, d.name, recipes, d.why, tt.recipes, tt.why)
		}
	}
}

// fakeInstalled has recipes that a shell runs.
type fakeInstalled struct {
	fakePeer
	all []recipe
}

func (fakeInstalled) program() string     { return "no-such-program" }
func (f fakeInstalled) recipes() []recipe { return f.all }

func shell(script string) recipe {
	return recipe{tool: "sh", args: []string{"-c", script}, env: []string{"INTO=" + binDir(cachePlaceholder)}}
}

func TestInstallAll(t *testing.T) {
	cache := t.TempDir()
	works, fails := shell(`mkdir -p "$INTO" && : > "$INTO/made"`), shell("exit 3")
	for _, tt := range []struct {
		name, want string
		recipes    []recipe
		fail       bool
	}{
		{"the first works", "fake was installed: INTO=" + cache + "/bin sh -c mkdir", []recipe{works, fails}, false},
		{"the second works", "exit 3: exit status 3)", []recipe{fails, works}, false},
		{"none works", "fake could not be installed", []recipe{fails, fails}, true},
	} {
		if err := os.RemoveAll(binDir(cache)); err != nil {
			t.Fatal(err)
		}
		var stdout, stderr bytes.Buffer
		err := installAll(t.Context(), []installable{fakeInstalled{all: tt.recipes}}, surroundingsHere(cache), &stdout, &stderr)
		_, statErr := os.Stat(filepath.Join(binDir(cache), "made"))
		if (err != nil) != tt.fail || (statErr != nil) != tt.fail || !strings.Contains(stdout.String(), tt.want) {
			t.Errorf("%s: %v, %v, %q, want %q", tt.name, err, statErr, &stdout, tt.want)
		}
		if !strings.Contains(stderr.String(), "+ INTO="+cache) {
			t.Errorf("%s: what runs is not told: %q", tt.name, &stderr)
		}
	}
}

func TestLocate(t *testing.T) {
	cache := t.TempDir()
	program := filepath.Join(binDir(cache), "tool-of-this-test")
	if err := os.MkdirAll(binDir(cache), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := locate(cache, "tool-of-this-test"); got != "tool-of-this-test" {
		t.Errorf("a file that cannot be run was found: %s", got)
	}
	if err := os.Chmod(program, 0o755); err != nil {
		t.Fatal(err)
	}
	if got := locate(cache, "tool-of-this-test"); got != program {
		t.Errorf("in the cache folder: %s, want %s", got, program)
	}
	t.Setenv("PATH", binDir(cache))
	if got := locate("", "tool-of-this-test"); got != program {
		t.Errorf("in PATH: %s, want %s", got, program)
	}
}

func TestBuiltFeatures(t *testing.T) {
	const records = `{"installs": {
		"ohavis 2.0.0 (registry)": {"features": ["other"]},
		"oha 1.16.0 (registry)": {"version_req": "=1.16.0", "bins": ["oha"], "features": ["http3"], "all_features": false}}}`
	for _, tt := range []struct {
		records, crate, want string
	}{
		{records, "oha", "[http3] true"},
		{records, "absent", "[] false"},
		{`{"installs": {"oha 1.16.0 (registry)": {"features": []}}}`, "oha", "[] true"},
		{"not JSON", "oha", "[] false"},
	} {
		features, found := builtFeatures([]byte(tt.records), tt.crate)
		if got := fmt.Sprint(features, found); got != tt.want {
			t.Errorf("builtFeatures(%s) = %s, want %s", tt.crate, got, tt.want)
		}
	}
}
