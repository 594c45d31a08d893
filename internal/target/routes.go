package target

import (
	"bytes"
	"fmt"
)

// route is what the first segment of a path names.
type route uint8

const (
	noRoute route = iota
	respondRoute
	respond1kRoute
	staticSmallRoute
	static1MRoute
	delayRoute
	delayStepsRoute
	stallRoute
	proxyRoute
	cacheHitRoute
	faultRoute
	okRoute
)

const notFoundText = `no such route; there are
/respond                    2 bytes; POST and PUT read and ignore a body
/respond-1k                 1 KiB from memory
/static-small               a file of 1 KiB
/static-1m                  a file of 1 MiB
/delay/2ms                  answers after that time
/delay-steps?p50=1ms&p90=5ms&p99=20ms
                            answers after times of that distribution
/stall?every=1s&for=200ms   answers at once, but not in the first 200 ms of each second
/proxy                      what the upstream answers to /respond-1k; /proxy/X to /X
/cache-hit                  the same from memory after the first time; /cache-hit/X
/fault/close-before         misbehaves; /fault lists the ways
/ok                         readiness
`

// findRoute returns the route of a path, and where in it stands what is behind
// its first segment: at "/2ms" of "/delay/2ms".
func findRoute(path []byte) (found route, restAt int) {
	restAt = len(path)
	switch string(path) { // compared in place, no string is made
	case "/respond":
		return respondRoute, restAt
	case "/respond-1k":
		return respond1kRoute, restAt
	case "/static-small":
		return staticSmallRoute, restAt
	case "/static-1m":
		return static1MRoute, restAt
	case "/delay-steps":
		return delayStepsRoute, restAt
	case "/stall":
		return stallRoute, restAt
	case "/ok":
		return okRoute, restAt
	case "": // of CONNECT
		return noRoute, restAt
	}
	// The others have something after their first segment, or may have.
	if i := bytes.IndexByte(path[1:], '/'); i >= 0 {
		restAt = 1 + i
	}
	switch string(path[:restAt]) {
	case "/delay":
		return delayRoute, restAt
	case "/proxy":
		return proxyRoute, restAt
	case "/cache-hit":
		return cacheHitRoute, restAt
	case "/fault":
		return faultRoute, restAt
	}
	return noRoute, restAt
}

// Methods of the routes, as values of an Allow field.
const (
	getMethod    = "GET"
	readMethods  = "GET, HEAD"
	writeMethods = "GET, HEAD, POST, PUT"
)

// methods returns what the route may be asked with.
func (r route) methods() string {
	switch r {
	case respondRoute:
		return writeMethods
	case faultRoute:
		return getMethod
	}
	return readMethods
}

// allows tells whether methods holds method.
func allows(methods string, method []byte) bool {
	switch string(method) {
	case "GET":
		return true
	case "HEAD":
		return methods != getMethod
	case "POST", "PUT":
		return methods == writeMethods
	}
	return false
}

// notAllowedText is the body of a 405 (RFC 9110, 15.5.6).
func notAllowedText(method, path []byte, methods string) string {
	// As strings, which are copies: the bytes themselves may then stay on the
	// caller's stack.
	return fmt.Sprintf("method %s is not allowed for %s; allowed are %s\n", string(method), string(path), methods)
}
