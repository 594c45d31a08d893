package target

import (
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"
	"github.com/valyala/fasthttp"
)

// http1OnlyText is the body of the 404 for kinds that HTTP/3 has nothing like.
const http1OnlyText = "/fault/%s is there with HTTP/1.1 in cleartext only\n"

// resetCode is what a reset by a misbehaviour says (RFC 9114, 8.1).
const resetCode = quic.StreamErrorCode(http3.ErrCodeInternalError)

// misbehaveSecure answers /fault/{kind} over TLS: with HTTP/3 as the kind says, on
// the stream of the request, or with "ok" where the options spare it.
func (s *server) misbehaveSecure(w http.ResponseWriter, r *http.Request, spec string) {
	streamer, isHTTP3 := w.(http3.HTTPStreamer)
	if !isHTTP3 {
		say(w, r, http.StatusNotFound, fmt.Sprintf(cleartextOnlyText, r.URL.Path))
		return
	}
	kind, err := findMisbehaviour(spec)
	if err != nil {
		say(w, r, http.StatusNotFound, err.Error()+"\n")
		return
	}
	options, err := parseQuery(r.URL.RawQuery, kind)
	if err != nil {
		say(w, r, http.StatusBadRequest, err.Error()+"\n")
		return
	}
	wire, onStream := streamAnswer(kind.name)
	if kind.status == 0 && !onStream {
		say(w, r, http.StatusNotFound, fmt.Sprintf(http1OnlyText, kind.name))
		return
	}
	switch {
	case !options.concern(requestNumber(r.Body), &s.asked[kind.index]):
		send(w, r, okBody)
	case kind.status != 0:
		sayStatus(w, r, kind.status)
	default:
		s.takeStream(streamer, kind, wire, options.pace)
	}
}

// parseQuery reads the options from a query as it was sent.
func parseQuery(query string, kind misbehaviour) (misbehaveOptions, error) {
	args := fasthttp.AcquireArgs()
	defer fasthttp.ReleaseArgs(args)
	args.Parse(query)
	return parseMisbehaveOptions(args, kind)
}

// requestNumber counts the requests of a connection from 1: each has a stream of
// its own, whose numbers are 0, 4, 8 and so on (RFC 9000, 2.1).
func requestNumber(body io.Reader) uint64 {
	stream := body.(interface{ StreamID() quic.StreamID })
	return uint64(stream.StreamID())/4 + 1
}

// sayStatus answers "ok" with a status, two of which have no body (RFC 9110,
// 6.4.1).
func sayStatus(w http.ResponseWriter, r *http.Request, status int) {
	if status == http.StatusNoContent || status == http.StatusNotModified {
		w.WriteHeader(status)
		return
	}
	say(w, r, status, string(okBody))
}

// takeStream takes the stream of a request from quic-go, which then writes
// nothing, and misbehaves on it. The connection and its other streams go on.
func (s *server) takeStream(streamer http3.HTTPStreamer, kind misbehaviour, wire string, pace time.Duration) {
	stream, err := streamer.HTTPStream()
	if err != nil {
		return // the client is gone
	}
	defer stream.CancelRead(quic.StreamErrorCode(http3.ErrCodeNoError)) // a body is ignored
	// Its own Write would make frames of the bytes.
	raw, gone := stream.QUICStream(), stream.Context().Done()
	// A client that reads nothing must not hold a goroutine for ever.
	_ = raw.SetWriteDeadline(time.Now().Add(maxHold))
	step := len(wire)
	if kind.slow {
		step = 1
	}
	whole := s.writeSteps(raw, wire, step, pace, gone)
	if kind.end == endHold {
		whole = whole && s.wait(maxHold, gone)
	}
	if kind.end == endRST || !whole {
		stream.CancelWrite(resetCode)
		return
	}
	_ = stream.Close() // it fails for a client that is gone
}
