package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// nginxLog is the log of nginx.conf.
type nginxLog struct{ path string }

// forget empties the file. nginx appends, so that its next line is the first.
func (n nginxLog) forget() error { return os.Truncate(n.path, 0) }

// nginx writes a line when the answer has gone, which may be when the peer has
// ended: nginxLogPatience is how long the first line is waited for then.
const (
	nginxLogPatience = time.Second
	nginxLogInterval = 10 * time.Millisecond
)

func (n nginxLog) lines() ([]probeLine, error) {
	for end := time.Now().Add(nginxLogPatience); ; time.Sleep(nginxLogInterval) {
		log, err := os.ReadFile(n.path)
		if err != nil {
			return nil, err
		}
		// A line is written at once.
		if len(log) > 0 || time.Now().After(end) {
			return parseProbeLog(log)
		}
	}
}

// probeLine is a line of that log, in whose words it is: the first or second
// request of a connection.
type probeLine struct {
	Request int    `json:"request"` // 1 or 2
	HTTP    string `json:"http"`    // "HTTP/1.1", "HTTP/2.0" or "HTTP/3.0"
	TLS     string `json:"tls"`
	Cipher  string `json:"cipher"`
	Resumed string `json:"resumed"` // "r" if the handshake resumed a session, else "."
	// Bytes of the request; in HTTP/2 of its header block (RFC 9113, 4.3); 0 where
	// they are not known.
	Bytes int64 `json:"bytes"`
	// Fields are those that a peer could send, "name: value", without a value
	// where it did not. One that nobody thought of shows in Bytes alone.
	Fields []string `json:"fields"`
}

// sighting is what a server saw of one peer.
type sighting struct {
	connections, resumed int
	http                 string
	tls, cipher          string
	firstBytes           int64 // of the first request of a connection; 0: not known
	secondBytes          int64 // 0: no connection had a second one
	fields               []string
}

// parseProbeLog reads the log.
func parseProbeLog(log []byte) ([]probeLine, error) {
	var lines []probeLine
	for line := range strings.Lines(string(log)) {
		var l probeLine
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			return nil, fmt.Errorf("read line %q of nginx's log: %w", strings.TrimSpace(line), err)
		}
		lines = append(lines, l)
	}
	return lines, nil
}

// sumUp makes one sighting of the lines of one peer. All its connections have to
// look alike.
func sumUp(lines []probeLine) (sighting, error) {
	var seen sighting
	for _, l := range lines {
		if l.Request == 2 {
			seen.secondBytes = l.Bytes
			continue
		}
		this := sighting{
			http: l.HTTP, tls: l.TLS, cipher: l.Cipher, firstBytes: l.Bytes,
			fields: slices.DeleteFunc(l.Fields, func(field string) bool { return strings.HasSuffix(field, ": ") }),
		}
		if seen.connections == 0 {
			this.secondBytes = seen.secondBytes
			seen = this
		} else if !seen.like(this) {
			return sighting{}, fmt.Errorf("its connections differ: %s, and %s", seen, this)
		}
		seen.connections++
		if l.Resumed == "r" {
			seen.resumed++
		}
	}
	if seen.connections == 0 {
		return sighting{}, errors.New("no request arrived")
	}
	return seen, nil
}

// like compares what the first request of a connection has.
func (s sighting) like(other sighting) bool {
	return s.http == other.http && s.tls == other.tls && s.cipher == other.cipher &&
		s.firstBytes == other.firstBytes && slices.Equal(s.fields, other.fields)
}

// suits returns an error where the peer did another thing than the load: its
// numbers would be of that.
func (s sighting) suits(l load) error {
	switch {
	case s.http != l.protocol.http():
		return fmt.Errorf("it spoke %s", s.http)
	case s.connections != l.connections:
		return fmt.Errorf("it opened %s, not %d", countConnections(s.connections), l.connections)
	}
	return nil
}

// String is in the order in which it was seen.
func (s sighting) String() string {
	text := countConnections(s.connections)
	if s.resumed > 0 {
		text += fmt.Sprintf(" (%d resumed a session)", s.resumed)
	}
	text += fmt.Sprintf(", %s %s", s.tls, s.cipher)
	what := "request"
	if s.http == h2TLS.http() {
		what = "header block"
	}
	if s.firstBytes > 0 {
		text += fmt.Sprintf(", %s of %d bytes", what, s.firstBytes)
	}
	if s.secondBytes > 0 && s.secondBytes != s.firstBytes {
		text += fmt.Sprintf(", then %d", s.secondBytes)
	}
	return text + ": " + strings.Join(s.fields, ", ")
}

func countConnections(n int) string {
	if n == 1 {
		return "1 connection"
	}
	return fmt.Sprintf("%d connections", n)
}
