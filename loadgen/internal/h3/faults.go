package h3

// Fault is how the server broke the protocol. The zero value is none.
type Fault struct {
	Code       ErrorCode // to reset the stream or close the connection with
	Text       string    // constant, for people
	Connection bool      // it ends the connection; else the stream alone
}

// Bad reports whether there is a fault.
func (f Fault) Bad() bool { return f.Code != 0 }

// connectionFault ends the connection.
func connectionFault(code ErrorCode, text string) Fault {
	return Fault{Code: code, Text: text, Connection: true}
}

// streamFault ends the stream.
func streamFault(code ErrorCode, text string) Fault { return Fault{Code: code, Text: text} }

// malformed is what RFC 9114 section 4.1.2 calls so: frames that may be where
// they are, and messages that may not be what they are.
func malformed(text string) Fault { return streamFault(MessageError, text) }

// Bounds of what a server may send. They are far above what servers do send,
// and keep a hostile one from growing the generator.
const (
	maxSectionBytes  = 64 << 10 // an encoded field section
	maxSettingsBytes = 2 << 10  // the payload of SETTINGS
	keptSectionBytes = 4 << 10  // what a Response keeps for field sections to come
)

// Faults on a request stream, by frames.
const (
	faultDataFirst     = "DATA before HEADERS"
	faultAfterTrailers = "another frame of the response after the trailers"
	faultOnRequest     = "frame of the control stream on a request stream"
	faultHTTP2         = "frame type of HTTP/2"
	faultPushPromise   = "PUSH_PROMISE although push is off"
	faultSectionSize   = "field section above 64 KiB"
	faultCutFrame      = "stream ends inside a frame"
)

// Faults of a field section that lose its meaning altogether.
const (
	faultSection = "field section that cannot be decoded"
	faultDynamic = "field section refers to the dynamic table, which is off"
)

// Faults of messages.
const (
	faultNoStatus        = "no :status"
	faultTwoStatus       = "two :status"
	faultStatus          = ":status is not a number from 100 to 999"
	faultPseudo          = "pseudo-header that no response has"
	faultPseudoLate      = "pseudo-header behind a regular field"
	faultEmptyName       = "empty field name"
	faultUpperCase       = "upper case in a field name"
	faultName            = "invalid character in a field name"
	faultConnectionField = "connection-specific header field"
	faultLength          = "content-length is not a number"
	faultLengthOverflow  = "content-length above 2^63-1"
	faultTwoLengths      = "two different content-lengths"
	faultSwitching       = "101, which HTTP/3 does not have"
	faultTrailerStatus   = "pseudo-header in the trailers"
	faultBodiless        = "body in a response that has none"
	faultLonger          = "body longer than its content-length"
	faultShorter         = "body shorter than its content-length"
	faultNoResponse      = "stream ends before the response"
	faultInterimEnd      = "stream ends with an interim response"
)

// Faults of the server's unidirectional streams.
const (
	faultTwoControl      = "second control stream"
	faultTwoEncoder      = "second QPACK encoder stream"
	faultTwoDecoder      = "second QPACK decoder stream"
	faultPushStream      = "push stream although push is off"
	faultControlClosed   = "control stream closed"
	faultEncoderClosed   = "QPACK encoder stream closed"
	faultDecoderClosed   = "QPACK decoder stream closed"
	faultNoSettings      = "control stream does not begin with SETTINGS"
	faultTwoSettings     = "second SETTINGS"
	faultSettingsSize    = "SETTINGS above 2 KiB"
	faultSettingsCut     = "SETTINGS ends inside a setting"
	faultSettingReserved = "setting of HTTP/2"
	faultSettingTwice    = "setting given twice"
	faultOnControl       = "frame of a request stream on the control stream"
	faultMaxPushID       = "MAX_PUSH_ID of a server"
	faultCancelPush      = "CANCEL_PUSH although push is off"
	faultGoAwaySize      = "GOAWAY is not one stream ID"
	faultGoAwayID        = "GOAWAY with an ID of no request stream"
	faultGoAwayUp        = "GOAWAY with a larger ID than before"
	faultEncoder         = "instruction for the dynamic table, which is off"
	faultDecoder         = "acknowledgement of dynamic table entries that nobody sent"
	faultDecoderInteger  = "stream ID above 62 bits on the decoder stream"
)
