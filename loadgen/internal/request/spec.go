package request

import (
	"strconv"
	"strings"
)

// Version is one of the two, for what it is called and where it says what has no place in it.
type Version struct{ name, fieldRules string }

// The versions there are.
var (
	HTTP2 = Version{"HTTP/2", "RFC 9113 section 8.2.2"}
	HTTP3 = Version{"HTTP/3", "RFC 9114 section 4.2"}
)

// Field is one header field.
type Field struct{ Name, Value string }

// Spec describes a request.
type Spec struct {
	Method    string  // e.g. "GET"; case counts
	Scheme    string  // "http" or "https"
	Authority string  // host with an optional port; a Host in Header replaces it
	Path      string  // with the query, e.g. "/x?y"
	Header    []Field // sent in this order with lower-case names, repeated names included
	Body      []byte
}

// Fields checks spec and returns its fields in the order in which they are sent. All faults
// are reported at once, joined.
//
// The pseudo-headers stand first, as RFC 9113 section 8.3 and RFC 9114 section 4.3 want, then
// Header, then content-length when there is a body or the method is one that is expected to
// have one (RFC 9110 section 8.6). A content-length of the caller's takes the place of ours
// and has to be right.
func (spec Spec) Fields(v Version) ([]Field, error) {
	if err := spec.check(v); err != nil {
		return nil, err
	}
	fields := []Field{
		{":method", spec.Method},
		{":scheme", spec.Scheme},
		{":authority", spec.authority()},
		{":path", spec.Path},
	}
	ownLength := false
	for _, f := range spec.Header {
		name := strings.ToLower(f.Name)
		switch name {
		case "host":
			continue
		case "content-length":
			ownLength = true
		}
		fields = append(fields, Field{name, f.Value})
	}
	if !ownLength && (len(spec.Body) > 0 || expectsBody(spec.Method)) {
		fields = append(fields, Field{"content-length", strconv.Itoa(len(spec.Body))})
	}
	return fields, nil
}

// authority returns the caller's own Host, or else spec.Authority: with both a server would
// have to compare them (RFC 9113 section 8.3.1, RFC 9114 section 4.3.1).
func (spec Spec) authority() string {
	for _, f := range spec.Header {
		if strings.EqualFold(f.Name, "host") {
			return f.Value
		}
	}
	return spec.Authority
}

// expectsBody reports whether the method defines a meaning for a body, so that
// a request without one says content-length: 0 (RFC 9110 section 8.6).
func expectsBody(method string) bool {
	return method == "POST" || method == "PUT" || method == "PATCH"
}

// Credential reports whether a field carries credentials by its name, whose case
// does not matter. Such fields are never put into a table, where they could be
// guessed by trial (RFC 7541 section 7.1.3, RFC 9204 section 7.1.3), and nobody should
// print them.
func Credential(name string) bool {
	switch strings.ToLower(name) {
	case "authorization", "proxy-authorization", "cookie", "x-api-key", "x-auth-token":
		return true
	}
	return false
}
