package h2

import (
	"slices"
	"strings"

	"golang.org/x/net/http2"

	"github.com/scalws/scalbench/loadgen/internal/exchange"
)

// hostileResponses are cut short, malformed, or no HTTP/2 at all.
var hostileResponses = slices.Concat(cutResponses, malformedResponses, brokenConnections)

var cutResponses = []response{
	{name: "nothing", write: func(s *script) {}, want: cutOff(exchange.Reset, 0, 0, "closed before the response")},
	{name: "cut-header", write: func(s *script) { s.bytes.Write([]byte{0, 0, 1, 1, 4, 0, 0, 0}) }, want: cutOff(exchange.Reset, 0, 0, "closed before the response")},
	{name: "cut-after-header", write: func(s *script) { s.bytes.Write([]byte{0, 0, 1, 1, 4, 0, 0, 0, 1}) }, want: cutOff(exchange.ReadFailed, 0, 0, "closed inside the head")},
	{name: "cut-in-block", write: func(s *script) {
		s.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: s.fields(":status", "200")})
	}, want: cutOff(exchange.ReadFailed, 0, 0, "closed inside the head")},
	{name: "cut-after-interim", write: func(s *script) { s.headers(1, false, ":status", "100") }, want: cutOff(exchange.ReadFailed, 0, 0, "closed inside the head")},
	{name: "cut-in-body", write: func(s *script) { head200(s); s.data(1, false, 3) }, want: cutOff(exchange.ReadFailed, 200, 3, "closed inside the body")},
	{name: "cut-in-data", write: func(s *script) {
		head200(s)
		s.data(1, true, 300)
		s.bytes.Truncate(s.bytes.Len() - 100)
	}, want: cutOff(exchange.ReadFailed, 200, 200, "closed inside the body")},
	{name: "cut-in-padding", write: func(s *script) {
		head200(s)
		s.framer.WriteDataPadded(1, true, []byte("abc"), make([]byte, 100))
		s.bytes.Truncate(s.bytes.Len() - 1)
	}, want: cutOff(exchange.ReadFailed, 200, 3, "closed inside the body")},

	{name: "reset", write: func(s *script) { s.framer.WriteRSTStream(1, http2.ErrCodeInternal) }, want: cutOff(exchange.Reset, 0, 0, "stream reset: INTERNAL_ERROR")},
	{name: "reset-refused", write: func(s *script) { s.framer.WriteRSTStream(1, http2.ErrCodeRefusedStream) }, want: cutOff(exchange.Reset, 0, 0, "stream reset: REFUSED_STREAM")},
	{name: "reset-no-error", write: func(s *script) { s.framer.WriteRSTStream(1, http2.ErrCodeNo) }, want: cutOff(exchange.Reset, 0, 0, "stream reset: NO_ERROR")},
	{name: "reset-last-code", write: func(s *script) { s.framer.WriteRSTStream(1, http2.ErrCodeHTTP11Required) }, want: cutOff(exchange.Reset, 0, 0, "stream reset: HTTP_1_1_REQUIRED")},
	{name: "reset-unknown-code", write: func(s *script) { s.framer.WriteRSTStream(1, 14) }, want: cutOff(exchange.Reset, 0, 0, "stream reset: unknown error code")},
	{name: "reset-largest-code", write: func(s *script) { s.framer.WriteRSTStream(1, 1<<32-1) }, want: cutOff(exchange.Reset, 0, 0, "stream reset: unknown error code")},
	{name: "reset-in-body", write: func(s *script) {
		head200(s)
		s.data(1, false, 3)
		s.framer.WriteRSTStream(1, http2.ErrCodeEnhanceYourCalm)
	}, want: cutOff(exchange.ReadFailed, 200, 3, "stream reset: ENHANCE_YOUR_CALM")},
	{name: "reset-after-interim", write: func(s *script) {
		s.headers(1, false, ":status", "103")
		s.framer.WriteRSTStream(1, http2.ErrCodeCancel)
	}, want: cutOff(exchange.ReadFailed, 0, 0, "stream reset: CANCEL")},
}

var malformedResponses = []response{
	{name: "no-status", write: func(s *script) { s.headers(1, false, "server", "x") }, want: malformed("no :status")},
	{name: "no-fields", write: func(s *script) { s.headers(1, true) }, want: over(malformed("no :status"))},
	{name: "two-status", write: func(s *script) { s.headers(1, false, ":status", "200", ":status", "200") }, want: malformed("two :status")},
	{name: "status-099", write: func(s *script) { s.headers(1, false, ":status", "099") }, want: malformed(":status is not a number from 100 to 999")},
	{name: "status-short", write: func(s *script) { s.headers(1, false, ":status", "20") }, want: malformed(":status is not a number from 100 to 999")},
	{name: "status-long", write: func(s *script) { s.headers(1, false, ":status", "2000") }, want: malformed(":status is not a number from 100 to 999")},
	{name: "status-word", write: func(s *script) { s.headers(1, false, ":status", "2x0") }, want: malformed(":status is not a number from 100 to 999")},
	{name: "status-empty", write: func(s *script) { s.headers(1, false, ":status", "") }, want: malformed(":status is not a number from 100 to 999")},
	{name: "status-signed", write: func(s *script) { s.headers(1, false, ":status", "+20") }, want: malformed(":status is not a number from 100 to 999")},
	{name: "pseudo-of-request", write: func(s *script) { s.headers(1, false, ":status", "200", ":path", "/") }, want: malformed("pseudo-header that no response has")},
	{name: "pseudo-late", write: func(s *script) { s.headers(1, false, "server", "x", ":status", "200") }, want: malformed("pseudo-header behind a regular field")},
	{name: "name-empty", write: field("", "v"), want: over(malformed("empty field name"))},
	{name: "name-upper-case", write: field("X-a", "v"), want: over(malformed("upper case in a field name"))},
	{name: "name-space", write: field("x a", "v"), want: over(malformed("invalid character in a field name"))},
	{name: "name-colon", write: field("x:a", "v"), want: over(malformed("invalid character in a field name"))},
	{name: "name-high-octet", write: field("x\x80", "v"), want: over(malformed("invalid character in a field name"))},
	{name: "value-lf", write: field("x", "a\nb"), want: over(malformed("invalid character in a field value"))},
	{name: "value-cr", write: field("x", "a\rb"), want: over(malformed("invalid character in a field value"))},
	{name: "value-nul", write: field("x", "a\x00b"), want: over(malformed("invalid character in a field value"))},
	{name: "value-leading-space", write: field("x", " a"), want: over(malformed("invalid character in a field value"))},
	{name: "value-trailing-tab", write: field("x", "a\t"), want: over(malformed("invalid character in a field value"))},
	{name: "connection", write: field("connection", "close"), want: over(malformed("connection-specific header field"))},
	{name: "transfer-encoding", write: field("transfer-encoding", "chunked"), want: over(malformed("connection-specific header field"))},
	{name: "first-fault-counts", write: func(s *script) { s.headers(1, true, ":status", "200", "X", "", "", "") }, want: over(malformed("upper case in a field name"))},
	{name: "list-above-64-KiB", write: func(s *script) {
		// An entry of 4096 bytes in the table, then a reference of one byte to it, 16 times.
		s.headers(3, false, ":status", "103", "x", strings.Repeat("~", 4096-33))
		s.raw(http2.FrameHeaders, flagEndHeaders, 1, slices.Concat([]byte{0x88}, slices.Repeat([]byte{0x80 | 62}, 16))...)
	}, want: malformed("header list above 64 KiB")},

	{name: "length-word", write: func(s *script) { s.headers(1, false, ":status", "200", "content-length", "5x") }, want: malformed("content-length is not a number")},
	{name: "length-empty", write: func(s *script) { s.headers(1, false, ":status", "200", "content-length", "") }, want: malformed("content-length is not a number")},
	{name: "length-negative", write: func(s *script) { s.headers(1, false, ":status", "200", "content-length", "-1") }, want: malformed("content-length is not a number")},
	{name: "length-2^63", write: func(s *script) { s.headers(1, false, ":status", "200", "content-length", "9223372036854775808") }, want: malformed("content-length above 2^63-1")},
	{name: "length-2^63-1", write: func(s *script) { s.headers(1, true, ":status", "200", "content-length", "9223372036854775807") }, want: over(malformedBody(0, "body shorter than its content-length"))},
	{name: "two-lengths", write: func(s *script) {
		s.headers(1, false, ":status", "200", "content-length", "5", "content-length", "6")
	}, want: malformed("two different content-lengths")},
	{name: "body-shorter", write: func(s *script) {
		s.headers(1, false, ":status", "200", "content-length", "6")
		s.data(1, true, 5)
	}, want: over(malformedBody(5, "body shorter than its content-length"))},
	{name: "body-shorter-trailers", write: func(s *script) {
		s.headers(1, false, ":status", "200", "content-length", "6")
		s.data(1, false, 5)
		s.headers(1, true, "x", "")
	}, want: over(malformedBody(5, "body shorter than its content-length"))},
	{name: "body-longer", write: func(s *script) {
		s.headers(1, false, ":status", "200", "content-length", "6")
		s.data(1, false, 5)
		s.data(1, true, 2)
	}, want: malformedBody(5, "body longer than its content-length")},
	{name: "body-longer-padded", write: func(s *script) {
		s.headers(1, false, ":status", "200", "content-length", "2")
		s.framer.WriteDataPadded(1, true, []byte("abc"), make([]byte, 2))
	}, want: malformedBody(0, "body longer than its content-length")},
	{name: "body-to-head", method: "HEAD", write: func(s *script) { head200(s); s.data(1, true, 1) }, want: malformedBody(0, "body in a response that has none")},
	{name: "body-of-204", write: func(s *script) { s.headers(1, false, ":status", "204"); s.data(1, true, 1) },
		want: result{status: 204, outcome: exchange.ProtocolError, text: "body in a response that has none", reusable: true, reset: true}},

	{name: "data-first", write: func(s *script) { s.data(1, true, 1) }, want: malformed("DATA before HEADERS")},
	{name: "data-after-interim", write: func(s *script) { s.headers(1, false, ":status", "100"); s.data(1, true, 1) }, want: malformed("DATA before HEADERS")},
	{name: "interim-ends", write: func(s *script) { s.headers(1, true, ":status", "103") }, want: over(malformed("stream ends with an interim response"))},
	{name: "interim-33", write: func(s *script) {
		for range 33 {
			s.headers(1, false, ":status", "103")
		}
	}, want: malformed("more than 32 interim responses")},
	{name: "switching", write: func(s *script) { s.headers(1, false, ":status", "101") }, want: malformed("101, which HTTP/2 does not have")},
	{name: "second-head", write: func(s *script) { head200(s); head200(s) }, want: malformedBody(0, "pseudo-header in the trailers")},
	{name: "trailers-go-on", write: func(s *script) { head200(s); s.headers(1, false, "x", "") }, want: malformedBody(0, "trailers do not end the stream")},
	{name: "window-update-0", write: func(s *script) { s.framer.WriteWindowUpdate(1, 0) }, want: malformed("WINDOW_UPDATE of 0")},
	{name: "window-above-2^31-1", write: func(s *script) { s.framer.WriteWindowUpdate(1, 1<<31-65535) }, want: malformed("flow-control window above 2^31-1")},
	{name: "priority-length", write: func(s *script) { s.raw(http2.FramePriority, 0, 1, 1, 2, 3, 4) }, want: malformed("frame of a wrong length for its type")},
	// Frames of a stream that we gave up are ignored.
	{name: "malformed-then-more", write: func(s *script) {
		s.headers(1, false, "x", "")
		s.data(1, false, 5)
		s.headers(1, true, "x", "")
	}, want: malformed("no :status")},
}

var brokenConnections = []response{
	{name: "http1", bare: true, write: func(s *script) { s.bytes.WriteString("HTTP/1.1 400 Bad Request\r\nServer: nginx\r\n\r\n") }, want: broken("the server answered in HTTP/1.x")},
	{name: "http10", bare: true, write: func(s *script) { s.bytes.WriteString("HTTP/1.0 400 Bad Request\r\n\r\n") }, want: broken("the server answered in HTTP/1.x")},
	{name: "not-http", bare: true, write: func(s *script) { s.bytes.WriteString("SSH-2.0-OpenSSH\r\n") }, want: broken("first frame is not SETTINGS")},
	{name: "no-settings", bare: true, write: func(s *script) { s.response(1) }, want: broken("first frame is not SETTINGS")},
	{name: "settings-ack-first", bare: true, write: func(s *script) { s.framer.WriteSettingsAck() }, want: broken("first frame is not SETTINGS")},

	{name: "frame-size", write: func(s *script) { s.bytes.Write([]byte{0, 0x40, 1, 0, 0, 0, 0, 0, 1}) }, want: broken("frame above 16 KiB")},
	{name: "frame-size-unknown-type", write: func(s *script) { s.bytes.Write([]byte{0xff, 0xff, 0xff, 0x99, 0, 0, 0, 0, 1}) }, want: broken("frame above 16 KiB")},
	{name: "settings-length", write: func(s *script) { s.raw(http2.FrameSettings, 0, 0, 1, 2, 3, 4, 5) }, want: broken("frame of a wrong length for its type")},
	{name: "settings-ack-length", write: func(s *script) { s.raw(http2.FrameSettings, flagAck, 0, make([]byte, 6)...) }, want: broken("frame of a wrong length for its type")},
	{name: "ping-length", write: func(s *script) { s.raw(http2.FramePing, 0, 0, 1) }, want: broken("frame of a wrong length for its type")},
	{name: "goaway-length", write: func(s *script) { s.raw(http2.FrameGoAway, 0, 0, make([]byte, 7)...) }, want: broken("frame of a wrong length for its type")},
	{name: "reset-length", write: func(s *script) { s.raw(http2.FrameRSTStream, 0, 1, 1) }, want: broken("frame of a wrong length for its type")},
	{name: "window-update-length", write: func(s *script) { s.raw(http2.FrameWindowUpdate, 0, 0, 1) }, want: broken("frame of a wrong length for its type")},
	{name: "data-without-pad-length", write: func(s *script) { s.raw(http2.FrameData, flagPadded, 1) }, want: broken("frame of a wrong length for its type")},

	{name: "settings-on-stream", write: func(s *script) { s.raw(http2.FrameSettings, 0, 1) }, want: broken("frame of the connection on a stream")},
	{name: "ping-on-stream", write: func(s *script) { s.raw(http2.FramePing, 0, 1, make([]byte, 8)...) }, want: broken("frame of the connection on a stream")},
	{name: "goaway-on-stream", write: func(s *script) { s.raw(http2.FrameGoAway, 0, 1, make([]byte, 8)...) }, want: broken("frame of the connection on a stream")},
	{name: "data-on-connection", write: func(s *script) { s.data(0, false, 1) }, want: broken("frame of a stream on the connection")},
	{name: "headers-on-connection", write: func(s *script) { s.headers(0, false, ":status", "200") }, want: broken("frame of a stream on the connection")},
	{name: "reset-on-connection", write: func(s *script) { s.framer.WriteRSTStream(0, 0) }, want: broken("frame of a stream on the connection")},
	{name: "priority-on-connection", write: func(s *script) { s.raw(http2.FramePriority, 0, 0, make([]byte, 5)...) }, want: broken("frame of a stream on the connection")},

	{name: "headers-idle", write: func(s *script) { s.headers(5, false, ":status", "200") }, want: broken("frame on an idle stream")},
	{name: "data-idle", write: func(s *script) { s.data(5, false, 1) }, want: broken("frame on an idle stream")},
	{name: "reset-idle", write: func(s *script) { s.framer.WriteRSTStream(5, 0) }, want: broken("frame on an idle stream")},
	{name: "window-update-idle", write: func(s *script) { s.framer.WriteWindowUpdate(5, 1) }, want: broken("frame on an idle stream")},
	{name: "headers-even", write: func(s *script) { s.headers(2, false, ":status", "200") }, want: broken("frame on an idle stream")},
	{name: "end-stream-twice", write: func(s *script) { s.response(1); s.data(1, true, 0) }, want: complete()},
	{name: "headers-after-end", write: func(s *script) { s.response(1); s.headers(1, true, "x", "") }, want: complete()},
	{name: "push-promise", write: func(s *script) {
		s.framer.WritePushPromise(http2.PushPromiseParam{StreamID: 1, PromiseID: 2, EndHeaders: true, BlockFragment: s.fields(":path", "/")})
	}, want: broken("PUSH_PROMISE although push is off")},

	{name: "continuation-alone", write: func(s *script) { s.framer.WriteContinuation(1, true, []byte{0x88}) }, want: broken("CONTINUATION without HEADERS")},
	{name: "continuation-of-another", write: func(s *script) {
		s.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1})
		s.framer.WriteContinuation(3, true, []byte{0x88})
	}, want: broken("another frame inside a header block")},
	{name: "ping-in-block", write: func(s *script) {
		s.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1})
		s.framer.WritePing(false, [8]byte{})
	}, want: broken("another frame inside a header block")},
	{name: "unknown-in-block", write: func(s *script) {
		s.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1})
		s.raw(0x99, 0, 1)
	}, want: broken("another frame inside a header block")},
	{name: "continuations-128-empty", write: func(s *script) {
		s.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1})
		for range 129 {
			s.framer.WriteContinuation(1, false, nil)
		}
	}, want: broken("more than 128 CONTINUATION frames")},
	{name: "block-above-64-KiB", write: func(s *script) {
		s.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: make([]byte, 1)})
		for range 4 { // 1 + 4 * 16384 = 65537
			s.framer.WriteContinuation(1, false, make([]byte, 16384))
		}
	}, want: broken("header block above 64 KiB")},
	{name: "string-above-64-KiB", write: func(s *script) {
		// A literal without indexing, name "x", and a value of which 65537 bytes are said to come.
		s.raw(http2.FrameHeaders, flagEndHeaders, 1, 0, 1, 'x', 0x7f, 0x82, 0xff, 0x03) // 127 + 2 + 127<<7 + 3<<14 = 65537
	}, want: broken("header list above 64 KiB")},

	{name: "index-0", write: func(s *script) { s.raw(http2.FrameHeaders, flagEndHeaders, 1, 0x80) }, want: broken("header block that cannot be decoded")},
	{name: "index-beyond-table", write: func(s *script) { s.raw(http2.FrameHeaders, flagEndHeaders, 1, 0x80|62) }, want: broken("header block that cannot be decoded")},
	{name: "block-truncated", write: func(s *script) { s.raw(http2.FrameHeaders, flagEndHeaders, 1, 0x88, 0x40, 5, 'x') }, want: broken("header block that cannot be decoded")},
	{name: "table-above-4096", write: func(s *script) {
		s.raw(http2.FrameHeaders, flagEndHeaders, 1, append(appendSizeUpdate(nil, 4097), 0x88)...)
	}, want: broken("header block that cannot be decoded")},

	{name: "data-padding", write: func(s *script) { head200(s); s.raw(http2.FrameData, flagPadded, 1, 2, 0) },
		want: result{status: 200, outcome: exchange.ProtocolError, text: "padding longer than its frame"}},
	{name: "headers-padding", write: func(s *script) { s.raw(http2.FrameHeaders, flagPadded|flagEndHeaders, 1, 2, 0x88) }, want: broken("padding longer than its frame")},
	{name: "headers-without-pad-length", write: func(s *script) { s.raw(http2.FrameHeaders, flagPadded|flagEndHeaders, 1) }, want: broken("frame of a wrong length for its type")},
	{name: "headers-without-priority", write: func(s *script) { s.raw(http2.FrameHeaders, flagPriority|flagEndHeaders, 1, 1, 2, 3, 4) }, want: broken("frame of a wrong length for its type")},

	{name: "window-update-0-connection", write: func(s *script) { s.framer.WriteWindowUpdate(0, 0) }, want: broken("WINDOW_UPDATE of 0")},
	{name: "window-of-connection", write: func(s *script) { s.framer.WriteWindowUpdate(0, 1<<31-65535) }, want: broken("flow-control window above 2^31-1")},
	{name: "enable-push", write: func(s *script) { s.settings(http2.Setting{ID: http2.SettingEnablePush, Val: 1}) }, want: broken("SETTINGS_ENABLE_PUSH of a server other than 0")},
	{name: "initial-window", write: func(s *script) { s.settings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1 << 31}) }, want: broken("SETTINGS_INITIAL_WINDOW_SIZE above 2^31-1")},
	{name: "max-frame-low", write: func(s *script) { s.settings(http2.Setting{ID: http2.SettingMaxFrameSize, Val: 1<<14 - 1}) }, want: broken("SETTINGS_MAX_FRAME_SIZE outside 2^14 to 2^24-1")},
	{name: "max-frame-high", write: func(s *script) { s.settings(http2.Setting{ID: http2.SettingMaxFrameSize, Val: 1 << 24}) }, want: broken("SETTINGS_MAX_FRAME_SIZE outside 2^14 to 2^24-1")},
	{name: "window-by-settings", write: func(s *script) {
		s.framer.WriteWindowUpdate(1, 1) // 65536, then moved by 2^31-1 - 65535
		s.settings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1<<31 - 1})
	}, want: broken("flow-control window above 2^31-1")},
	{name: "pings-unread", write: func(s *script) {
		for range 3855 { // one more than in the good row
			s.framer.WritePing(false, [8]byte{})
		}
	}, want: broken("more than 64 KiB of acknowledgements asked for and not read")},
}
