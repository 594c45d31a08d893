package h3

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/quic-go/qpack"

	"github.com/scalws/scalbench/loadgen/internal/h2"
)

// Field is one header field.
type Field struct{ Name, Value string }

// RequestSpec describes a request.
type RequestSpec struct {
	Method    string  // e.g. "GET"; case counts
	Scheme    string  // "http" or "https"
	Authority string  // host with an optional port; a Host in Header replaces it
	Path      string  // with the query, e.g. "/x?y"
	Header    []Field // sent in this order with lower-case names, repeated names included
	Body      []byte
}

// Request is a rendered request. It is immutable and shared by streams and
// connections: without a dynamic table it is the same bytes on each.
type Request struct {
	Bytes []byte // all that is sent on the stream ahead of the FIN
	Head  bool   // the method is HEAD: the response has no body
}

// Render checks spec and encodes it: a HEADERS frame, and a DATA frame if there
// is a body. All faults are reported at once, joined.
//
// The pseudo-headers stand first, as RFC 9114 section 4.3 wants, then Header,
// then content-length when there is a body or the method is one that is expected
// to have one (RFC 9110 section 8.6). A content-length of the caller's takes the
// place of ours and has to be right.
func Render(spec RequestSpec) (Request, error) {
	if err := spec.check(); err != nil {
		return Request{}, err
	}
	section := encode(spec.fields())
	b := make([]byte, 0, 2*maxHeaderBytes+len(section)+len(spec.Body))
	b = appendFrameHeader(b, frameHeaders, len(section))
	b = append(b, section...)
	if len(spec.Body) > 0 {
		b = appendFrameHeader(b, frameData, len(spec.Body))
		b = append(b, spec.Body...)
	}
	return Request{Bytes: b, Head: spec.Method == "HEAD"}, nil
}

// encode returns the fields as a field section. Those that carry credentials
// are marked so that no proxy puts them into a table (RFC 9204 section 7.1.3),
// which the encoder cannot do.
func encode(fields []qpack.HeaderField) []byte {
	var out bytes.Buffer
	encoder := qpack.NewEncoder(&out)
	for _, f := range fields {
		at := out.Len()       // where the line begins, but for the first: the prefix is ahead of :method
		encoder.WriteField(f) // writing to a Buffer cannot fail
		if h2.Credential(f.Name) {
			neverIndex(out.Bytes()[at:])
		}
	}
	return out.Bytes()
}

// neverIndex sets the N bit of a field line that has one: a literal one, RFC 9204
// sections 4.5.4 and 4.5.6.
func neverIndex(line []byte) {
	switch {
	case line[0]&0xc0 == 0x40: // its name is in the static table
		line[0] |= 0x20
	case line[0]&0xe0 == 0x20: // its name is written out
		line[0] |= 0x10
	}
}

// fields are the request's in the order in which they are sent.
func (spec RequestSpec) fields() []qpack.HeaderField {
	fields := []qpack.HeaderField{
		{Name: ":method", Value: spec.Method},
		{Name: ":scheme", Value: spec.Scheme},
		{Name: ":authority", Value: spec.authority()},
		{Name: ":path", Value: spec.Path},
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
		fields = append(fields, qpack.HeaderField{Name: name, Value: f.Value})
	}
	if !ownLength && (len(spec.Body) > 0 || expectsBody(spec.Method)) {
		fields = append(fields, qpack.HeaderField{Name: "content-length", Value: strconv.Itoa(len(spec.Body))})
	}
	return fields
}

// authority returns the caller's own Host, or else spec.Authority: with both a
// server would have to compare them (RFC 9114 section 4.3.1).
func (spec RequestSpec) authority() string {
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
