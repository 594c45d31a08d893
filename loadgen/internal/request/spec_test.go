package request

import (
	"strings"
	"testing"
)

// What is no request is refused by both versions, with all faults, and each names its own rules.
func TestFieldsRefuse(t *testing.T) {
	for _, test := range []struct {
		edit func(*Spec)
		want string
	}{
		{func(s *Spec) { s.Method = "G T" }, `method "G T" is not a token`},
		{func(s *Spec) { s.Method = "" }, `method "" is not a token`},
		{func(s *Spec) { s.Method = "CONNECT" }, "method CONNECT opens a tunnel, which is no load"},
		{func(s *Spec) { s.Scheme = "ftp" }, `scheme "ftp" is neither http nor https`},
		{func(s *Spec) { s.Path = "" }, `path "" does not begin with a slash`},
		{func(s *Spec) { s.Path = "https://a/" }, `path "https://a/" does not begin with a slash`},
		{func(s *Spec) { s.Path = "/a b" }, `path "/a b" holds ' ', which has to be percent-encoded`},
		{func(s *Spec) { s.Path = "/\x7f" }, `path "/\x7f" holds '\x7f', which has to be percent-encoded`},
		{func(s *Spec) { s.Path = "/#a" }, `path "/#a" has a fragment, which is never sent`},
		{func(s *Spec) { s.Path = "*" }, "path * goes with OPTIONS only, not with GET"},
		{func(s *Spec) { s.Authority = "" }, "no authority"},
		{func(s *Spec) { s.Authority = "u@a" }, `authority "u@a" is not a name or an address with an optional port`},
		{func(s *Spec) { s.Authority = "a b" }, `authority "a b" is not a name or an address with an optional port`},
		{func(s *Spec) { s.Header = []Field{{"Host", "a"}, {"host", "b"}} }, "2 host fields, but there is one :authority"},
		{func(s *Spec) { s.Header = []Field{{"x", ""}, {":path", "/"}} }, `header field 2: name ":path" is not a token`},
		{func(s *Spec) { s.Header = []Field{{"x", "a\r\nb"}} }, `header field 1: value of "x" holds a control character`},
		{func(s *Spec) { s.Header = []Field{{"x", "a "}} }, `header field 1: value of "x" begins or ends with whitespace`},
		{func(s *Spec) { s.Header = []Field{{"Connection", "close"}} }, "header field 1: connection is about an HTTP/1.1 connection and not allowed in HTTP/2 (RFC 9113 section 8.2.2)"},
		{func(s *Spec) { s.Header = []Field{{"Keep-Alive", "1"}} }, "header field 1: keep-alive is about an HTTP/1.1 connection and not allowed in HTTP/2 (RFC 9113 section 8.2.2)"},
		{func(s *Spec) { s.Header = []Field{{"Proxy-Connection", "close"}} }, "header field 1: proxy-connection is about an HTTP/1.1 connection and not allowed in HTTP/2 (RFC 9113 section 8.2.2)"},
		{func(s *Spec) { s.Header = []Field{{"Transfer-Encoding", "chunked"}} }, "header field 1: transfer-encoding is about an HTTP/1.1 connection and not allowed in HTTP/2 (RFC 9113 section 8.2.2)"},
		{func(s *Spec) { s.Header = []Field{{"Upgrade", "h2c"}} }, "header field 1: upgrade is about an HTTP/1.1 connection and not allowed in HTTP/2 (RFC 9113 section 8.2.2)"},
		{func(s *Spec) { s.Header = []Field{{"TE", "gzip"}} }, "header field 1: te: gzip: HTTP/2 knows trailers only (RFC 9113 section 8.2.2)"},
		{func(s *Spec) { s.Header = []Field{{"Content-Length", "1"}} }, `content-length "1", but the body has 0 bytes`},
		{func(s *Spec) { s.Header = []Field{{"Content-Length", "0"}, {"Content-Length", "0"}} }, "2 content-length fields"},
		{func(s *Spec) { s.Method, s.Scheme = "", "" }, "method \"\" is not a token\nscheme \"\" is neither http nor https"},
	} {
		for _, v := range []struct {
			Version
			edit *strings.Replacer
		}{
			{HTTP2, strings.NewReplacer()},
			{HTTP3, strings.NewReplacer("HTTP/2", "HTTP/3", "RFC 9113 section 8.2.2", "RFC 9114 section 4.2")},
		} {
			spec := Spec{Method: "GET", Scheme: "https", Authority: "a", Path: "/"}
			test.edit(&spec)
			if _, err := spec.Fields(v.Version); err == nil || err.Error() != v.edit.Replace(test.want) {
				t.Errorf("%s: %+v: %v, want %s", v.name, spec, err, v.edit.Replace(test.want))
			}
		}
	}
}
