package quictest

import (
	"bytes"

	"github.com/quic-go/qpack"
	"github.com/quic-go/quic-go/quicvarint"
)

// Types of frames (RFC 9114, 7.2).
const (
	FrameData        uint64 = 0x00
	FrameHeaders     uint64 = 0x01
	FrameCancelPush  uint64 = 0x03
	FrameSettings    uint64 = 0x04
	FramePushPromise uint64 = 0x05
	FrameGoAway      uint64 = 0x07
	FrameMaxPushID   uint64 = 0x0d
)

// Types of unidirectional streams (RFC 9114, 6.2; RFC 9204, 4.2).
const (
	StreamControl      uint64 = 0x00
	StreamPush         uint64 = 0x01
	StreamQPACKEncoder uint64 = 0x02
	StreamQPACKDecoder uint64 = 0x03
)

// maxVarint is the highest number that QUIC can encode (RFC 9000, 16).
const maxVarint = 1<<62 - 1

// Varints encodes numbers up to 2^62 - 1 one after the other, each in the shortest
// form (RFC 9000, 16).
func Varints(numbers ...uint64) []byte {
	var b []byte
	for _, n := range numbers {
		b = quicvarint.Append(b, n)
	}
	return b
}

// Frame encodes a frame: type, length, payload (RFC 9114, 7.1). A prefix of it is
// a truncated one.
func Frame(frameType uint64, payload []byte) []byte {
	return append(Varints(frameType, uint64(len(payload))), payload...)
}

// Block encodes names and values in turn, in this order and unchecked, as the
// payload of HEADERS.
func Block(namesAndValues ...string) []byte {
	var block bytes.Buffer
	encoder := qpack.NewEncoder(&block)
	for i := 0; i < len(namesAndValues); i += 2 {
		encoder.WriteField(qpack.HeaderField{Name: namesAndValues[i], Value: namesAndValues[i+1]})
	}
	return block.Bytes()
}
