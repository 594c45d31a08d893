package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// probeLine is a line of the log of nginx.conf, in whose words it is: the first
// or second request of a connection.
type probeLine struct {
	Request int    `json:"request"` // 1 or 2
	HTTP    string `json:"http"`    // "HTTP/1.1" or "HTTP/2.0"
	TLS     string `json:"tls"`
	Cipher  string `json:"cipher"`
	Resumed string `json:"resumed"` // "r" if the handshake resumed a session, else "."
	// Bytes of the request; in HTTP/2 of its header block (RFC 9113, 4.3).
	Bytes int64 `json:"bytes"`
	// Fields are those that a peer could send, "name: value", without a value
	// where it did not. One that nobody thought of shows in Bytes alone.
	Fields []string `json:"fields"`
}

// sighting is what nginx saw of one peer.
type sighting struct {
	connections, resumed int
	http                 string
	tls, cipher          string
	firstBytes           int64 // of the first request of a connection
	secondBytes          int64 // 0: no connection had a second one
	fields               []string
}

// parseProbeLog sums up the log of one peer. All its connections have to look
// alike.
func parseProbeLog(log []byte) (sighting, error) {
	var seen sighting
	for line := range strings.Lines(string(log)) {
		var l probeLine
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			return sighting{}, fmt.Errorf("read line %q of nginx's log: %w", strings.TrimSpace(line), err)
		}
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
		return sighting{}, errors.New("nginx saw no request")
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
	text += fmt.Sprintf(", %s %s, ", s.tls, s.cipher)
	what := "request"
	if s.http == h2TLS.http() {
		what = "header block"
	}
	text += fmt.Sprintf("%s of %d bytes", what, s.firstBytes)
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
