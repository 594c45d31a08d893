package h2

import "golang.org/x/net/http2"

// Bounds of what a server may send. They are far above what servers do send,
// and keep a hostile one from growing the generator.
const (
	maxBlockBytes    = 64 << 10 // a compressed block over all its frames
	maxContinuations = 128      // frames after the HEADERS of one block
	maxListBytes     = 64 << 10 // one header list, by the measure of RFC 9113 section 6.5.2
	maxInterims      = 32       // 1xx responses before the final one
	maxReplyBytes    = 64 << 10 // acknowledgements that wait to be sent
)

// Connection faults.
const (
	faultHTTP1         = "the server answered in HTTP/1.x"
	faultPreface       = "first frame is not SETTINGS"
	faultFrameSize     = "frame above 16 KiB"
	faultFrameLength   = "frame of a wrong length for its type"
	faultPadding       = "padding longer than its frame"
	faultInterrupted   = "another frame inside a header block"
	faultContinuation  = "CONTINUATION without HEADERS"
	faultContinuations = "more than 128 CONTINUATION frames"
	faultBlockSize     = "header block above 64 KiB"
	faultCompression   = "header block that cannot be decoded"
	faultOnStream      = "frame of the connection on a stream"
	faultOnConnection  = "frame of a stream on the connection"
	faultIdle          = "frame on an idle stream"
	faultUnsent        = "response before the request was sent"
	faultClosed        = "frame on a closed stream"
	faultPush          = "PUSH_PROMISE although push is off"
	faultEnablePush    = "SETTINGS_ENABLE_PUSH of a server other than 0"
	faultInitialWindow = "SETTINGS_INITIAL_WINDOW_SIZE above 2^31-1"
	faultMaxFrameSize  = "SETTINGS_MAX_FRAME_SIZE outside 2^14 to 2^24-1"
	faultReplies       = "more than 64 KiB of acknowledgements asked for and not read"
	faultSkipped       = "bytes between frames were skipped"
)

// Faults of a stream or of the connection, by where the frame was.
const (
	faultNoIncrement = "WINDOW_UPDATE of 0"
	faultWindow      = "flow-control window above 2^31-1"
)

// Stream faults.
const (
	faultNoStatus        = "no :status"
	faultTwoStatus       = "two :status"
	faultStatus          = ":status is not a number from 100 to 999"
	faultPseudo          = "pseudo-header that no response has"
	faultPseudoLate      = "pseudo-header behind a regular field"
	faultEmptyName       = "empty field name"
	faultUpperCase       = "upper case in a field name"
	faultName            = "invalid character in a field name"
	faultValue           = "invalid character in a field value"
	faultConnectionField = "connection-specific header field"
	faultListSize        = "header list above 64 KiB"
	faultLength          = "content-length is not a number"
	faultLengthOverflow  = "content-length above 2^63-1"
	faultTwoLengths      = "two different content-lengths"
	faultSwitching       = "101, which HTTP/2 does not have"
	faultInterimEnd      = "stream ends with an interim response"
	faultInterims        = "more than 32 interim responses"
	faultTrailers        = "trailers do not end the stream"
	faultTrailerStatus   = "pseudo-header in the trailers"
	faultDataFirst       = "DATA before HEADERS"
	faultBodiless        = "body in a response that has none"
	faultLonger          = "body longer than its content-length"
	faultShorter         = "body shorter than its content-length"
)

// Texts of exchanges that broke off, by how far the response had come.
var (
	textsClosed = [...]string{
		nothingYet: "closed before the response",
		insideHead: "closed inside the head",
		insideBody: "closed inside the body",
	}
	textsReceive = [...]string{
		nothingYet: "receive failed before the response",
		insideHead: "receive failed inside the head",
		insideBody: "receive failed inside the body",
	}
	textsTimeout = [...]string{
		nothingYet: "no response by the deadline",
		insideHead: "head incomplete at the deadline",
		insideBody: "body incomplete at the deadline",
	}
)

// codeTexts are texts about the error codes of RFC 9113 section 7; the last one
// is for all others.
type codeTexts [http2.ErrCodeHTTP11Required + 2]string

// Texts of exchanges that the server gave up.
var (
	textsReset  = makeCodeTexts("stream reset: ")
	textsGoAway = makeCodeTexts("connection ended by the server: ")
)

func makeCodeTexts(before string) (texts codeTexts) {
	unknown := len(texts) - 1
	for code := range unknown {
		texts[code] = before + http2.ErrCode(code).String()
	}
	texts[unknown] = before + "unknown error code"
	return texts
}

func textOf(texts *codeTexts, code http2.ErrCode) string {
	return texts[min(int(code), len(texts)-1)]
}
