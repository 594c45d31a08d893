package quictest

import (
	"errors"
	"fmt"
	"io"

	"github.com/quic-go/qpack"
	"github.com/quic-go/quic-go/quicvarint"
)

// Message decodes what has been read of a request: the names and values of its
// first block in turn, and the payload of its DATA frames. Trailers and frames of
// other types are skipped. An error names the frame that is cut off or the block
// that cannot be decoded.
func (r *Request) Message() (namesAndValues []string, body []byte, err error) {
	namesAndValues, body, err = decodeMessage(r.Raw)
	if err != nil {
		return nil, nil, fmt.Errorf("request %d: %w", r.ID(), err)
	}
	return namesAndValues, body, nil
}

func decodeMessage(raw []byte) (namesAndValues []string, body []byte, err error) {
	seen := false
	for rest := raw; len(rest) > 0; {
		var frameType uint64
		var payload []byte
		if frameType, payload, rest, err = cutFrame(rest); err != nil {
			return nil, nil, err
		}
		switch {
		case frameType == FrameHeaders && !seen:
			seen = true
			if namesAndValues, err = decodeBlock(payload); err != nil {
				return nil, nil, err
			}
		case frameType == FrameData:
			body = append(body, payload...)
		}
	}
	if !seen {
		return nil, nil, fmt.Errorf("no HEADERS in %d bytes", len(raw))
	}
	return namesAndValues, body, nil
}

// cutFrame splits the first frame off.
func cutFrame(b []byte) (frameType uint64, payload, rest []byte, err error) {
	frameType, n, err := quicvarint.Parse(b)
	if err != nil {
		return 0, nil, nil, fmt.Errorf("type of a frame: %w", err)
	}
	b = b[n:]
	length, n, err := quicvarint.Parse(b)
	if err != nil {
		return 0, nil, nil, fmt.Errorf("length of a frame of type %#x: %w", frameType, err)
	}
	b = b[n:]
	if length > uint64(len(b)) {
		return 0, nil, nil, fmt.Errorf("frame of type %#x: %d of %d bytes", frameType, len(b), length)
	}
	return frameType, b[:length], b[length:], nil
}

func decodeBlock(block []byte) (namesAndValues []string, err error) {
	next := qpack.NewDecoder().Decode(block)
	for {
		field, err := next()
		if errors.Is(err, io.EOF) {
			return namesAndValues, nil
		}
		if err != nil {
			return nil, fmt.Errorf("decode a block of %d bytes: %w", len(block), err)
		}
		namesAndValues = append(namesAndValues, field.Name, field.Value)
	}
}
