package target

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/valyala/fasthttp"
)

// ending is what becomes of a connection after the bytes of a misbehaviour.
type ending uint8

const (
	endFIN  ending = iota // FIN at once; what the client still sends is read
	endRST                // RST at once
	endHold               // nothing, until the client closes or maxHold is over; then FIN
)

// misbehaviour is one way not to answer as asked. doc.go lists all of them.
type misbehaviour struct {
	name string
	wire string // all bytes of the answer
	end  ending
	slow bool // the bytes go out one at a time

	index  int // of the counter in server.asked
	status int // answer well, with this status; 0: the bytes of wire
}

// Pieces of the answers.
const (
	statusLine = "HTTP/1.1 200 OK\r\n"
	chunked    = "Transfer-Encoding: chunked\r\n\r\n"
	goodAnswer = statusLine + "Content-Length: 2\r\n\r\nok"
	halfHead   = statusLine + "Content-Le"
	halfBody   = statusLine + "Content-Length: 10\r\n\r\nhalf "
)

// A head of 64 KiB and more: 65 lines of 1024 bytes, beside what a head needs.
const (
	paddingLines     = 65
	paddingLineBytes = 1024
)

// tlsAlert is what a TLS server answers to a plain request: a record of
// protocol 1.0 with the fatal alert handshake_failure (RFC 8446, 5.1 and 6).
const tlsAlert = "\x15\x03\x01\x00\x02\x02\x28"

// misbehaviours are all kinds but status/{code}, in the order of doc.go.
var misbehaviours = [...]misbehaviour{
	{name: "close-before"},
	{name: "close-in-head", wire: halfHead},
	{name: "close-in-body", wire: statusLine + chunked + "a\r\nhalf "},
	{name: "close-after", wire: goodAnswer},
	{name: "rst-before", end: endRST},
	{name: "rst-in-body", wire: halfBody, end: endRST},
	{name: "stall-before", end: endHold},
	{name: "stall-in-head", wire: halfHead, end: endHold},
	{name: "stall-in-body", wire: halfBody, end: endHold},
	{name: "short-body", wire: halfBody},
	{name: "long-body", wire: goodAnswer + " and more"},
	{name: "two-lengths", wire: statusLine + "Content-Length: 2\r\nContent-Length: 3\r\n\r\nok!"},
	{name: "length-and-chunked", wire: statusLine + "Content-Length: 2\r\n" + chunked + "2\r\nok\r\n0\r\n\r\n"},
	{name: "bad-chunk", wire: statusLine + chunked + "2\r\nok\r\nxyz\r\n"},
	{name: "extra-bytes", wire: goodAnswer + goodAnswer},
	{name: "slow", wire: statusLine + "Content-Length: 2\r\nConnection: close\r\n\r\nok", slow: true},
	{name: "garbage", wire: tlsAlert},
	{name: "huge-head", wire: statusLine + padding() + "Content-Length: 2\r\n\r\nok"},
	{name: "http10-close", wire: "HTTP/1.0 200 OK\r\n\r\nok"},
}

// numMisbehaviours counts status/{code} too, whatever the code.
const numMisbehaviours = len(misbehaviours) + 1

func padding() string {
	const name, end = "X-Padding: ", "\r\n"
	line := name + strings.Repeat("x", paddingLineBytes-len(name)-len(end)) + end
	return strings.Repeat(line, paddingLines)
}

// findMisbehaviour returns the kind that a path names after /fault/. The error
// lists all.
func findMisbehaviour(spec string) (misbehaviour, error) {
	for i, m := range misbehaviours {
		if m.name == spec {
			m.index = i
			return m, nil
		}
	}
	if text, isStatus := strings.CutPrefix(spec, "status/"); isStatus {
		code, err := strconv.ParseUint(text, 10, 16)
		if err != nil || code < fasthttp.StatusOK || code > 599 {
			return misbehaviour{}, fmt.Errorf("fault status %q: expected 200 to 599 such as /fault/status/503", text)
		}
		return misbehaviour{name: spec, status: int(code), index: len(misbehaviours)}, nil
	}
	var names []string
	for _, m := range misbehaviours {
		names = append(names, m.name)
	}
	return misbehaviour{}, fmt.Errorf("fault %q: expected one of %s, status/{code}", spec, strings.Join(names, ", "))
}
