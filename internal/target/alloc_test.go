//go:build !race

package target

import (
	"io"
	"net/http"
	"testing"

	"github.com/valyala/fasthttp"
)

func TestHandlerAllocations(t *testing.T) {
	made, err := makeFiles(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s, err := newServer(Config{}, made, newFaultLog(io.Discard), startDelayer(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	s.cache.put([]byte("?"), cached{contentType: "text/plain; charset=utf-8", body: s.memory})
	for _, test := range []struct {
		path string
		want float64
	}{
		{"/respond", 0},
		{"/respond-1k", 0},
		{"/cache-hit", 0},
		{"/static-small", 1}, // the path as a C string for openat
	} {
		t.Run(test.path, func(t *testing.T) {
			var ctx fasthttp.RequestCtx
			ctx.Request.SetRequestURI(test.path)
			handle := addingFields([]field{{"X-A", "1"}, {"X-A", "2"}}, s.handle)
			asked := func() { ctx.Response.Reset(); handle(&ctx) } // as for the next request of a connection
			asked()                                                // grows the pooled body buffer
			got := testing.AllocsPerRun(1000, asked)
			if got > test.want || ctx.Response.StatusCode() != 200 {
				t.Errorf("%g allocations, status %d; want at most %g, 200", got, ctx.Response.StatusCode(), test.want)
			}
		})
	}
}

// What the server over TLS adds to net/http's own allocations.
func TestSecureHandlerAllocations(t *testing.T) {
	made, err := makeFiles(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s, err := newServer(secureConfig(t), made, newFaultLog(io.Discard), startDelayer(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		path string
		want float64
	}{
		{"/respond", 0},
		{"/respond-1k", 0},
		{"/static-small", 1}, // the path as a C string for openat
		{"/static-1m", 1},
	} {
		t.Run(test.path, func(t *testing.T) {
			r, err := http.NewRequest("GET", "https://h"+test.path, http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			w := &discardingWriter{header: http.Header{}}
			handle := addingFieldsSecure([]field{{"X-A", "1"}, {"X-A", "2"}}, s.handleSecure)
			handle(w, r) // fills the pool of buffers and the header's table
			got := testing.AllocsPerRun(1000, func() { handle(w, r) })
			if got > test.want || w.status != 0 {
				t.Errorf("%g allocations, status %d; want at most %g, none said", got, w.status, test.want)
			}
		})
	}
}
