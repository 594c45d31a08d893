package target

import (
	"errors"
	"fmt"

	"github.com/valyala/fasthttp"
)

// upstreamPath is what is asked of the upstream when the client's path names
// nothing further.
const upstreamPath = "/respond-1k"

// proxy asks the upstream for the rest of the path, and hands its answer on.
func (s *server) proxy(ctx *fasthttp.RequestCtx, rest []byte) {
	response := fasthttp.AcquireResponse()
	defer fasthttp.ReleaseResponse(response)
	if s.ask(ctx, rest, response) {
		handOn(ctx, response)
	}
}

// ask fetches the rest of the path from the upstream. When that gives no
// answer, it has answered the client itself.
func (s *server) ask(ctx *fasthttp.RequestCtx, rest []byte, response *fasthttp.Response) (answered bool) {
	if s.upstream == nil {
		ctx.Error(fmt.Sprintf("%s needs an upstream, and this server was started without one\n", ctx.Path()), fasthttp.StatusNotFound)
		return false
	}
	err := s.upstream.fetch(ctx.Method(), orDefaultPath(rest), ctx.QueryArgs().QueryString(), response)
	if err == nil {
		return true
	}
	select {
	case <-s.ending: // our own doing
		s.overtaken(ctx)
		return false
	default:
	}
	s.cache.empty()
	s.faults.Printf("%v", err)
	status := fasthttp.StatusBadGateway
	var failed *upstreamError
	if errors.As(err, &failed) {
		status = failed.status
	}
	ctx.Error(err.Error()+"\n", status)
	return false
}

func orDefaultPath(rest []byte) []byte {
	if len(rest) == 0 {
		return []byte(upstreamPath)
	}
	return rest
}

// handOn gives the client the upstream's status, content type and body. The
// rest of the head is this server's own: nothing that belongs to the
// connection behind it can leak (RFC 9110, 7.6.1).
func handOn(ctx *fasthttp.RequestCtx, from *fasthttp.Response) {
	ctx.SetStatusCode(from.StatusCode())
	ctx.SetContentTypeBytes(from.Header.ContentType())
	if ctx.IsHead() {
		ctx.Response.Header.SetContentLength(from.Header.ContentLength())
		return
	}
	ctx.SetBody(from.Body())
}
