package h2

import (
	"math/bits"

	"github.com/scalws/scalbench/loadgen/internal/exchange"
)

// maxStreamID is the last identifier of a stream, RFC 9113 section 5.1.1. When
// it is used up, the connection has come to its end.
const maxStreamID = 1<<31 - 1

// stream is one stream that is not closed, with the exchange that it carries.
type stream struct {
	x            *exchange.Exchange
	older, newer *stream
	id           uint32 // 0: the cell is free
	sentBytes    int    // of the request's body
	sendWindow   int64  // may be negative, RFC 9113 section 6.9.2
	lengthBytes  int64  // content-length of the response; -1: none, or none that counts
	unacked      int64  // flow-controlled bytes since the last WINDOW_UPDATE
	interims     uint8  // 1xx responses
	inBody       bool   // the final response's head is complete
	bodiless     bool   // its body has no bytes by definition
	ended        bool   // END_STREAM arrived
	sending      bool   // among the senders
	surplus      bool   // opened before the server lowered its limit below what was open
}

// streams holds the open streams of a connection.
//
// A stream's cell is given by the low bits of its identifier, so that finding it
// takes no search and no map. An identifier whose cell is still in use is left
// out when a stream is opened: RFC 9113 section 5.1.1 lets a client skip some.
// There are at least twice as many cells as streams, so that this is rare.
//
// The streams are also linked in the order of their identifiers, which is that
// of their deadlines.
type streams struct {
	cells          []stream // a power of two of them
	mask           uint32
	next           uint32 // identifier of the next stream, if its cell is free: odd
	open           int
	oldest, newest *stream
}

func (t *streams) init(streamsMax int) {
	t.cells = make([]stream, 1<<bits.Len(uint(2*streamsMax-1)))
	t.mask = uint32(len(t.cells) - 1)
	t.restart()
}

// restart begins with the first identifier again. All streams must be closed.
func (t *streams) restart() { t.next = 1 }

// idsLeft is how many streams may still be opened, if none of the identifiers is
// skipped.
func (t *streams) idsLeft() int64 {
	return (maxStreamID - int64(t.next) + 2) / 2
}

// find returns the open stream with an identifier; nil: there is none.
func (t *streams) find(id uint32) *stream {
	s := &t.cells[id>>1&t.mask]
	if s.id != id || id == 0 {
		return nil
	}
	return s
}

// add opens a stream for an exchange; nil: the identifiers are used up. No more
// may be open than init was told.
func (t *streams) add(x *exchange.Exchange) *stream {
	for t.next <= maxStreamID {
		id := t.next
		t.next += 2
		s := &t.cells[id>>1&t.mask]
		if s.id != 0 {
			continue
		}
		*s = stream{x: x, id: id, lengthBytes: -1, older: t.newest}
		if t.newest != nil {
			t.newest.newer = s
		} else {
			t.oldest = s
		}
		t.newest = s
		t.open++
		return s
	}
	return nil
}

// remove closes a stream.
func (t *streams) remove(s *stream) {
	if s.older != nil {
		s.older.newer = s.newer
	} else {
		t.oldest = s.newer
	}
	if s.newer != nil {
		s.newer.older = s.older
	} else {
		t.newest = s.older
	}
	s.id, s.x = 0, nil
	t.open--
}
