package h3

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/quic-go/qpack"
	"golang.org/x/net/http2/hpack"
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
		spec RequestSpec
		want string
	}{
		{"least", RequestSpec{Method: "GET", Scheme: "http", Authority: "a:8080", Path: "/"},
			":method: GET\n:scheme: http\n:authority: a:8080\n:path: /"},
		{"fields", RequestSpec{Method: "GET", Scheme: "https", Authority: "a", Path: "/?q", Header: []Field{{"Accept", "*/*"}, {"X-A", "1"}, {"x-a", "2"}, {"TE", "trailers"}, {"X-Empty", ""}}},
			":method: GET\n:scheme: https\n:authority: a\n:path: /?q\naccept: */*\nx-a: 1\nx-a: 2\nte: trailers\nx-empty: "},
		{"own host", RequestSpec{Method: "GET", Scheme: "https", Authority: "a", Path: "/", Header: []Field{{"HOST", "b"}, {"X", "y"}}},
			":method: GET\n:scheme: https\n:authority: b\n:path: /\nx: y"},
		{"body", RequestSpec{Method: "PUT", Scheme: "https", Authority: "a", Path: "/", Body: []byte("abc"), Header: []Field{{"x", "y"}}},
			":method: PUT\n:scheme: https\n:authority: a\n:path: /\nx: y\ncontent-length: 3"},
		{"long body", RequestSpec{Method: "PUT", Scheme: "https", Authority: "a", Path: "/", Body: make([]byte, 100_000)},
			":method: PUT\n:scheme: https\n:authority: a\n:path: /\ncontent-length: 100000"},
		{"no body where one is expected", RequestSpec{Method: "POST", Scheme: "https", Authority: "a", Path: "/"},
			":method: POST\n:scheme: https\n:authority: a\n:path: /\ncontent-length: 0"},
		{"own length", RequestSpec{Method: "POST", Scheme: "https", Authority: "a", Path: "/", Body: []byte("abc"), Header: []Field{{"Content-Length", "3"}, {"x", "y"}}},
			":method: POST\n:scheme: https\n:authority: a\n:path: /\ncontent-length: 3\nx: y"},
		{"asterisk", RequestSpec{Method: "OPTIONS", Scheme: "https", Authority: "a", Path: "*"},
			":method: OPTIONS\n:scheme: https\n:authority: a\n:path: *"},
		{"head", RequestSpec{Method: "HEAD", Scheme: "https", Authority: "a", Path: "/"},
			":method: HEAD\n:scheme: https\n:authority: a\n:path: /"},
		{"credentials", RequestSpec{Method: "GET", Scheme: "https", Authority: "a", Path: "/", Header: []Field{{"Authorization", "secret"}, {"Cookie", "c=d"}, {"X-API-Key", "k"}, {"Cookie", ""}}},
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
	section := encode([]qpack.HeaderField{
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
	r, err := Render(RequestSpec{Method: "PUT", Scheme: "https", Authority: "a", Path: "/", Body: body})
	if err != nil {
		t.Fatal(err)
	}
	body[0] = 'x'
	if !bytes.HasSuffix(r.Bytes, []byte("abc")) {
		t.Errorf("% x", r.Bytes)
	}
}

func TestRenderRefuses(t *testing.T) {
	for _, test := range []struct {
		edit func(*RequestSpec)
		want string
	}{
		{func(s *RequestSpec) { s.Method = "G T" }, `method "G T" is not a token`},
		{func(s *RequestSpec) { s.Method = "" }, `method "" is not a token`},
		{func(s *RequestSpec) { s.Method = "CONNECT" }, "method CONNECT opens a tunnel, which is no load"},
		{func(s *RequestSpec) { s.Scheme = "ftp" }, `scheme "ftp" is neither http nor https`},
		{func(s *RequestSpec) { s.Path = "" }, `path "" does not begin with a slash`},
		{func(s *RequestSpec) { s.Path = "https://a/" }, `path "https://a/" does not begin with a slash`},
		{func(s *RequestSpec) { s.Path = "/a b" }, `path "/a b" holds ' ', which has to be percent-encoded`},
		{func(s *RequestSpec) { s.Path = "/\x7f" }, `path "/\x7f" holds '\x7f', which has to be percent-encoded`},
		{func(s *RequestSpec) { s.Path = "/#a" }, `path "/#a" has a fragment, which is never sent`},
		{func(s *RequestSpec) { s.Path = "*" }, "path * goes with OPTIONS only, not with GET"},
		{func(s *RequestSpec) { s.Authority = "" }, "no authority"},
		{func(s *RequestSpec) { s.Authority = "u@a" }, `authority "u@a" is not a name or an address with an optional port`},
		{func(s *RequestSpec) { s.Authority = "a b" }, `authority "a b" is not a name or an address with an optional port`},
		{func(s *RequestSpec) { s.Header = []Field{{"Host", "a"}, {"host", "b"}} }, "2 host fields, but there is one :authority"},
		{func(s *RequestSpec) { s.Header = []Field{{"x", ""}, {":path", "/"}} }, `header field 2: name ":path" is not a token`},
		{func(s *RequestSpec) { s.Header = []Field{{"x", "a\r\nb"}} }, `header field 1: value of "x" holds a control character`},
		{func(s *RequestSpec) { s.Header = []Field{{"x", "a "}} }, `header field 1: value of "x" begins or ends with whitespace`},
		{func(s *RequestSpec) { s.Header = []Field{{"Connection", "close"}} }, "header field 1: connection is about an HTTP/1.1 connection and not allowed in HTTP/3 (RFC 9114 section 4.2)"},
		{func(s *RequestSpec) { s.Header = []Field{{"Keep-Alive", "1"}} }, "header field 1: keep-alive is about an HTTP/1.1 connection and not allowed in HTTP/3 (RFC 9114 section 4.2)"},
		{func(s *RequestSpec) { s.Header = []Field{{"Proxy-Connection", "close"}} }, "header field 1: proxy-connection is about an HTTP/1.1 connection and not allowed in HTTP/3 (RFC 9114 section 4.2)"},
		{func(s *RequestSpec) { s.Header = []Field{{"Transfer-Encoding", "chunked"}} }, "header field 1: transfer-encoding is about an HTTP/1.1 connection and not allowed in HTTP/3 (RFC 9114 section 4.2)"},
		{func(s *RequestSpec) { s.Header = []Field{{"Upgrade", "h2c"}} }, "header field 1: upgrade is about an HTTP/1.1 connection and not allowed in HTTP/3 (RFC 9114 section 4.2)"},
		{func(s *RequestSpec) { s.Header = []Field{{"TE", "gzip"}} }, "header field 1: te: gzip: HTTP/3 knows trailers only (RFC 9114 section 4.2)"},
		{func(s *RequestSpec) { s.Header = []Field{{"Content-Length", "1"}} }, `content-length "1", but the body has 0 bytes`},
		{func(s *RequestSpec) { s.Header = []Field{{"Content-Length", "0"}, {"Content-Length", "0"}} }, "2 content-length fields"},
		{func(s *RequestSpec) { s.Method, s.Scheme = "", "" }, "method \"\" is not a token\nscheme \"\" is neither http nor https"},
	} {
		spec := RequestSpec{Method: "GET", Scheme: "https", Authority: "a", Path: "/"}
		test.edit(&spec)
		if _, err := Render(spec); err == nil || err.Error() != test.want {
			t.Errorf("%+v: %v, want %s", spec, err, test.want)
		}
	}
}
