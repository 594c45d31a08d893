package h3

import "fmt"

// ErrorCode is an error code of HTTP/3 or QPACK, as it stands in QUIC's
// RESET_STREAM, STOP_SENDING and CONNECTION_CLOSE frames. Zero is no code of
// either.
type ErrorCode uint64

// Error codes of RFC 9114 section 8.1.
const (
	NoError              ErrorCode = 0x100 + iota // nothing went wrong
	GeneralProtocolError                          // no other code fits
	InternalError                                 // the sender's own fault
	StreamCreationError                           // a stream that may not be opened
	ClosedCriticalStream                          // a stream that has to stay open is closed
	FrameUnexpected                               // a frame where it may not be
	FrameError                                    // a frame of a wrong layout or size
	ExcessiveLoad                                 // more than the receiver wants to bear
	IDError                                       // a stream or push ID used wrongly
	SettingsError                                 // a setting that may not be
	MissingSettings                               // the control stream does not begin with SETTINGS
	RequestRejected                               // the server has not processed the request
	RequestCancelled                              // the exchange is given up
	RequestIncomplete                             // the request ended too early
	MessageError                                  // a malformed message
	ConnectError                                  // the connection of a CONNECT broke
	VersionFallback                               // ask again in HTTP/1.1
)

// Error codes of RFC 9204 section 8.3.
const (
	QPACKDecompressionFailed ErrorCode = 0x200 + iota // a field section that cannot be decoded
	QPACKEncoderStreamError                           // an instruction that the encoder may not give
	QPACKDecoderStreamError                           // an instruction that the decoder may not give
)

// codeNames are the codes from NoError on; they are written out so that
// telling a code costs nothing.
var codeNames = [...]string{
	"H3_NO_ERROR (0x100)",
	"H3_GENERAL_PROTOCOL_ERROR (0x101)",
	"H3_INTERNAL_ERROR (0x102)",
	"H3_STREAM_CREATION_ERROR (0x103)",
	"H3_CLOSED_CRITICAL_STREAM (0x104)",
	"H3_FRAME_UNEXPECTED (0x105)",
	"H3_FRAME_ERROR (0x106)",
	"H3_EXCESSIVE_LOAD (0x107)",
	"H3_ID_ERROR (0x108)",
	"H3_SETTINGS_ERROR (0x109)",
	"H3_MISSING_SETTINGS (0x10a)",
	"H3_REQUEST_REJECTED (0x10b)",
	"H3_REQUEST_CANCELLED (0x10c)",
	"H3_REQUEST_INCOMPLETE (0x10d)",
	"H3_MESSAGE_ERROR (0x10e)",
	"H3_CONNECT_ERROR (0x10f)",
	"H3_VERSION_FALLBACK (0x110)",
}

// codeNamesQPACK are the codes from QPACKDecompressionFailed on.
var codeNamesQPACK = [...]string{
	"QPACK_DECOMPRESSION_FAILED (0x200)",
	"QPACK_ENCODER_STREAM_ERROR (0x201)",
	"QPACK_DECODER_STREAM_ERROR (0x202)",
}

// String returns the code's name and number, "H3_NO_ERROR (0x100)", and of a code
// that neither RFC defines the number alone, "0x1234".
func (c ErrorCode) String() string {
	switch {
	case c >= NoError && c <= VersionFallback:
		return codeNames[c-NoError]
	case c >= QPACKDecompressionFailed && c <= QPACKDecoderStreamError:
		return codeNamesQPACK[c-QPACKDecompressionFailed]
	}
	return fmt.Sprintf("%#x", uint64(c))
}
