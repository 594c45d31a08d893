package h2

import (
	"encoding/binary"

	"golang.org/x/net/http2"
)

const (
	frameHeaderBytes = 9
	// maxFrameBytes is the payload that each side takes unless it says otherwise
	// (RFC 9113 section 4.2), and the most that we take.
	maxFrameBytes = 16 << 10
	maxFrameLimit = 1<<24 - 1 // the most that SETTINGS_MAX_FRAME_SIZE may say
	// idMask leaves out the reserved bit of a stream identifier and of a window
	// increment.
	idMask = 1<<31 - 1

	defaultWindow = 1<<16 - 1 // of a connection and of a stream, section 6.9.2
	maxWindow     = 1<<31 - 1
	// receiveWindow is what we let the server send ahead, on each stream and on
	// the connection: flow control must not be what is measured.
	receiveWindow = 1 << 30
)

// frame is a frame's header, RFC 9113 section 4.1.
type frame struct {
	length int // bytes of payload
	typ    http2.FrameType
	flags  http2.Flags
	id     uint32 // of the stream; 0: the connection
}

// The flags have the same value in all frames that have them.
const (
	flagEndStream  = http2.FlagDataEndStream
	flagEndHeaders = http2.FlagHeadersEndHeaders
	flagPadded     = http2.FlagDataPadded
	flagPriority   = http2.FlagHeadersPriority
	flagAck        = http2.FlagSettingsAck
)

// parseFrame reads a frame's header from frameHeaderBytes bytes.
func parseFrame(b []byte) frame {
	_ = b[frameHeaderBytes-1]
	return frame{
		length: int(b[0])<<16 | int(b[1])<<8 | int(b[2]),
		typ:    http2.FrameType(b[3]),
		flags:  http2.Flags(b[4]),
		id:     binary.BigEndian.Uint32(b[5:]) & idMask,
	}
}

// looksLikeHTTP1 reports whether a frame's header is the beginning of "HTTP/1.1 ".
func (f frame) looksLikeHTTP1() bool {
	return f.length == 'H'<<16|'T'<<8|'T' && f.typ == 'P' && f.flags == '/'
}

func appendFrame(b []byte, length int, typ http2.FrameType, flags http2.Flags, id uint32) []byte {
	b = append(b, byte(length>>16), byte(length>>8), byte(length), byte(typ), byte(flags))
	return binary.BigEndian.AppendUint32(b, id)
}

// appendOpening begins a connection: preface (RFC 9113 section 3.4), settings,
// and the connection's window, which no setting covers.
func appendOpening(b []byte) []byte {
	settings := [...]http2.Setting{
		{ID: http2.SettingEnablePush, Val: 0},
		{ID: http2.SettingInitialWindowSize, Val: receiveWindow},
		{ID: http2.SettingMaxHeaderListSize, Val: maxListBytes},
	}
	b = append(b, http2.ClientPreface...)
	b = appendFrame(b, len(settings)*settingBytes, http2.FrameSettings, 0, 0)
	for _, s := range settings {
		b = binary.BigEndian.AppendUint16(b, uint16(s.ID))
		b = binary.BigEndian.AppendUint32(b, s.Val)
	}
	return appendWindowUpdate(b, 0, receiveWindow-defaultWindow)
}

func appendWindowUpdate(b []byte, id uint32, increment int64) []byte {
	b = appendFrame(b, 4, http2.FrameWindowUpdate, 0, id)
	return binary.BigEndian.AppendUint32(b, uint32(increment))
}

func appendReset(b []byte, id uint32, code http2.ErrCode) []byte {
	b = appendFrame(b, 4, http2.FrameRSTStream, 0, id)
	return binary.BigEndian.AppendUint32(b, uint32(code))
}

// appendGoAway ends a connection: no stream of the server's was processed, for
// none was allowed.
func appendGoAway(b []byte, code http2.ErrCode) []byte {
	b = appendFrame(b, 8, http2.FrameGoAway, 0, 0)
	b = binary.BigEndian.AppendUint32(b, 0)
	return binary.BigEndian.AppendUint32(b, uint32(code))
}
