package target

import (
	"bytes"
	"fmt"
	"io"

	"github.com/valyala/fasthttp"
)

// okBody is the body of every route without a file.
var okBody = []byte("ok")

const (
	getMethod    = "GET"
	readMethods  = "GET, HEAD"
	writeMethods = "GET, HEAD, POST, PUT"
)

const notFoundText = `no such route; there are
/respond                    2 bytes; POST and PUT read and ignore a body
/respond-1k                 1 KiB from memory
/static-small               a file of 1 KiB
/static-1m                  a file of 1 MiB
/delay/2ms                  answers after that time
/stall?every=1s&for=200ms   answers at once, but not in the first 200 ms of each second
/proxy                      what the upstream answers to /respond-1k; /proxy/X to /X
/cache-hit                  the same from memory after the first time; /cache-hit/X
/fault/close-before         misbehaves; /fault lists the ways
/ok                         readiness
`

// handle answers one request. It runs on the connection's goroutine.
func (s *server) handle(ctx *fasthttp.RequestCtx) {
	path := ctx.Path()
	switch string(path) { // compared in place, no string is made
	case "/respond":
		s.respond(ctx)
	case "/respond-1k":
		if allowed(ctx, readMethods) {
			ctx.Response.SetBodyRaw(s.memory)
		}
	case "/static-small":
		if allowed(ctx, readMethods) {
			s.staticSmall(ctx)
		}
	case "/static-1m":
		if allowed(ctx, readMethods) {
			s.static1M(ctx)
		}
	case "/stall":
		if allowed(ctx, readMethods) {
			s.stall(ctx)
		}
	case "/ok":
		if allowed(ctx, readMethods) {
			ok(ctx)
		}
	default:
		s.handleFurther(ctx, path)
	}
}

// handleFurther answers the routes that have something after their first
// segment, or may have.
func (s *server) handleFurther(ctx *fasthttp.RequestCtx, path []byte) {
	first, rest := path, []byte(nil) // "/delay" and "/2ms"
	if i := bytes.IndexByte(path[1:], '/'); i >= 0 {
		first, rest = path[:1+i], path[1+i:]
	}
	switch string(first) {
	case "/delay":
		if allowed(ctx, readMethods) {
			s.delay(ctx, bytes.TrimPrefix(rest, []byte("/")))
		}
	case "/proxy":
		if allowed(ctx, readMethods) {
			s.proxy(ctx, rest)
		}
	case "/cache-hit":
		if allowed(ctx, readMethods) {
			s.cacheHit(ctx, rest)
		}
	case "/fault":
		if allowed(ctx, getMethod) {
			s.misbehave(ctx, bytes.TrimPrefix(rest, []byte("/")))
		}
	default:
		ctx.Error(notFoundText, fasthttp.StatusNotFound)
	}
}

// respond answers from memory. A body is read to its end first, as a server
// that uses it would.
func (s *server) respond(ctx *fasthttp.RequestCtx) {
	if !allowed(ctx, writeMethods) {
		return
	}
	if body := ctx.RequestBodyStream(); body != nil {
		if _, err := io.Copy(io.Discard, body); err != nil {
			// The framing is broken or the client is gone: fasthttp closes
			// the connection after this answer, whoever may read it.
			ctx.Error(fmt.Sprintf("read body: %v\n", err), fasthttp.StatusBadRequest)
			return
		}
	}
	ok(ctx)
}

func ok(ctx *fasthttp.RequestCtx) { ctx.Response.SetBodyRaw(okBody) }

// allowed tells whether methods, the value of an Allow field, holds the
// request's method; if not, it has answered 405 (RFC 9110, 15.5.6).
func allowed(ctx *fasthttp.RequestCtx, methods string) bool {
	header := &ctx.Request.Header
	switch {
	case header.IsGet():
		return true
	case header.IsHead():
		if methods != getMethod {
			return true
		}
	case header.IsPost(), header.IsPut():
		if methods == writeMethods {
			return true
		}
	}
	ctx.Error(fmt.Sprintf("method %s is not allowed for %s; allowed are %s\n", header.Method(), ctx.Path(), methods),
		fasthttp.StatusMethodNotAllowed)
	ctx.Response.Header.Set(fasthttp.HeaderAllow, methods)
	return false
}
