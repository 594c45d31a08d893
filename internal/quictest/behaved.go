package quictest

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"sync"
)

// requestCancelled is H3_REQUEST_CANCELLED (RFC 9114, 8.1).
const requestCancelled = 0x10c

// Answer is a serve that gives every request a 200 with this body, all requests
// of a connection at the same time. A HEAD gets no body, and what cannot be
// decoded a 400.
func Answer(body []byte) func(ctx context.Context, c *Conn) {
	return func(ctx context.Context, c *Conn) {
		answerAll(ctx, c, func([]byte) []byte { return body })
	}
}

// Echo is a serve like [Answer] that gives back the body of each request.
func Echo(ctx context.Context, c *Conn) {
	answerAll(ctx, c, func(body []byte) []byte { return body })
}

// answerAll returns when the connection has ended: before that there is always a
// next request, and after it no stream holds anybody up.
func answerAll(ctx context.Context, c *Conn, bodyFor func(requestBody []byte) []byte) {
	if c.Settings(ctx) != nil {
		return
	}
	var answering sync.WaitGroup
	defer answering.Wait()
	for {
		// Unread, because a request that is long in coming must not keep those
		// behind it from the room that they share in the connection's window.
		r, err := c.AcceptUnread(ctx)
		if err != nil {
			return
		}
		answering.Go(func() { r.answer(bodyFor) })
	}
}

// answer ignores errors of writing: they are the client's, which stopped the
// response or closed the connection, and end the stream by themselves.
func (r *Request) answer(bodyFor func(requestBody []byte) []byte) {
	if r.ReadAll() != nil {
		return
	}
	if r.Canceled {
		r.Reset(requestCancelled)
		return
	}
	fields, requestBody, err := r.Message()
	if err != nil {
		r.Headers(http.StatusBadRequest)
		r.Finish()
		return
	}
	body := bodyFor(requestBody)
	r.Headers(http.StatusOK, "content-length", strconv.Itoa(len(body)))
	if len(body) > 0 && !isHead(fields) {
		r.Data(body)
	}
	r.Finish()
}

// isHead finds the method among names and values in turn.
func isHead(namesAndValues []string) bool {
	i := slices.Index(namesAndValues, ":method")
	return i >= 0 && i%2 == 0 && namesAndValues[i+1] == http.MethodHead
}
