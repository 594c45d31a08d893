package h2

import (
	"strings"
	"testing"

	"golang.org/x/net/http2/hpack"

	"github.com/scalws/scalbench/loadgen/internal/request"
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
		{"no body where one is expected", request.Spec{Method: "POST", Scheme: "https", Authority: "a", Path: "/"},
			":method: POST\n:scheme: https\n:authority: a\n:path: /\ncontent-length: 0"},
		{"own length", request.Spec{Method: "POST", Scheme: "https", Authority: "a", Path: "/", Body: []byte("abc"), Header: []request.Field{{Name: "Content-Length", Value: "3"}, {Name: "x", Value: "y"}}},
			":method: POST\n:scheme: https\n:authority: a\n:path: /\ncontent-length: 3\nx: y"},
		{"asterisk", request.Spec{Method: "OPTIONS", Scheme: "https", Authority: "a", Path: "*"},
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
	r := testRequest(t, func(s *request.Spec) { s.Method, s.Body = "POST", body })
	body[0] = 'x'
	if string(r.body) != "abc" {
		t.Errorf("body %q", r.body)
	}
}
