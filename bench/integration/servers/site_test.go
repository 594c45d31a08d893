package servers

import (
	"net/http"
	"strings"
	"testing"
)

// The digest of nothing and of "abc" are the examples of FIPS 180-4.
func TestDigest(t *testing.T) {
	for body, want := range map[string]string{
		"":    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855 0\n",
		"abc": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad 3\n",
	} {
		if got := Digest([]byte(body)); got != want {
			t.Errorf("%q: %q, want %q", body, got, want)
		}
	}
}

// The Go server says over every protocol what was posted, and remembers it by
// cell.
func TestGoServer(t *testing.T) {
	site := NewSite(t, "../../configs")
	server := site.Start(t, Go, nil)
	for i, p := range Protocols() {
		client := site.Oracle(t, p)
		got, err := Ask(client, "POST", server.URL(p, DigestPath+"?cell=x"), []byte("abc"))
		if err != nil || got.Status != http.StatusOK || got.Major != p.Major() || string(got.Body) != Digest([]byte("abc")) {
			t.Errorf("%s: %+v, %v", p, got, err)
		}
		if n := site.Digests("x")[Digest([]byte("abc"))]; n != i+1 {
			t.Errorf("%s: arrived %d times, want %d", p, n, i+1)
		}
		// Length 1 is a file, 2 is none.
		for path, status := range map[string]int{StaticPath(1): 200, StaticPath(2): 404, DigestPath: 405} {
			if got, err := Ask(client, "GET", server.URL(p, path), nil); err != nil || got.Status != status {
				t.Errorf("%s %s: %d, %v; want %d", p, path, got.Status, err, status)
			}
		}
	}
	if got := site.Digests("y"); len(got) != 0 {
		t.Errorf("%v arrived in a cell that nobody asked for", got)
	}
	log := server.Finish(t)
	// Four protocols, four requests each.
	if len(log) != 16 || log.Count(Line{404, 2, StaticPath(2)}) != 2 || log.Count(Line{405, 1, DigestPath}) != 2 {
		t.Errorf("log: %v", log)
	}
}

// A client that knows another CA gets nothing.
func TestOracleVerifies(t *testing.T) {
	site := NewSite(t, "../../configs")
	if _, err := Ask(Oracle(t, H2, ""), "GET", site.backend.URL(H2, StaticPath(1)), nil); err == nil || !strings.Contains(err.Error(), "unknown authority") {
		t.Errorf("%v", err)
	}
}
