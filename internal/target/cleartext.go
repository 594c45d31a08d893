package target

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"github.com/valyala/fasthttp"
)

// prefetchBytes is what is read of a request's body before its handler runs.
// The handler discards the rest in a small buffer, so that a body of any size
// costs no memory.
const prefetchBytes = 64 << 10

// newCleartext makes the server of HTTP/1.1 without TLS, whose answers have the
// fields too.
func (s *server) newCleartext(fields []field) *fasthttp.Server {
	return &fasthttp.Server{
		Name:      serverName,
		Handler:   s.burner.after(addingFields(fields, s.handle)),
		Logger:    s.faults,
		ConnState: s.conns.track,

		// Saves a clock reading per request; no route asks for the time it
		// came in.
		LazyRequestTime: true,

		// A POST of any size is read and ignored without being kept.
		StreamRequestBody:            true,
		MaxRequestBodySize:           prefetchBytes,
		DisablePreParseMultipartForm: true,
	}
}

// handle answers one request. It runs on the connection's goroutine.
func (s *server) handle(ctx *fasthttp.RequestCtx) {
	path := ctx.Path()
	d := s.decide(ctx.Method(), path, ctx.URI().QueryString())
	if d.text != "" {
		refuse(ctx, d)
		return
	}
	switch d.route {
	case respondRoute:
		respond(ctx, d)
	case staticSmallRoute:
		s.staticSmall(ctx)
	case static1MRoute:
		s.static1M(ctx)
	case proxyRoute:
		s.proxy(ctx, path[d.restAt:])
	case cacheHitRoute:
		s.cacheHit(ctx, path[d.restAt:])
	case faultRoute:
		s.misbehave(ctx, bytes.TrimPrefix(path[d.restAt:], []byte("/")))
	default:
		if !s.wait(d.hold, nil) {
			s.overtaken(ctx)
			return
		}
		ctx.Response.SetBodyRaw(d.body)
	}
}

// refuse answers what is not to be had.
func refuse(ctx *fasthttp.RequestCtx, d decision) {
	ctx.Error(d.text, d.status)
	if d.allow != "" {
		ctx.Response.Header.Set(fasthttp.HeaderAllow, d.allow)
	}
}

// respond answers from memory. A body is read to its end first, as a server
// that uses it would.
func respond(ctx *fasthttp.RequestCtx, d decision) {
	if body := ctx.RequestBodyStream(); body != nil {
		if _, err := io.Copy(io.Discard, body); err != nil {
			// The framing is broken or the client is gone: fasthttp closes
			// the connection after this answer, whoever may read it.
			ctx.Error(fmt.Sprintf("read body: %v\n", err), fasthttp.StatusBadRequest)
			return
		}
	}
	ctx.Response.SetBodyRaw(d.body)
}

// staticSmall opens, measures, reads and closes the small file. fasthttp.FS is
// not used: it keeps files open for seconds, so that it measures memory, and
// servers under test are measured with open_file_cache off.
func (s *server) staticSmall(ctx *fasthttp.RequestCtx) {
	var buf [smallBytes]byte // on the stack; SetBody copies into the response's pooled buffer
	n, err := readFile(s.files.small, buf[:])
	if err != nil {
		s.fail(ctx, err)
		return
	}
	ctx.Response.SetBody(buf[:n])
}

// static1M hands the open file to fasthttp, which writes the head, sends the
// file with sendfile(2) and closes it. That happens only for a bare *os.File
// of more than 8 KiB on a bare *net.TCPConn: any wrapper around either falls
// back to read and write.
func (s *server) static1M(ctx *fasthttp.RequestCtx) {
	fd, size, err := openFile(s.files.large)
	if err != nil {
		s.fail(ctx, err)
		return
	}
	// os.Open would cost four more system calls: it tries to make the
	// descriptor non-blocking and to poll it, which no regular file can.
	ctx.Response.SetBodyStream(os.NewFile(uintptr(fd), s.files.large), int(size))
}

// overtaken answers a request that the server's end has come before.
func (s *server) overtaken(ctx *fasthttp.RequestCtx) {
	ctx.Error(endingText, fasthttp.StatusServiceUnavailable)
	ctx.SetConnectionClose()
}

// fail answers 500 for a fault of this server and logs it.
func (s *server) fail(ctx *fasthttp.RequestCtx, err error) {
	s.blame(err)
	ctx.Error(err.Error()+"\n", fasthttp.StatusInternalServerError)
}
