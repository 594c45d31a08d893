package h1

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestRender(t *testing.T) {
	for _, test := range []struct {
		name        string
		spec        RequestSpec
		keep, close string
		head, once  bool
	}{
		{
			name:  "get",
			spec:  RequestSpec{Method: "GET", Target: "/x?y", Host: "target:8080", Header: []Field{{"User-Agent", "scalbench"}, {"Accept", "*/*"}}},
			keep:  "GET /x?y HTTP/1.1\r\nHost: target:8080\r\nUser-Agent: scalbench\r\nAccept: */*\r\n\r\n",
			close: "GET /x?y HTTP/1.1\r\nHost: target:8080\r\nUser-Agent: scalbench\r\nAccept: */*\r\nConnection: close\r\n\r\n",
		},
		{
			name:  "repeated fields stay, in order",
			spec:  RequestSpec{Method: "GET", Target: "/", Host: "h", Header: []Field{{"X", "1"}, {"Y", ""}, {"x", "2"}, {"X", "1"}}},
			keep:  "GET / HTTP/1.1\r\nHost: h\r\nX: 1\r\nY: \r\nx: 2\r\nX: 1\r\n\r\n",
			close: "GET / HTTP/1.1\r\nHost: h\r\nX: 1\r\nY: \r\nx: 2\r\nX: 1\r\nConnection: close\r\n\r\n",
		},
		{
			name:  "head",
			spec:  RequestSpec{Method: "HEAD", Target: "/", Host: "h"},
			keep:  "HEAD / HTTP/1.1\r\nHost: h\r\n\r\n",
			close: "HEAD / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
			head:  true,
		},
		{
			name:  "method in lower case is another method",
			spec:  RequestSpec{Method: "head", Target: "/", Host: "h"},
			keep:  "head / HTTP/1.1\r\nHost: h\r\n\r\n",
			close: "head / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
		},
		{
			name:  "body",
			spec:  RequestSpec{Method: "POST", Target: "/", Host: "h", Body: []byte("a\r\n\x00")},
			keep:  "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\na\r\n\x00",
			close: "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\nConnection: close\r\n\r\na\r\n\x00",
		},
		{
			name:  "body of a get",
			spec:  RequestSpec{Method: "GET", Target: "/", Host: "h", Body: []byte("ab")},
			keep:  "GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nab",
			close: "GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nConnection: close\r\n\r\nab",
		},
		{
			name:  "no body where one is expected",
			spec:  RequestSpec{Method: "PUT", Target: "/", Host: "h"},
			keep:  "PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n",
			close: "PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
		},
		{
			name:  "own content-length",
			spec:  RequestSpec{Method: "POST", Target: "/", Host: "h", Header: []Field{{"content-length", "2"}, {"X", "1"}}, Body: []byte("ab")},
			keep:  "POST / HTTP/1.1\r\nHost: h\r\ncontent-length: 2\r\nX: 1\r\n\r\nab",
			close: "POST / HTTP/1.1\r\nHost: h\r\ncontent-length: 2\r\nX: 1\r\nConnection: close\r\n\r\nab",
		},
		{
			name:  "own host",
			spec:  RequestSpec{Method: "GET", Target: "/", Host: "h", Header: []Field{{"X", "1"}, {"host", "other"}}},
			keep:  "GET / HTTP/1.1\r\nHost: other\r\nX: 1\r\n\r\n",
			close: "GET / HTTP/1.1\r\nHost: other\r\nX: 1\r\nConnection: close\r\n\r\n",
		},
		{
			name:  "own empty host",
			spec:  RequestSpec{Method: "GET", Target: "/", Header: []Field{{"Host", ""}}},
			keep:  "GET / HTTP/1.1\r\nHost: \r\n\r\n",
			close: "GET / HTTP/1.1\r\nHost: \r\nConnection: close\r\n\r\n",
		},
		{
			name:  "own keep-alive",
			spec:  RequestSpec{Method: "GET", Target: "/", Host: "h", Header: []Field{{"connection", "Keep-Alive"}}},
			keep:  "GET / HTTP/1.1\r\nHost: h\r\nconnection: Keep-Alive\r\n\r\n",
			close: "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
		},
		{
			name:  "own connection list",
			spec:  RequestSpec{Method: "GET", Target: "/", Host: "h", Header: []Field{{"Connection", "keep-alive, ,TE"}, {"TE", "trailers"}}},
			keep:  "GET / HTTP/1.1\r\nHost: h\r\nConnection: keep-alive, ,TE\r\nTE: trailers\r\n\r\n",
			close: "GET / HTTP/1.1\r\nHost: h\r\nConnection: TE\r\nTE: trailers\r\nConnection: close\r\n\r\n",
		},
		{
			name:  "own close",
			spec:  RequestSpec{Method: "GET", Target: "/", Host: "h", Header: []Field{{"Connection", "foo, Close"}}},
			keep:  "GET / HTTP/1.1\r\nHost: h\r\nConnection: foo, Close\r\n\r\n",
			close: "GET / HTTP/1.1\r\nHost: h\r\nConnection: foo, Close\r\n\r\n",
			once:  true,
		},
		{
			name:  "options asterisk",
			spec:  RequestSpec{Method: "OPTIONS", Target: "*", Host: "h"},
			keep:  "OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n",
			close: "OPTIONS * HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
		},
		{
			name:  "absolute target",
			spec:  RequestSpec{Method: "GET", Target: "http://[::1]:80/", Host: "[::1]:80"},
			keep:  "GET http://[::1]:80/ HTTP/1.1\r\nHost: [::1]:80\r\n\r\n",
			close: "GET http://[::1]:80/ HTTP/1.1\r\nHost: [::1]:80\r\nConnection: close\r\n\r\n",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := Render(test.spec)
			if err != nil {
				t.Fatal(err)
			}
			if string(got.Keep) != test.keep || string(got.Close) != test.close || got.Head != test.head || got.Once != test.once {
				t.Errorf("got  %q\n     %q head %v once %v\nwant %q\n     %q head %v once %v",
					got.Keep, got.Close, got.Head, got.Once, test.keep, test.close, test.head, test.once)
			}
			for _, b := range [][]byte{got.Keep, got.Close} {
				checkParses(t, test.spec, b)
			}
		})
	}
}

// checkParses reads rendered bytes with net/http: exactly one request.
func checkParses(t *testing.T, spec RequestSpec, b []byte) {
	t.Helper()
	r := bufio.NewReader(bytes.NewReader(b))
	request, err := http.ReadRequest(r)
	if err != nil {
		t.Errorf("net/http refuses %q: %v", b, err)
		return
	}
	body, err := io.ReadAll(request.Body)
	if err != nil || !bytes.Equal(body, spec.Body) || request.Method != spec.Method || request.RequestURI != spec.Target || r.Buffered() > 0 {
		t.Errorf("net/http reads %s %s, body %q (%v), %d bytes left of %q", request.Method, request.RequestURI, body, err, r.Buffered(), b)
	}
}

func TestRenderRefuses(t *testing.T) {
	good := RequestSpec{Method: "GET", Target: "/", Host: "h"}
	with := func(change func(*RequestSpec)) RequestSpec {
		spec := good
		change(&spec)
		return spec
	}
	header := func(fields ...Field) RequestSpec {
		return with(func(s *RequestSpec) { s.Header = fields })
	}
	for _, test := range []struct {
		spec RequestSpec
		want []string // one line for each fault
	}{
		{with(func(s *RequestSpec) { s.Method = "" }), []string{`method "" is not a token`}},
		{with(func(s *RequestSpec) { s.Method = "GET /" }), []string{`method "GET /" is not a token`}},
		{with(func(s *RequestSpec) { s.Method = "GET\r\n" }), []string{`method "GET\r\n" is not a token`}},
		{with(func(s *RequestSpec) { s.Method = "CONNECT" }), []string{"method CONNECT opens a tunnel, which is no load"}},
		{with(func(s *RequestSpec) { s.Target = "" }), []string{`target "" is neither a path nor an absolute URL`}},
		{with(func(s *RequestSpec) { s.Target = "x" }), []string{`target "x" is neither a path nor an absolute URL`}},
		{with(func(s *RequestSpec) { s.Target = "*" }), []string{"target * goes with OPTIONS only, not with GET"}},
		{with(func(s *RequestSpec) { s.Target = "/a b" }), []string{`target "/a b" holds ' ', which has to be percent-encoded`}},
		{with(func(s *RequestSpec) { s.Target = "/\n" }), []string{`target "/\n" holds '\n', which has to be percent-encoded`}},
		{with(func(s *RequestSpec) { s.Target = "/#a" }), []string{`target "/#a" has a fragment, which is never sent`}},
		{with(func(s *RequestSpec) { s.Host = "" }), []string{"no host"}},
		{with(func(s *RequestSpec) { s.Host = "h\r\nX: 1" }), []string{`host "h\r\nX: 1" is not a name or an address with an optional port`}},
		{with(func(s *RequestSpec) { s.Host = "h/x" }), []string{`host "h/x" is not a name or an address with an optional port`}},
		{with(func(s *RequestSpec) { s.Host = "a@h" }), []string{`host "a@h" is not a name or an address with an optional port`}},
		{header(Field{"Host", "a"}, Field{"HOST", "a"}), []string{"2 host fields, of which a server has to refuse the request (RFC 9112 section 3.2)"}},
		{header(Field{"Host", "a b"}), []string{`host "a b" is not a name or an address with an optional port`}},
		{header(Field{"", "a"}), []string{`header field 1: name "" is not a token`}},
		{header(Field{"X", "a"}, Field{"Y:", "a"}), []string{`header field 2: name "Y:" is not a token`}},
		{header(Field{"X", "a\x00b"}), []string{`header field 1: value of "X" holds a control character`}},
		{header(Field{"X", "a\nb"}), []string{`header field 1: value of "X" holds a control character`}},
		{header(Field{"X", "a\r"}), []string{`header field 1: value of "X" holds a control character`}},
		{header(Field{"transfer-encoding", "chunked"}), []string{"header field 1: transfer-encoding: bodies are sent with their length only"}},
		{header(Field{"Content-Length", "1"}), []string{`content-length "1", but the body has 0 bytes`}},
		{header(Field{"Content-Length", "00"}), []string{`content-length "00", but the body has 0 bytes`}},
		{header(Field{"Content-Length", "0"}, Field{"Content-Length", "0"}), []string{"2 content-length fields"}},
		{
			RequestSpec{Method: "G T", Target: "x y", Header: []Field{{"A B", "\r"}, {"C", "\n"}, {"Content-Length", "9"}}, Body: []byte("ab")},
			[]string{
				`method "G T" is not a token`,
				`target "x y" holds ' ', which has to be percent-encoded`,
				"no host",
				`header field 1: name "A B" is not a token`,
				`header field 1: value of "A B" holds a control character`,
				`header field 2: value of "C" holds a control character`,
				`content-length "9", but the body has 2 bytes`,
			},
		},
	} {
		got, err := Render(test.spec)
		if err == nil {
			t.Errorf("%+v: rendered %q, want an error", test.spec, got.Keep)
			continue
		}
		if want := strings.Join(test.want, "\n"); err.Error() != want {
			t.Errorf("%+v:\ngot  %s\nwant %s", test.spec, err, want)
		}
	}
}
