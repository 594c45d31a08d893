package target

import (
	"bytes"
	"strings"

	"github.com/quic-go/qpack"
	"github.com/quic-go/quic-go/quicvarint"
)

// Types of frames (RFC 9114, 7.2).
const (
	dataFrame    = 0x0
	headersFrame = 0x1

	// reservedFrame is one that whoever receives it ignores (RFC 9114, 7.2.8).
	reservedFrame = 0x21
)

// fillerBytes is more than one packet has: what was written before it has been
// sent when all of it is taken.
const fillerBytes = 4 << 10

// streamAnswer returns all bytes of a misbehaviour on the stream of its request
// with HTTP/3, as doc.go describes them; there is false where it has none.
func streamAnswer(kind string) (wire string, there bool) {
	halfHead := headFrame("content-length", "2")[:3] // type, length, one byte of the fields
	halfBody := headFrame("content-length", "10") + frame(dataFrame, "half ")
	good := headFrame("content-length", "2") + frame(dataFrame, "ok")
	switch kind {
	case "close-before", "rst-before", "stall-before":
		return "", true
	case "close-in-head", "stall-in-head":
		return halfHead, true
	case "close-in-body":
		cut := frame(dataFrame, "half of it")
		return headFrame() + cut[:len(cut)-len("of it")], true
	case "stall-in-body", "short-body":
		return halfBody, true
	case "rst-in-body":
		return halfBody + frame(reservedFrame, strings.Repeat("\x00", fillerBytes)), true
	case "long-body":
		return headFrame("content-length", "2") + frame(dataFrame, "ok and more"), true
	case "two-lengths":
		return headFrame("content-length", "2", "content-length", "3") + frame(dataFrame, "ok!"), true
	case "length-and-chunked":
		return headFrame("content-length", "2", "transfer-encoding", "chunked") + frame(dataFrame, "ok"), true
	case "extra-bytes":
		return good + good, true
	case "slow":
		return good, true
	case "garbage":
		return tlsAlert, true
	case "huge-head":
		return headFrame(append(paddingFields(), "content-length", "2")...) + frame(dataFrame, "ok"), true
	}
	return "", false
}

// paddingFields are the names and values of a head of 64 KiB and more.
func paddingFields() (pairs []string) {
	const name = "x-padding"
	value := strings.Repeat("x", paddingLineBytes-len(name))
	for range paddingLines {
		pairs = append(pairs, name, value)
	}
	return pairs
}

// headFrame returns the HEADERS frame of a 200 with more fields, given as names
// and values in turn.
func headFrame(pairs ...string) string {
	var fields bytes.Buffer
	encoder := qpack.NewEncoder(&fields)
	// Into memory it cannot fail.
	_ = encoder.WriteField(qpack.HeaderField{Name: ":status", Value: "200"})
	for i := 0; i+1 < len(pairs); i += 2 {
		_ = encoder.WriteField(qpack.HeaderField{Name: pairs[i], Value: pairs[i+1]})
	}
	return frame(headersFrame, fields.String())
}

// frame returns a frame of HTTP/3 (RFC 9114, 7.1).
func frame(kind uint64, payload string) string {
	head := quicvarint.Append(quicvarint.Append(nil, kind), uint64(len(payload)))
	return string(head) + payload
}
