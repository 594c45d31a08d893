package h2

import (
	"strings"

	"golang.org/x/net/http2"

	"github.com/scalws/scalbench/loadgen/internal/exchange"
)

// response is a row of the response tables: what a server sends behind its
// SETTINGS while streams 1 and 3 are out, then its FIN. It is about stream 1.
// Stream 3 shows how far a fault reaches: it gets no response, but ends with the
// connection.
type response struct {
	name   string
	method string // "": GET
	bare   bool   // no SETTINGS come first
	write  func(s *script)
	want   result
}

// result is what the caller sees of the exchange on stream 1.
type result struct {
	status    uint16
	bodyBytes int64
	outcome   exchange.Outcome
	text      string // reason
	reusable  bool   // before the FIN
	reset     bool   // the client gave the stream up
}

// The rows of the tables end in one of these.

func ok(status uint16, bodyBytes int64) result {
	return result{status: status, bodyBytes: bodyBytes, outcome: exchange.OK, reusable: true}
}

func badStatus(status uint16, bodyBytes int64) result {
	return result{status: status, bodyBytes: bodyBytes, outcome: exchange.BadStatus, reusable: true}
}

// malformed is a fault of the stream before its head is known.
func malformed(fault string) result {
	return result{outcome: exchange.ProtocolError, text: fault, reusable: true, reset: true}
}

// malformedBody is a fault of the stream behind the head of a 200.
func malformedBody(bodyBytes int64, fault string) result {
	return result{status: 200, bodyBytes: bodyBytes, outcome: exchange.ProtocolError, text: fault, reusable: true, reset: true}
}

// over says that the stream had ended on both sides, so that there was nothing
// to give up.
func over(r result) result { r.reset = false; return r }

// broken is a fault of the connection.
func broken(fault string) result { return result{outcome: exchange.ProtocolError, text: fault} }

// complete says that the response was, before the connection broke.
func complete() result { return result{status: 200, bodyBytes: 5, outcome: exchange.OK} }

// cutOff is a FIN or a reset before the end of the response.
func cutOff(outcome exchange.Outcome, status uint16, bodyBytes int64, text string) result {
	return result{status: status, bodyBytes: bodyBytes, outcome: outcome, text: text, reusable: true}
}

// head200 begins a response with a body.
func head200(s *script) { s.headers(1, false, ":status", "200") }

// field writes a response with one more field, as it is.
func field(name, value string) func(*script) {
	return func(s *script) { s.headers(1, true, ":status", "200", name, value) }
}

// goodResponses are those that RFC 9113 allows or lets a client accept.
var goodResponses = []response{
	{name: "length", write: func(s *script) { s.response(1) }, want: ok(200, 5)},
	{name: "no-length", write: func(s *script) { head200(s); s.data(1, true, 7) }, want: ok(200, 7)},
	{name: "no-body", write: func(s *script) { s.headers(1, true, ":status", "200", "content-length", "0") }, want: ok(200, 0)},
	{name: "length-twice", write: func(s *script) {
		s.headers(1, true, ":status", "200", "content-length", "0", "content-length", "00")
	}, want: ok(200, 0)},
	{name: "frames", write: func(s *script) {
		head200(s)
		s.data(1, false, 0)
		s.data(1, false, 1)
		s.data(1, false, 1000)
		s.data(1, true, 0)
	}, want: ok(200, 1001)},
	{name: "frame-16-KiB", write: func(s *script) { head200(s); s.data(1, true, 16384) }, want: ok(200, 16384)},
	{name: "padding", write: func(s *script) {
		s.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, EndHeaders: true, PadLength: 9, BlockFragment: s.fields(":status", "200", "content-length", "3")})
		s.framer.WriteDataPadded(1, false, []byte("ab"), make([]byte, 255))
		s.framer.WriteDataPadded(1, false, nil, make([]byte, 3))
		s.raw(http2.FrameData, flagPadded, 1, 0)
		s.framer.WriteDataPadded(1, true, []byte("c"), make([]byte, 1))
	}, want: ok(200, 3)},
	{name: "priority-in-headers", write: func(s *script) {
		s.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, EndHeaders: true, EndStream: true, PadLength: 2,
			Priority: http2.PriorityParam{StreamDep: 3, Weight: 7}, BlockFragment: s.fields(":status", "200")})
	}, want: ok(200, 0)},
	{name: "continuation", write: func(s *script) {
		block := s.fields(":status", "200", "x-long", strings.Repeat("~", 1000), "content-length", "2")
		s.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: block[:1]})
		s.framer.WriteContinuation(1, false, nil)
		s.framer.WriteContinuation(1, false, block[1:500])
		s.framer.WriteContinuation(1, true, block[500:])
		s.data(1, true, 2)
	}, want: ok(200, 2)},
	{name: "continuation-end-stream", write: func(s *script) {
		block := s.fields(":status", "200", "x-a", "b")
		s.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, EndStream: true})
		s.framer.WriteContinuation(1, true, block)
	}, want: ok(200, 0)},
	{name: "trailers", write: func(s *script) {
		head200(s)
		s.data(1, false, 5)
		s.headers(1, true, "x-sum", "1", "content-length", "77")
	}, want: ok(200, 5)},
	{name: "trailers-empty", write: func(s *script) { head200(s); s.headers(1, true) }, want: ok(200, 0)},
	{name: "interim", write: func(s *script) {
		s.headers(1, false, ":status", "100")
		s.headers(1, false, ":status", "103", "link", "</a>", "content-length", "9")
		s.response(1)
	}, want: ok(200, 5)},
	{name: "interim-32", write: func(s *script) {
		for range 32 {
			s.headers(1, false, ":status", "103")
		}
		s.response(1)
	}, want: ok(200, 5)},
	{name: "other-frames", write: func(s *script) {
		s.raw(0x77, 0xff, 0, 1, 2, 3)
		s.raw(0x0c, 0, 1)
		s.framer.WritePriority(1, http2.PriorityParam{StreamDep: 1})
		s.framer.WritePriority(99, http2.PriorityParam{})
		s.raw(http2.FramePriority, 0, 99, 1) // a wrong length is a stream error, but there is no stream
		s.framer.WriteSettings(http2.Setting{ID: 0x99, Val: 1})
		s.framer.WriteSettingsAck()
		s.framer.WritePing(true, [8]byte{})
		s.framer.WriteWindowUpdate(0, 1)
		s.framer.WriteWindowUpdate(1, 1)
		head200(s)
		s.raw(0x77, 0xff, 5, make([]byte, 5000)...)
		s.data(1, true, 1)
	}, want: ok(200, 1)},
	{name: "flags-unknown", write: func(s *script) {
		s.raw(http2.FrameHeaders, 0xd2|flagEndHeaders, 1, s.fields(":status", "200")...)
		s.raw(http2.FrameData, 0xf6|flagEndStream, 1, 1, 2)
	}, want: ok(200, 2)},
	{name: "after-the-end", write: func(s *script) {
		s.response(1)
		s.framer.WriteRSTStream(1, http2.ErrCodeNo)
		s.framer.WriteWindowUpdate(1, 10)
		s.framer.WritePriority(1, http2.PriorityParam{})
	}, want: ok(200, 5)},
	{name: "settings-again", write: func(s *script) {
		s.settings(http2.Setting{ID: http2.SettingHeaderTableSize, Val: 0}, http2.Setting{ID: http2.SettingMaxConcurrentStreams, Val: 0},
			http2.Setting{ID: http2.SettingMaxFrameSize, Val: 1<<24 - 1}, http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1<<31 - 1},
			http2.Setting{ID: http2.SettingEnablePush, Val: 0}, http2.Setting{ID: http2.SettingMaxHeaderListSize, Val: 1})
		s.response(1)
	}, want: ok(200, 5)},
	{name: "pings-to-the-bound", write: func(s *script) {
		// Each of the bound's bytes but 9 of a SETTINGS acknowledgement: (65536 - 9) / 17 = 3854
		for range 3854 {
			s.framer.WritePing(false, [8]byte{})
		}
		s.response(1)
	}, want: ok(200, 5)},
	{name: "values", write: func(s *script) {
		s.headers(1, true, ":status", "200", "x-empty", "", "x-high", "\xc3\xa9\xff", "x-inner", "a \t b", "te", "trailers", "!#$%&'*+-.^_`|~0", "v")
	}, want: ok(200, 0)},
	{name: "list-64-KiB", write: func(s *script) {
		// 65536 = 32 + 7 + 3 of :status, 32 + 1 + the value's of the other field
		s.raw(http2.FrameHeaders, flagEndStream, 1, s.fields(":status", "200")...)
		long := s.fields("x", strings.Repeat("~", 65536-42-33))
		for len(long) > maxFrameBytes {
			s.framer.WriteContinuation(1, false, long[:maxFrameBytes])
			long = long[maxFrameBytes:]
		}
		s.framer.WriteContinuation(1, true, long)
	}, want: ok(200, 0)},

	{name: "status-404", write: func(s *script) { s.headers(1, false, ":status", "404"); s.data(1, true, 3) }, want: badStatus(404, 3)},
	{name: "status-999", write: func(s *script) { s.headers(1, true, ":status", "999") }, want: badStatus(999, 0)},
	{name: "no-content", write: func(s *script) { s.headers(1, true, ":status", "204") }, want: ok(204, 0)},
	{name: "no-content-empty-data", write: func(s *script) { s.headers(1, false, ":status", "204"); s.data(1, true, 0) }, want: ok(204, 0)},
	{name: "not-modified-with-length", write: func(s *script) { s.headers(1, true, ":status", "304", "content-length", "1234") }, want: badStatus(304, 0)},
	{name: "head", method: "HEAD", write: func(s *script) { s.headers(1, true, ":status", "200", "content-length", "1234") }, want: ok(200, 0)},
	{name: "head-empty-data", method: "HEAD", write: func(s *script) {
		s.headers(1, false, ":status", "200", "content-length", "1234")
		s.data(1, true, 0)
	}, want: ok(200, 0)},
}
