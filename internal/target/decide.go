package target

import (
	"bytes"
	"net/http"
	"time"

	"github.com/valyala/fasthttp"
)

// okBody is the body of every route without a file.
var okBody = []byte("ok")

// textType is the content type of every answer of this server's own; fasthttp
// says it unasked.
const textType = "text/plain; charset=utf-8"

// decision is how a request is to be answered, whichever server it came to.
type decision struct {
	route  route
	restAt int // where in the path stands what is behind the route

	status int    // 200, or that of the refusal
	text   string // the body of the refusal
	allow  string // the Allow field of a 405

	body []byte        // from memory; nil: the route makes it
	hold time.Duration // how long to wait before the answer
}

// decide looks at a request line: the method, the path decoded and without dot
// segments, and the query as it was sent. It keeps none of them, so that they
// may be copies on the caller's stack.
func (s *server) decide(method, path, query []byte) decision {
	found, restAt := findRoute(path)
	if found == noRoute {
		return decision{status: http.StatusNotFound, text: notFoundText}
	}
	methods := found.methods()
	if !allows(methods, method) {
		return decision{status: http.StatusMethodNotAllowed, text: notAllowedText(method, path, methods), allow: methods}
	}
	d := decision{route: found, restAt: restAt, status: http.StatusOK}
	var err error
	switch found {
	case respondRoute, okRoute:
		d.body = okBody
	case respond1kRoute:
		d.body = s.memory
	case delayRoute:
		d.body = okBody
		d.hold, err = parseDelay(string(bytes.TrimPrefix(path[restAt:], []byte("/"))))
	case delayStepsRoute:
		d.body = okBody
		d.hold, err = s.nextStep(query)
	case stallRoute:
		d.body = okBody
		d.hold, err = s.stallNow(query)
	}
	if err != nil {
		return decision{status: http.StatusBadRequest, text: err.Error() + "\n"}
	}
	return d
}

// nextStep returns how long the query of /delay-steps holds the next request of
// that route.
func (s *server) nextStep(query []byte) (time.Duration, error) {
	args := fasthttp.AcquireArgs()
	defer fasthttp.ReleaseArgs(args)
	args.ParseBytes(query)
	steps, err := parseDelaySteps(args)
	if err != nil {
		return 0, err
	}
	return delayOfRank(steps, rankOf(s.stepped.Add(1)-1)), nil
}

// stallNow returns how long the query of /stall holds a request that is here now.
func (s *server) stallNow(query []byte) (time.Duration, error) {
	args := fasthttp.AcquireArgs()
	defer fasthttp.ReleaseArgs(args)
	args.ParseBytes(query)
	every, hold, err := parseStall(string(args.Peek("every")), string(args.Peek("for")))
	if err != nil {
		return 0, err
	}
	return stallLeft(s.delays.clock.Now(), s.start, every, hold), nil
}
