//go:build !race

package target

import (
	"io"
	"testing"

	"github.com/valyala/fasthttp"
)

func TestHandlerAllocations(t *testing.T) {
	made, err := makeFiles(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s, err := newServer(Config{}, made, newFaultLog(io.Discard))
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
			s.handle(&ctx) // grows the pooled body buffer
			got := testing.AllocsPerRun(1000, func() { s.handle(&ctx) })
			if got > test.want || ctx.Response.StatusCode() != 200 {
				t.Errorf("%g allocations, status %d; want at most %g, 200", got, ctx.Response.StatusCode(), test.want)
			}
		})
	}
}
