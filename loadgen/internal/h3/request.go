package h3

import (
	"bytes"

	"github.com/quic-go/qpack"

	"github.com/scalws/scalbench/loadgen/internal/request"
)

// Request is a rendered request. It is immutable and shared by streams and
// connections: without a dynamic table it is the same bytes on each.
type Request struct {
	Bytes []byte // all that is sent on the stream ahead of the FIN
	Head  bool   // the method is HEAD: the response has no body
}

// Render checks spec and encodes it: a HEADERS frame with the fields that
// [request.Spec.Fields] lists, and a DATA frame if there is a body. All faults are
// reported at once, joined.
func Render(spec request.Spec) (Request, error) {
	fields, err := spec.Fields(request.HTTP3)
	if err != nil {
		return Request{}, err
	}
	section := encode(fields)
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
func encode(fields []request.Field) []byte {
	var out bytes.Buffer
	encoder := qpack.NewEncoder(&out)
	for _, f := range fields {
		at := out.Len()                                                     // where the line begins, but for the first: the prefix is ahead of :method
		encoder.WriteField(qpack.HeaderField{Name: f.Name, Value: f.Value}) // writing to a Buffer cannot fail
		if request.Credential(f.Name) {
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
