package h3

import (
	"slices"
	"strings"
)

// hostileResponses are cut short, malformed, or no HTTP/3 at all.
var hostileResponses = slices.Concat(cutResponses, malformedResponses, brokenConnections)

// The rows of the tables end in one of these.

// cut is a response that is right as far as it goes.
func cut(status uint16, bodyBytes int64, end Fault) result {
	return result{status: status, bodyBytes: bodyBytes, began: true, end: end}
}

// wrong is a fault ahead of the final field section.
func wrong(fault Fault) result { return result{began: true, feed: fault, end: fault} }

// wrongBody is a fault behind the field section of a 200.
func wrongBody(bodyBytes int64, fault Fault) result {
	return result{status: 200, bodyBytes: bodyBytes, began: true, feed: fault, end: fault}
}

func unexpected(text string) Fault { return connectionFault(FrameUnexpected, text) }

var cutFrame = connectionFault(FrameError, "stream ends inside a frame")

var cutResponses = []response{
	{name: "nothing", want: result{end: malformed("stream ends before the response")}},
	{name: "other-frames-only", bytes: frame(0x21, 1), want: cut(0, 0, malformed("stream ends before the response"))},
	{name: "cut-type", bytes: []byte{0x40}, want: cut(0, 0, cutFrame)},
	{name: "cut-length", bytes: []byte{frameHeaders, 0x80, 0, 0}, want: cut(0, 0, cutFrame)},
	{name: "cut-after-header", bytes: announced(frameHeaders, 3), want: cut(0, 0, cutFrame)},
	{name: "cut-in-section", bytes: join(announced(frameHeaders, 4), []byte{0, 0, 0xc0 | 25}), want: cut(0, 0, cutFrame)},
	{name: "cut-in-other", bytes: join(headers(":status", "200"), announced(0x21, 1<<62-1), []byte("ab")), want: cut(200, 0, cutFrame)},
	{name: "cut-after-interim", bytes: headers(":status", "100"), want: cut(0, 0, malformed("stream ends with an interim response"))},
	{name: "cut-in-data", bytes: join(headers(":status", "200", "content-length", "300"), data(300)[:203]), want: cut(200, 200, cutFrame)}, // 3 of the frame's header
	{name: "cut-in-data-header", bytes: join(headers(":status", "200"), data(3), []byte{frameData}), want: cut(200, 3, cutFrame)},
	{name: "cut-in-trailers", bytes: join(headers(":status", "200"), announced(frameHeaders, 2), []byte{0}), want: cut(200, 0, cutFrame)},
	{name: "shorter", bytes: join(headers(":status", "200", "content-length", "4"), data(3)), want: cut(200, 3, malformed("body shorter than its content-length"))},
	{name: "shorter-no-data", bytes: headers(":status", "200", "content-length", "4"), want: cut(200, 0, malformed("body shorter than its content-length"))},
	{name: "shorter-trailers", bytes: join(headers(":status", "200", "content-length", "4"), data(3), headers()), want: cut(200, 3, malformed("body shorter than its content-length"))},
}

// field is a response with one more field, as it is.
func field(name, value string) []byte {
	return frame(frameHeaders, plain(":status", "200", name, value)...)
}

// status is a response with a status written out.
func status(value string) []byte { return frame(frameHeaders, plain(":status", value)...) }

const notANumber = ":status is not a number from 100 to 999"

var malformedResponses = []response{
	{name: "no-status", bytes: headers("server", "x"), want: wrong(malformed("no :status"))},
	{name: "no-fields", bytes: headers(), want: wrong(malformed("no :status"))},
	{name: "two-status", bytes: headers(":status", "200", ":status", "200"), want: wrong(malformed("two :status"))},
	{name: "status-099", bytes: status("099"), want: wrong(malformed(notANumber))},
	{name: "status-short", bytes: status("20"), want: wrong(malformed(notANumber))},
	{name: "status-long", bytes: status("2000"), want: wrong(malformed(notANumber))},
	{name: "status-word", bytes: status("2x0"), want: wrong(malformed(notANumber))},
	{name: "status-empty", bytes: status(""), want: wrong(malformed(notANumber))},
	{name: "status-signed", bytes: status("+20"), want: wrong(malformed(notANumber))},
	{name: "status-huffman", bytes: headers(":status", "2/0"), want: wrong(malformed(notANumber))},
	{name: "switching", bytes: headers(":status", "101"), want: wrong(malformed("101, which HTTP/3 does not have"))},
	{name: "pseudo-of-request", bytes: headers(":status", "200", ":path", "/"), want: wrong(malformed("pseudo-header that no response has"))},
	{name: "pseudo-unknown", bytes: field(":x", "y"), want: wrong(malformed("pseudo-header that no response has"))},
	{name: "pseudo-late", bytes: headers("server", "x", ":status", "200"), want: wrong(malformed("pseudo-header behind a regular field"))},
	{name: "pseudo-unknown-late", bytes: headers(":status", "200", "server", "x", ":x", "y"), want: wrong(malformed("pseudo-header behind a regular field"))},
	{name: "name-empty", bytes: field("", "v"), want: wrong(malformed("empty field name"))},
	{name: "name-upper-case", bytes: field("X-a", "v"), want: wrong(malformed("upper case in a field name"))},
	{name: "name-upper-case-huffman", bytes: headers(":status", "200", "x-A", "v"), want: wrong(malformed("upper case in a field name"))},
	{name: "name-space", bytes: field("x a", "v"), want: wrong(malformed("invalid character in a field name"))},
	{name: "name-colon", bytes: field("x:a", "v"), want: wrong(malformed("invalid character in a field name"))},
	{name: "name-high-octet", bytes: field("x\x80", "v"), want: wrong(malformed("invalid character in a field name"))},
	{name: "connection", bytes: field("connection", "close"), want: wrong(malformed("connection-specific header field"))},
	{name: "transfer-encoding", bytes: headers(":status", "200", "transfer-encoding", "chunked"), want: wrong(malformed("connection-specific header field"))},
	{name: "first-fault-counts", bytes: headers(":status", "200", "X", "", "", ""), want: wrong(malformed("upper case in a field name"))},
	{name: "interim-malformed", bytes: headers(":status", "103", "X", ""), want: wrong(malformed("upper case in a field name"))},
	{name: "section-above-64-KiB", bytes: frame(frameHeaders, sectionOfBytes(65537)...), want: wrong(streamFault(ExcessiveLoad, "field section above 64 KiB"))},
	{name: "section-announced", bytes: announced(frameHeaders, 1<<62-1), want: wrong(streamFault(ExcessiveLoad, "field section above 64 KiB"))},

	{name: "length-word", bytes: field("content-length", "5x"), want: wrong(malformed("content-length is not a number"))},
	{name: "length-empty", bytes: field("content-length", ""), want: wrong(malformed("content-length is not a number"))},
	{name: "length-signed", bytes: field("content-length", "-5"), want: wrong(malformed("content-length is not a number"))},
	{name: "length-list", bytes: field("content-length", "5, 5"), want: wrong(malformed("content-length is not a number"))},
	{name: "length-overflow", bytes: field("content-length", "9223372036854775808"), want: wrong(malformed("content-length above 2^63-1"))},
	{name: "length-largest", bytes: field("content-length", "9223372036854775807"), want: cut(200, 0, malformed("body shorter than its content-length"))},
	{name: "two-lengths", bytes: headers(":status", "200", "content-length", "5", "content-length", "6"), want: wrong(malformed("two different content-lengths"))},
	{name: "longer", bytes: join(headers(":status", "200", "content-length", "2"), data(3)), want: wrongBody(0, malformed("body longer than its content-length"))},
	{name: "longer-later", bytes: join(headers(":status", "200", "content-length", "2"), data(2), data(0), data(1)), want: wrongBody(2, malformed("body longer than its content-length"))},
	{name: "longer-announced", bytes: join(headers(":status", "200", "content-length", "9223372036854775807"), data(3), announced(frameData, 1<<62-1), data(2)), want: cut(200, 7, cutFrame)}, // 3 and all of the last frame
	{name: "body-to-head", head: true, bytes: join(headers(":status", "200", "content-length", "1"), data(1)), want: wrongBody(0, malformed("body in a response that has none"))},
	{name: "body-of-204", bytes: join(headers(":status", "204"), data(1)), want: result{status: 204, began: true, feed: malformed("body in a response that has none"), end: malformed("body in a response that has none")}},
	{name: "trailers-status", bytes: join(headers(":status", "200"), headers(":status", "200")), want: wrongBody(0, malformed("pseudo-header in the trailers"))},
	{name: "trailers-pseudo", bytes: join(headers(":status", "200"), data(1), headers(":path", "/")), want: wrongBody(1, malformed("pseudo-header that no response has"))},
	{name: "trailers-upper-case", bytes: join(headers(":status", "200"), headers("X", "")), want: wrongBody(0, malformed("upper case in a field name"))},
	{name: "trailers-above-64-KiB", bytes: join(headers(":status", "200"), announced(frameHeaders, 65537)), want: wrongBody(0, streamFault(ExcessiveLoad, "field section above 64 KiB"))},
}

var brokenConnections = []response{
	{name: "data-first", bytes: data(1), want: wrong(unexpected("DATA before HEADERS"))},
	{name: "data-first-empty", bytes: data(0), want: wrong(unexpected("DATA before HEADERS"))},
	{name: "data-after-interim", bytes: join(headers(":status", "103"), data(1)), want: wrong(unexpected("DATA before HEADERS"))},
	{name: "data-after-trailers", bytes: join(headers(":status", "200"), headers(), data(0)), want: wrongBody(0, unexpected("another frame of the response after the trailers"))},
	{name: "headers-after-trailers", bytes: join(headers(":status", "200"), headers(), headers()), want: wrongBody(0, unexpected("another frame of the response after the trailers"))},
	{name: "settings", bytes: frame(frameSettings), want: wrong(unexpected("frame of the control stream on a request stream"))},
	{name: "goaway", bytes: join(headers(":status", "200"), frame(frameGoAway, 0)), want: wrongBody(0, unexpected("frame of the control stream on a request stream"))},
	{name: "max-push-id", bytes: frame(frameMaxPushID, 0), want: wrong(unexpected("frame of the control stream on a request stream"))},
	{name: "cancel-push", bytes: frame(frameCancelPush, 0), want: wrong(unexpected("frame of the control stream on a request stream"))},
	{name: "push-promise", bytes: frame(framePushPromise, 0, 0, 0), want: wrong(connectionFault(IDError, "PUSH_PROMISE although push is off"))},
	{name: "priority", bytes: frame(0x02), want: wrong(unexpected("frame type of HTTP/2"))},
	{name: "ping", bytes: frame(0x06), want: wrong(unexpected("frame type of HTTP/2"))},
	{name: "window-update", bytes: join(headers(":status", "200"), frame(0x08)), want: wrongBody(0, unexpected("frame type of HTTP/2"))},
	{name: "continuation", bytes: frame(0x09), want: wrong(unexpected("frame type of HTTP/2"))},
	{name: "section-empty", bytes: frame(frameHeaders), want: wrong(connectionFault(QPACKDecompressionFailed, "field section that cannot be decoded"))},
	{name: "section-dynamic", bytes: raw(0xc0|25, 0x80), want: wrong(connectionFault(QPACKDecompressionFailed, "field section refers to the dynamic table, which is off"))},
	{name: "section-beats-malformed", bytes: raw(0xc0|25, 0xc0|25, 0x10), want: wrong(connectionFault(QPACKDecompressionFailed, "field section refers to the dynamic table, which is off"))},
	{name: "http1", bytes: []byte("HTTP/1.1 200 OK\r\n\r\n" + strings.Repeat("x", 100)), want: cut(0, 0, cutFrame)}, // type 0x854, an unknown one, of 5200 bytes
}
