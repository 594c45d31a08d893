package servers

import (
	"crypto/sha256"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/scalws/scalbench/internal/certs"
)

// Site is what every server serves, and what it takes to ask for it.
type Site struct {
	Certificates Certificates // of every server that was not told otherwise

	dir     string // all that the servers read and write; others may look into it
	configs string
	backend *Server

	posted struct {
		sync.Mutex
		digests map[string]map[string]int // by the query's cell, by digest
	}
}

// BodyBytes are the lengths of bodies.
func BodyBytes() []int { return []int{0, 1, 1 << 10, 100 << 10, 10 << 20} }

// NewSite makes a site and ends it with the test. configs is the path of
// bench/configs.
func NewSite(t testing.TB, configs string) *Site {
	t.Helper()
	// Not t.TempDir: nobody but its owner may enter that, and servers that were
	// started as root serve as somebody else.
	dir, err := os.MkdirTemp("", "scalbench-site-*")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	s := &Site{dir: dir, configs: configs}
	s.posted.digests = map[string]map[string]int{}
	if err := s.writeBodies(); err != nil {
		t.Fatal(err)
	}
	s.Certificates = s.Certify(t, certs.Request{}, time.Now())
	s.backend = s.Start(t, Go, nil)
	return s
}

// writeBodies writes a file for each length. Each is a part of the longest.
func (s *Site) writeBodies() error {
	if err := os.MkdirAll(filepath.Join(s.www(), "static"), 0o755); err != nil {
		return err
	}
	lengths := BodyBytes()
	longest := body(lengths[len(lengths)-1])
	for _, n := range lengths {
		if err := os.WriteFile(s.File(n), longest[:n], 0o644); err != nil {
			return err
		}
	}
	return os.Chmod(s.dir, 0o755)
}

// body is n bytes that do not repeat, so that a piece in the wrong place is
// another body, and that are the same every time.
func body(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte([]byte("bodies that are served and sent."))).Read(b) // never fails
	return b
}

func (s *Site) www() string { return filepath.Join(s.dir, "www") }

// File is the path of the file with a body of n bytes.
func (s *Site) File(n int) string {
	return filepath.Join(s.www(), "static", strconv.Itoa(n))
}

// StaticPath is where a server has that file.
func StaticPath(n int) string { return "/static/" + strconv.Itoa(n) }

// DigestPath takes bodies and answers each with its digest.
const DigestPath = "/digest"

// Digest is a body's SHA-256 and length, as text.
func Digest(body []byte) string {
	return fmt.Sprintf("%x %d\n", sha256.Sum256(body), len(body))
}

// Digests says how often each body was posted to DigestPath?cell=CELL, by its
// digest, over whichever server.
func (s *Site) Digests(cell string) map[string]int {
	s.posted.Lock()
	defer s.posted.Unlock()
	return maps.Clone(s.posted.digests[cell])
}

// handler is the whole site.
func (s *Site) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /static/", http.FileServer(http.Dir(s.www())))
	mux.HandleFunc("POST "+DigestPath, s.digest)
	return mux
}

func (s *Site) digest(w http.ResponseWriter, r *http.Request) {
	hash := sha256.New()
	n, err := io.Copy(hash, r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	digest := fmt.Sprintf("%x %d\n", hash.Sum(nil), n)
	s.posted.Lock()
	cell := r.URL.Query().Get("cell")
	if s.posted.digests[cell] == nil {
		s.posted.digests[cell] = map[string]int{}
	}
	s.posted.digests[cell][digest]++
	s.posted.Unlock()
	_, _ = io.WriteString(w, digest) // the client that has left does not read it
}
