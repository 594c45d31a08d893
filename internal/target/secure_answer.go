package target

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/valyala/fasthttp"
	"golang.org/x/sys/unix"
)

// Fields that every answer shares. net/http copies their values and changes none.
var (
	serverField = []string{serverName}
	typeField   = []string{textType}

	okLength    = []string{strconv.Itoa(len("ok"))}
	smallLength = []string{strconv.Itoa(smallBytes)}
	largeLength = []string{strconv.Itoa(largeBytes)}
)

// cleartextOnlyText is the body of the 404 for routes that need the connection
// itself, of which HTTP/3 has streams, or would measure the upstream's protocol
// rather than this one.
const cleartextOnlyText = "%s is there in cleartext only, and this server speaks TLS\n"

// fileBuffer is what a file is read into on its way to TLS, a few records long.
type fileBuffer [64 << 10]byte

// handleSecure answers one request. It runs on a goroutine of the connection,
// with HTTP/2 and HTTP/3 on one of the stream.
func (s *server) handleSecure(w http.ResponseWriter, r *http.Request) {
	path := plainPath(r)
	// The copies are short enough for the stack.
	d := s.decide([]byte(r.Method), []byte(path), []byte(r.URL.RawQuery))
	header := w.Header()
	header["Server"], header["Content-Type"] = serverField, typeField
	if s.altSvc != nil && r.ProtoMajor < 3 {
		header["Alt-Svc"] = s.altSvc
	}
	if d.text != "" {
		if d.allow != "" {
			header["Allow"] = []string{d.allow}
		}
		say(w, r, d.status, d.text)
		return
	}
	switch d.route {
	case respondRoute:
		respondSecure(w, r, d)
	case staticSmallRoute:
		s.staticSmallSecure(w, r)
	case static1MRoute:
		s.static1MSecure(w, r)
	case faultRoute:
		s.misbehaveSecure(w, r, strings.TrimPrefix(path[d.restAt:], "/"))
	case proxyRoute, cacheHitRoute:
		say(w, r, http.StatusNotFound, fmt.Sprintf(cleartextOnlyText, r.URL.Path))
	default:
		if !s.wait(d.hold, r.Context().Done()) {
			if r.ProtoMajor < 3 { // HTTP/3 has no such field, and says GOAWAY by itself
				header["Connection"] = []string{"close"} // with HTTP/2 it becomes GOAWAY
			}
			say(w, r, http.StatusServiceUnavailable, endingText)
			return
		}
		send(w, r, d.body)
	}
}

// plainPath returns the path as fasthttp has it, decoded and without empty and
// dot segments. Hardly any has one.
func plainPath(r *http.Request) string {
	path := r.URL.Path
	if !strings.Contains(path, "//") && !strings.Contains(path, "/.") {
		return path
	}
	uri := fasthttp.AcquireURI()
	defer fasthttp.ReleaseURI(uri)
	uri.SetPath(r.URL.EscapedPath())
	return string(uri.Path())
}

// respondSecure answers from memory, after a body that is read to its end.
func respondSecure(w http.ResponseWriter, r *http.Request, d decision) {
	if r.Body != http.NoBody {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			say(w, r, http.StatusBadRequest, fmt.Sprintf("read body: %v\n", err))
			return
		}
	}
	send(w, r, d.body)
}

// staticSmallSecure opens, measures, reads and closes the small file.
func (s *server) staticSmallSecure(w http.ResponseWriter, r *http.Request) {
	buf := s.buffers.Get().(*fileBuffer)
	defer s.buffers.Put(buf)
	n, err := readFile(s.files.small, buf[:smallBytes])
	if err != nil {
		s.failSecure(w, r, err)
		return
	}
	send(w, r, buf[:n])
}

// static1MSecure opens, measures, reads and closes the large file. There is no
// sendfile(2) under TLS, which encrypts every byte.
func (s *server) static1MSecure(w http.ResponseWriter, r *http.Request) {
	fd, size, err := openFile(s.files.large)
	if err != nil {
		s.failSecure(w, r, err)
		return
	}
	defer unix.Close(fd)
	w.Header()["Content-Length"] = lengthField(int(size))
	if r.Method == http.MethodHead {
		return
	}
	buf := s.buffers.Get().(*fileBuffer)
	defer s.buffers.Put(buf)
	for left := int(size); left > 0; {
		n, err := read(fd, buf[:min(left, len(buf))])
		if err != nil {
			// The head is out: the client sees that bytes are missing.
			s.blame(fmt.Errorf("read %s with %d bytes to go: %w", s.files.large, left, err))
			return
		}
		if _, err := w.Write(buf[:n]); err != nil {
			return // the client is gone
		}
		left -= n
	}
}

// failSecure answers 500 for a fault of this server and logs it.
func (s *server) failSecure(w http.ResponseWriter, r *http.Request, err error) {
	s.blame(err)
	say(w, r, http.StatusInternalServerError, err.Error()+"\n")
}

// say answers with a status other than 200 and a sentence.
func say(w http.ResponseWriter, r *http.Request, status int, text string) {
	w.Header()["Content-Length"] = lengthField(len(text))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = io.WriteString(w, text) // it fails for a client that is gone
	}
}

// send answers 200 with a whole body.
func send(w http.ResponseWriter, r *http.Request, body []byte) {
	w.Header()["Content-Length"] = lengthField(len(body))
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // it fails for a client that is gone
	}
}

// lengthField returns a Content-Length; those of good answers are there already.
func lengthField(n int) []string {
	switch n {
	case len(okBody):
		return okLength
	case smallBytes:
		return smallLength
	case largeBytes:
		return largeLength
	}
	return []string{strconv.Itoa(n)}
}
