package suite

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The suites that come with the program, with everything that they are made of.
func TestLoadBenchSuites(t *testing.T) {
	files, err := filepath.Glob("../../bench/suites/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("suites %q, %v", files, err)
	}
	for _, file := range files {
		s, err := Parser{}.Load(file)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, v := range s.Variants {
			for i := range v.Ports {
				v.Ports[i].Number = 8080 + i
			}
			at := Values{Config: "c", Dir: "d", Instance: "1", CPUs: "0", Workers: 1, Cert: "c.pem", Key: "k.pem", Helpers: map[string]string{}}
			for _, h := range s.Named {
				at.Helpers[h.Name] = "http://127.0.0.1:1"
			}
			started, err := v.Expand(at)
			if err != nil {
				t.Errorf("%s: %v", file, err)
			}
			for _, sc := range s.Scenarios {
				if _, err := started.URL(sc); err != nil {
					t.Errorf("%s: %v", file, err)
				}
			}
		}
	}
}

// Of nginx-cache only the lines differ that its comparison is about.
func TestNginxCacheDiffers(t *testing.T) {
	s, err := Parser{}.Load("../../bench/suites/nginx-cache.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var lines [2][]string
	for i, v := range s.Variants {
		v.Ports[0].Number = 8080
		started, err := v.Expand(Values{Config: "c", Dir: "d", Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		source, _ := s.Source(v.Config.From)
		text, err := started.Config.Effective(source)
		if err != nil {
			t.Fatal(err)
		}
		lines[i] = strings.Split(string(text), "\n")
		for _, want := range []string{"worker_processes 2;", "error_log stderr;", "        listen 127.0.0.1:8080 backlog=1024;"} {
			if !strings.Contains(string(text), want+"\n") {
				t.Errorf("%s: no line %q", v.Name, want)
			}
		}
	}
	var differ []string
	for i := range lines[0] {
		if lines[0][i] != lines[1][i] {
			differ = append(differ, lines[0][i], lines[1][i])
		}
	}
	want := []string{"    access_log off;", "    access_log off; open_file_cache max=16;"}
	if diff := cmp.Diff(want, differ); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
