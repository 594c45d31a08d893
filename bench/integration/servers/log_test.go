package servers

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestReadLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), accessLog)
	for _, test := range []struct {
		text  string
		want  Log
		fault string
	}{
		{"", nil, ""},
		{"200 HTTP/2.0 /a?b=c\n404 HTTP/1.1 /\n", Log{{200, 2, "/a?b=c"}, {404, 1, "/"}}, ""},
		{"200 HTTP/2 /a\n", Log{{200, 2, "/a"}}, ""}, // h2o
		{"Proxy h1 stopped (cumulated conns: FE: 46).\n200 HTTP/1.1 /\n", Log{{200, 1, "/"}}, ""},
		{"400 - -\n", nil, `line "400 - -\n"`},
		{"200 HTTP/1.1 /\n200 HT", nil, `line "200 HT"`},
	} {
		if err := os.WriteFile(path, []byte(test.text), 0o644); err != nil {
			t.Fatal(err)
		}
		log, err := readLog(path, "Proxy ")
		if !slices.Equal(log, test.want) && err == nil {
			t.Errorf("%q: %v, want %v", test.text, log, test.want)
		}
		if (err != nil) != (test.fault != "") || err != nil && !strings.Contains(err.Error(), test.fault) {
			t.Errorf("%q: %v, want %q", test.text, err, test.fault)
		}
	}
}

func TestLogCount(t *testing.T) {
	log := Log{{200, 2, "/a"}, {200, 1, "/a"}, {200, 2, "/a"}, {200, 2, "/b"}}
	if n := log.Count(Line{200, 2, "/a"}); n != 2 {
		t.Errorf("%d lines, want 2", n)
	}
	if n := len(log.OfURI("/a")); n != 3 {
		t.Errorf("%d lines, want 3", n)
	}
}
