package h2

import (
	"bytes"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/scalws/scalbench/loadgen/internal/request"
)

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

// Render checks spec and encodes the fields that [request.Spec.Fields] lists. All faults
// are reported at once, joined.
func Render(spec request.Spec) (Request, error) {
	fields, err := spec.Fields(request.HTTP2)
	if err != nil {
		return Request{}, err
	}
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
func encode(encoder *hpack.Encoder, out *bytes.Buffer, fields []request.Field) (encoded []byte, tableBytes uint32) {
	const incremental, mask = 0x40, 0xc0 // the first bits of such a literal, RFC 7541 section 6.2.1
	out.Reset()
	for _, f := range fields {
		f := hpack.HeaderField{Name: f.Name, Value: f.Value, Sensitive: request.Credential(f.Name)}
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
