package h2

import (
	"strings"
	"testing"

	"golang.org/x/net/http2/hpack"
)

// listed decodes a block into "name: value" lines.
func listed(t *testing.T, block []byte) string {
	t.Helper()
	fields, err := hpack.NewDecoder(4096, nil).DecodeFull(block)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, f := range fields {
		lines = append(lines, f.Name+": "+f.Value)
	}
	return strings.Join(lines, "\n")
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
		{"no body where one is expected", RequestSpec{Method: "POST", Scheme: "https", Authority: "a", Path: "/"},
			":method: POST\n:scheme: https\n:authority: a\n:path: /\ncontent-length: 0"},
		{"own length", RequestSpec{Method: "POST", Scheme: "https", Authority: "a", Path: "/", Body: []byte("abc"), Header: []Field{{"Content-Length", "3"}, {"x", "y"}}},
			":method: POST\n:scheme: https\n:authority: a\n:path: /\ncontent-length: 3\nx: y"},
		{"asterisk", RequestSpec{Method: "OPTIONS", Scheme: "https", Authority: "a", Path: "*"},
			":method: OPTIONS\n:scheme: https\n:authority: a\n:path: *"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, err := Render(test.spec)
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range []block{r.first, r.plain} {
				if got := listed(t, b.fields()); got != test.want {
					t.Errorf("got\n%s\nwant\n%s", got, test.want)
				}
				if b.flags().Has(flagEndStream) != (len(test.spec.Body) == 0) || !b.flags().Has(flagEndHeaders) {
					t.Errorf("flags %x", b.flags())
				}
			}
			if plain, _ := tableChanges(t, r.plain.fields(), nil); plain {
				t.Error("plain changes the table")
			}
			if _, repeat := tableChanges(t, r.first.fields(), r.repeat.fields()); repeat {
				t.Error("repeat changes the table")
			}
			if r.head || string(r.body) != string(test.spec.Body) {
				t.Errorf("head %v, body %q", r.head, r.body)
			}
		})
	}
}

// A request does not change with what it was made of.
func TestRenderCopies(t *testing.T) {
	body := []byte("abc")
	r := testRequest(t, func(s *RequestSpec) { s.Method, s.Body = "POST", body })
	body[0] = 'x'
	if string(r.body) != "abc" {
		t.Errorf("body %q", r.body)
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
		{func(s *RequestSpec) { s.Header = []Field{{"Connection", "close"}} }, "header field 1: connection is about an HTTP/1.1 connection and not allowed in HTTP/2 (RFC 9113 section 8.2.2)"},
		{func(s *RequestSpec) { s.Header = []Field{{"Keep-Alive", "1"}} }, "header field 1: keep-alive is about an HTTP/1.1 connection and not allowed in HTTP/2 (RFC 9113 section 8.2.2)"},
		{func(s *RequestSpec) { s.Header = []Field{{"Proxy-Connection", "close"}} }, "header field 1: proxy-connection is about an HTTP/1.1 connection and not allowed in HTTP/2 (RFC 9113 section 8.2.2)"},
		{func(s *RequestSpec) { s.Header = []Field{{"Transfer-Encoding", "chunked"}} }, "header field 1: transfer-encoding is about an HTTP/1.1 connection and not allowed in HTTP/2 (RFC 9113 section 8.2.2)"},
		{func(s *RequestSpec) { s.Header = []Field{{"Upgrade", "h2c"}} }, "header field 1: upgrade is about an HTTP/1.1 connection and not allowed in HTTP/2 (RFC 9113 section 8.2.2)"},
		{func(s *RequestSpec) { s.Header = []Field{{"TE", "gzip"}} }, "header field 1: te: gzip: HTTP/2 knows trailers only (RFC 9113 section 8.2.2)"},
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
