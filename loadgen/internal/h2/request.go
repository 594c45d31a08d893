package h2

import (
	"bytes"
	"strconv"
	"strings"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
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

// Request is a rendered request. It is immutable and shared by connections.
//
// Its header fields are encoded three times. Which of the blocks a stream takes
// is decided for each connection by the state of the server's dynamic table:
//
//   - first fills the table with all fields that are not credentials,
//   - repeat refers to them and has a byte or two for each,
//   - plain does without the table, where the fields do not fit into it.
type Request struct {
	first, repeat, plain block
	tableBytes           uint32 // what first takes of the table, by the measure of RFC 7541 section 4.1
	body                 []byte
	head                 bool // the method is HEAD: no response has a body
}

// block is a HEADERS frame for stream 0 with all fields, also when that is more
// than a frame may hold.
type block struct{ frame []byte }

func (b *block) fields() []byte     { return b.frame[frameHeaderBytes:] }
func (b *block) flags() http2.Flags { return http2.Flags(b.frame[4]) }

// Render checks spec and encodes it. All faults are reported at once, joined.
//
// The pseudo-headers stand first, as RFC 9113 section 8.3 wants, then Header,
// then content-length when there is a body or the method is one that is expected
// to have one (RFC 9110 section 8.6). A content-length of the caller's takes the
// place of ours and has to be right.
func Render(spec RequestSpec) (Request, error) {
	if err := spec.check(); err != nil {
		return Request{}, err
	}
	fields := spec.fields()
	r := Request{body: bytes.Clone(spec.Body), head: spec.Method == "HEAD"}
	flags := flagEndHeaders
	if len(r.body) == 0 {
		flags |= flagEndStream
	}

	// One encoder after the other with the same fields: the second time it finds
	// in its table what the first time put there.
	var out bytes.Buffer
	encoder := hpack.NewEncoder(&out)
	var first []byte
	first, r.tableBytes = encode(encoder, &out, fields)
	repeat, _ := encode(encoder, &out, fields)

	encoder = hpack.NewEncoder(&out)
	encoder.SetMaxDynamicTableSize(0)
	plain, _ := encode(encoder, &out, fields)
	// The encoder announces the size of its table, which is the connection's to do.
	plain = plain[len(appendSizeUpdate(nil, 0)):]

	r.first, r.repeat, r.plain = newBlock(first, flags), newBlock(repeat, flags), newBlock(plain, flags)
	return r, nil
}

// encode returns the fields' block, and what of it goes into the receiver's
// dynamic table.
func encode(encoder *hpack.Encoder, out *bytes.Buffer, fields []hpack.HeaderField) (encoded []byte, tableBytes uint32) {
	const incremental, mask = 0x40, 0xc0 // the first bits of such a literal, RFC 7541 section 6.2.1
	out.Reset()
	for _, f := range fields {
		at := out.Len()
		encoder.WriteField(f) // writing to a Buffer cannot fail
		if out.Bytes()[at]&mask == incremental {
			tableBytes += f.Size()
		}
	}
	return bytes.Clone(out.Bytes()), tableBytes
}

func newBlock(fields []byte, flags http2.Flags) block {
	b := appendFrame(make([]byte, 0, frameHeaderBytes+len(fields)), len(fields), http2.FrameHeaders, flags, 0)
	return block{append(b, fields...)}
}

// fields are the request's in the order in which they are sent.
func (spec RequestSpec) fields() []hpack.HeaderField {
	fields := []hpack.HeaderField{
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
		fields = append(fields, hpack.HeaderField{Name: name, Value: f.Value, Sensitive: Credential(name)})
	}
	if !ownLength && (len(spec.Body) > 0 || expectsBody(spec.Method)) {
		fields = append(fields, hpack.HeaderField{Name: "content-length", Value: strconv.Itoa(len(spec.Body))})
	}
	return fields
}

// authority returns the caller's own Host, or else spec.Authority: RFC 9113
// section 8.3.1 wants one place for it.
func (spec RequestSpec) authority() string {
	for _, f := range spec.Header {
		if strings.EqualFold(f.Name, "host") {
			return f.Value
		}
	}
	return spec.Authority
}

// Credential reports whether a field carries credentials by its name, whose case
// does not matter. Such fields are never put into a table, where they could be
// guessed by trial (RFC 7541 section 7.1.3), and nobody should print them.
func Credential(name string) bool {
	switch strings.ToLower(name) {
	case "authorization", "proxy-authorization", "cookie", "x-api-key", "x-auth-token":
		return true
	}
	return false
}

// expectsBody reports whether the method defines a meaning for a body, so that
// a request without one says content-length: 0 (RFC 9110 section 8.6).
func expectsBody(method string) bool {
	return method == "POST" || method == "PUT" || method == "PATCH"
}
