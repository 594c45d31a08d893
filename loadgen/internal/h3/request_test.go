package h3

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/quic-go/qpack"
	"golang.org/x/net/http2/hpack"

	"github.com/scalws/scalbench/loadgen/internal/request"
)

// listed decodes a section into "name: value" lines.
func listed(t *testing.T, section []byte) string {
	t.Helper()
	next := qpack.NewDecoder().Decode(section)
	var lines []string
	for {
		f, err := next()
		if errors.Is(err, io.EOF) {
			return strings.Join(lines, "\n")
		}
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, f.Name+": "+f.Value)
	}
}

// framesOf cuts what is sent on a stream into its frames, which have to be whole.
func framesOf(t testing.TB, b []byte) (types []uint64, payloads [][]byte) {
	t.Helper()
	var f frames
	for len(b) > 0 {
		rest, ok := f.begin(b)
		if !ok {
			t.Fatalf("a frame's header is cut: % x", b)
		}
		payload, rest, whole := f.gather(rest)
		if !whole {
			t.Fatalf("a frame is cut: % x", b)
		}
		types, payloads, b = append(types, f.typ), append(payloads, payload), rest
	}
	return types, payloads
}

func TestRender(t *testing.T) {
	for _, test := range []struct {
		name string
		spec request.Spec
		want string
	}{
		{"least", request.Spec{Method: "GET", Scheme: "http", Authority: "a:8080", Path: "/"},
			":method: GET\n:scheme: http\n:authority: a:8080\n:path: /"},
		{"fields", request.Spec{Method: "GET", Scheme: "https", Authority: "a", Path: "/?q", Header: []request.Field{{Name: "Accept", Value: "*/*"}, {Name: "X-A", Value: "1"}, {Name: "x-a", Value: "2"}, {Name: "TE", Value: "trailers"}, {Name: "X-Empty", Value: ""}}},
			":method: GET\n:scheme: https\n:authority: a\n:path: /?q\naccept: */*\nx-a: 1\nx-a: 2\nte: trailers\nx-empty: "},
		{"own host", request.Spec{Method: "GET", Scheme: "https", Authority: "a", Path: "/", Header: []request.Field{{Name: "HOST", Value: "b"}, {Name: "X", Value: "y"}}},
			":method: GET\n:scheme: https\n:authority: b\n:path: /\nx: y"},
		{"body", request.Spec{Method: "PUT", Scheme: "https", Authority: "a", Path: "/", Body: []byte("abc"), Header: []request.Field{{Name: "x", Value: "y"}}},
			":method: PUT\n:scheme: https\n:authority: a\n:path: /\nx: y\ncontent-length: 3"},
		{"long body", request.Spec{Method: "PUT", Scheme: "https", Authority: "a", Path: "/", Body: make([]byte, 100_000)},
			":method: PUT\n:scheme: https\n:authority: a\n:path: /\ncontent-length: 100000"},
		{"no body where one is expected", request.Spec{Method: "POST", Scheme: "https", Authority: "a", Path: "/"},
			":method: POST\n:scheme: https\n:authority: a\n:path: /\ncontent-length: 0"},
		{"own length", request.Spec{Method: "POST", Scheme: "https", Authority: "a", Path: "/", Body: []byte("abc"), Header: []request.Field{{Name: "Content-Length", Value: "3"}, {Name: "x", Value: "y"}}},
			":method: POST\n:scheme: https\n:authority: a\n:path: /\ncontent-length: 3\nx: y"},
		{"asterisk", request.Spec{Method: "OPTIONS", Scheme: "https", Authority: "a", Path: "*"},
			":method: OPTIONS\n:scheme: https\n:authority: a\n:path: *"},
		{"head", request.Spec{Method: "HEAD", Scheme: "https", Authority: "a", Path: "/"},
			":method: HEAD\n:scheme: https\n:authority: a\n:path: /"},
		{"credentials", request.Spec{Method: "GET", Scheme: "https", Authority: "a", Path: "/", Header: []request.Field{{Name: "Authorization", Value: "secret"}, {Name: "Cookie", Value: "c=d"}, {Name: "X-API-Key", Value: "k"}, {Name: "Cookie", Value: ""}}},
			":method: GET\n:scheme: https\n:authority: a\n:path: /\nauthorization: secret\ncookie: c=d\nx-api-key: k\ncookie: "},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, err := Render(test.spec)
			if err != nil {
				t.Fatal(err)
			}
			types, payloads := framesOf(t, r.Bytes)
			if len(types) == 0 || types[0] != frameHeaders || listed(t, payloads[0]) != test.want {
				t.Fatalf("frames %v with\n%s\nwant\n%s", types, listed(t, payloads[0]), test.want)
			}
			switch {
			case len(test.spec.Body) == 0 && len(types) != 1:
				t.Errorf("frames %v although there is no body", types)
			case len(test.spec.Body) > 0 && (len(types) != 2 || types[1] != frameData || !bytes.Equal(payloads[1], test.spec.Body)):
				t.Errorf("frames %v with a body of %d bytes", types, len(test.spec.Body))
			}
			if r.Head != (test.spec.Method == "HEAD") {
				t.Errorf("Head = %v", r.Head)
			}
		})
	}
}

// Credentials are marked as such, whichever way their names are encoded.
func TestNeverIndex(t *testing.T) {
	section := encode([]request.Field{
		{Name: ":method", Value: "GET"}, {Name: "cookie", Value: "a"}, {Name: "x-api-key", Value: "a"}, {Name: "cookie", Value: ""}, {Name: "origin", Value: "a"},
	})
	// "a" in Huffman is 00011, and ones for padding; :method GET is line 17 of the
	// static table, cookie 5, origin 90.
	want := bytes.Join([][]byte{
		{0, 0, 0xc0 | 17},
		{0x50 | 0x20 | 5, 0x81, 0x1f},
		{0x20 | 0x10 | 0x08 | 7, 0}, hpack.AppendHuffmanString(nil, "x-api-key"), {0x81, 0x1f}, // 7 bytes: what is above the prefix is 0
		{0xc0 | 5},
		{0x5f, 90 - 15, 0x81, 0x1f},
	}, nil)
	if !bytes.Equal(section, want) {
		t.Errorf("% x, want % x", section, want)
	}
}

// A request does not change with what it was made of.
func TestRenderCopies(t *testing.T) {
	body := []byte("abc")
	r, err := Render(request.Spec{Method: "PUT", Scheme: "https", Authority: "a", Path: "/", Body: body})
	if err != nil {
		t.Fatal(err)
	}
	body[0] = 'x'
	if !bytes.HasSuffix(r.Bytes, []byte("abc")) {
		t.Errorf("% x", r.Bytes)
	}
}
