package h3

import (
	"bytes"
	"slices"
	"testing"

	"github.com/quic-go/quic-go/quicvarint"
)

// stream is a row of the tables of unidirectional streams: one stream of a
// fresh connection, up to its FIN.
type stream struct {
	name  string
	bytes []byte
	want  told
}

// told is all that a Uni and its Control tell.
type told struct {
	feed, end Fault // of the last Feed and of End
	ignored   bool
	goAwayID  int64 // -1: it has not been said
}

// closed is a stream that is right, except that it ends.
func closed(text string) told {
	return told{end: connectionFault(ClosedCriticalStream, text), goAwayID: -1}
}

func closedAway(id int64) told {
	return told{end: connectionFault(ClosedCriticalStream, "control stream closed"), goAwayID: id}
}

// refused is a fault of Feed.
func refused(code ErrorCode, text string) told {
	return told{feed: connectionFault(code, text), end: connectionFault(code, text), goAwayID: -1}
}

func refusedAway(id int64, code ErrorCode, text string) told {
	r := refused(code, text)
	r.goAwayID = id
	return r
}

// control is a control stream with frames behind its empty SETTINGS.
func control(parts ...[]byte) []byte {
	return join([]byte{streamControl}, frame(frameSettings), join(parts...))
}

// settings is a control stream that begins with these identifiers and values.
func settings(pairs ...uint64) []byte {
	var payload []byte
	for _, n := range pairs {
		payload = appendVarint(payload, n)
	}
	return append([]byte{streamControl}, frame(frameSettings, payload...)...)
}

// goAway is a GOAWAY frame.
func goAway(id uint64) []byte { return frame(frameGoAway, appendVarint(nil, id)...) }

// settingsOfBytes is a control stream with a SETTINGS whose payload has so many
// bytes, all settings different.
func settingsOfBytes(n int) []byte {
	var payload []byte
	for id := uint64(1 << 14); len(payload)+5 <= n-5; id++ {
		payload = append(appendVarint(payload, id), 0) // 4 + 1 bytes
	}
	rest := n - len(payload) // 5 to 9: an identifier of 4 and a value of the rest, or two settings
	switch rest {
	case 5:
		payload = append(appendVarint(payload, 1<<15), 0)
	case 6:
		payload = append(appendVarint(payload, 1<<15), 0x40, 0)
	case 8:
		payload = append(appendVarint(payload, 1<<15), 0x80, 0, 0, 0)
	case 9:
		payload = append(append(appendVarint(payload, 1<<15), 0x40, 0), 0x40, 70, 0)
	case 7:
		payload = append(append(appendVarint(payload, 1<<15), 0), 7, 0)
	}
	return append([]byte{streamControl}, frame(frameSettings, payload...)...)
}

var streams = []stream{
	{"nothing", nil, told{goAwayID: -1}},
	{"cut-type", []byte{0xc0, 0, 0}, told{goAwayID: -1}},
	{"unknown", append(appendVarint(nil, 0x21), "anything"...), told{ignored: true, goAwayID: -1}},
	{"unknown-largest", append(appendVarint(nil, 1<<62-1), 1, 2), told{ignored: true, goAwayID: -1}},
	{"webtransport", []byte{0x40, 0x54, 0, 0}, told{ignored: true, goAwayID: -1}},
	{"push", []byte{streamPush, 0}, refused(IDError, "push stream although push is off")},

	{"control-empty", []byte{streamControl}, closed("control stream closed")},
	{"control-long-type", join([]byte{0xc0, 0, 0, 0, 0, 0, 0, streamControl}, frame(frameSettings)), closed("control stream closed")},
	{"settings-none", control(), closed("control stream closed")},
	{"settings", settings(0x01, 4096, 0x07, 16, 0x06, 1<<62-1, 0x08, 1, 0x33, 1, 0x21, 5, 1<<62-1, 0), closed("control stream closed")},
	{"settings-2-KiB", settingsOfBytes(2048), closed("control stream closed")},
	{"settings-cut", join([]byte{streamControl}, announced(frameSettings, 3), []byte{0x01}), closed("control stream closed")},
	{"other-frames", control(frame(0x21, 1, 2), frame(0x0f0700, make([]byte, 5000)...), announced(0x40, 1<<62-1), make([]byte, 10)), closed("control stream closed")},
	{"goaway", control(goAway(8)), closedAway(8)},
	{"goaway-none", control(goAway(0)), closedAway(0)},
	{"goaway-largest", control(goAway(1<<62 - 4)), closedAway(1<<62 - 4)},
	{"goaway-long", control(frame(frameGoAway, quicvarint.AppendWithLen(nil, 4, 8)...)), closedAway(4)},
	{"goaway-less", control(goAway(1<<62-4), goAway(12), frame(0x21), goAway(12), goAway(4)), closedAway(4)},

	{"settings-missing", join([]byte{streamControl}, goAway(0)), refused(MissingSettings, "control stream does not begin with SETTINGS")},
	{"settings-after-unknown", join([]byte{streamControl}, frame(0x21), frame(frameSettings)), refused(MissingSettings, "control stream does not begin with SETTINGS")},
	{"data-instead", join([]byte{streamControl}, data(1)), refused(MissingSettings, "control stream does not begin with SETTINGS")},
	{"settings-twice", control(frame(frameSettings)), refused(FrameUnexpected, "second SETTINGS")},
	{"settings-above-2-KiB", settingsOfBytes(2049), refused(ExcessiveLoad, "SETTINGS above 2 KiB")},
	{"settings-announced", join([]byte{streamControl}, announced(frameSettings, 1<<62-1)), refused(ExcessiveLoad, "SETTINGS above 2 KiB")},
	{"setting-0", settings(0x00, 0), refused(SettingsError, "setting of HTTP/2")},
	{"setting-2", settings(0x01, 0, 0x02, 0), refused(SettingsError, "setting of HTTP/2")},
	{"setting-3", settings(0x03, 100), refused(SettingsError, "setting of HTTP/2")},
	{"setting-4", settings(0x04, 65535), refused(SettingsError, "setting of HTTP/2")},
	{"setting-5", settings(0x05, 16384), refused(SettingsError, "setting of HTTP/2")},
	{"setting-twice", settings(0x06, 1, 0x01, 0, 0x06, 1), refused(SettingsError, "setting given twice")},
	{"setting-twice-unknown", settings(0x21, 1, 0x21, 2), refused(SettingsError, "setting given twice")},
	{"setting-without-value", settings(0x01, 0, 0x06), refused(FrameError, "SETTINGS ends inside a setting")},
	{"setting-cut-identifier", join([]byte{streamControl}, frame(frameSettings, 0x40)), refused(FrameError, "SETTINGS ends inside a setting")},
	{"setting-cut-value", join([]byte{streamControl}, frame(frameSettings, 0x06, 0x80, 0)), refused(FrameError, "SETTINGS ends inside a setting")},
	{"data", control(data(1)), refused(FrameUnexpected, "frame of a request stream on the control stream")},
	{"headers", control(headers(":status", "200")), refused(FrameUnexpected, "frame of a request stream on the control stream")},
	{"push-promise", control(frame(framePushPromise, 0)), refused(FrameUnexpected, "frame of a request stream on the control stream")},
	{"max-push-id", control(frame(frameMaxPushID, 0)), refused(FrameUnexpected, "MAX_PUSH_ID of a server")},
	{"cancel-push", control(frame(frameCancelPush, 0)), refused(IDError, "CANCEL_PUSH although push is off")},
	{"priority", control(frame(0x02)), refused(FrameUnexpected, "frame type of HTTP/2")},
	{"ping", control(frame(0x06)), refused(FrameUnexpected, "frame type of HTTP/2")},
	{"window-update", control(frame(0x08)), refused(FrameUnexpected, "frame type of HTTP/2")},
	{"continuation", control(frame(0x09)), refused(FrameUnexpected, "frame type of HTTP/2")},
	{"goaway-empty", control(frame(frameGoAway)), refused(FrameError, "GOAWAY is not one stream ID")},
	{"goaway-cut", control(frame(frameGoAway, 0x40)), refused(FrameError, "GOAWAY is not one stream ID")},
	{"goaway-more", control(frame(frameGoAway, 4, 0)), refused(FrameError, "GOAWAY is not one stream ID")},
	{"goaway-long", control(announced(frameGoAway, 9)), refused(FrameError, "GOAWAY is not one stream ID")},
	{"goaway-server-bidi", control(goAway(1)), refused(IDError, "GOAWAY with an ID of no request stream")},
	{"goaway-client-uni", control(goAway(2)), refused(IDError, "GOAWAY with an ID of no request stream")},
	{"goaway-server-uni", control(goAway(7)), refused(IDError, "GOAWAY with an ID of no request stream")},
	{"goaway-up", control(goAway(4), goAway(8)), refusedAway(4, IDError, "GOAWAY with a larger ID than before")},
	{"goaway-up-from-0", control(goAway(0), goAway(4)), refusedAway(0, IDError, "GOAWAY with a larger ID than before")},

	{"encoder-empty", []byte{streamEncoder}, closed("QPACK encoder stream closed")},
	{"encoder-capacity-0", []byte{streamEncoder, 0x20, 0x20}, closed("QPACK encoder stream closed")},
	{"encoder-capacity-1", []byte{streamEncoder, 0x20, 0x21}, refused(QPACKEncoderStreamError, "instruction for the dynamic table, which is off")},
	{"encoder-capacity", []byte{streamEncoder, 0x3f, 0xe1, 0x1f}, refused(QPACKEncoderStreamError, "instruction for the dynamic table, which is off")},
	{"encoder-insert-name", []byte{streamEncoder, 0xc0 | 25, 0}, refused(QPACKEncoderStreamError, "instruction for the dynamic table, which is off")},
	{"encoder-insert", []byte{streamEncoder, 0x41, 'x', 0}, refused(QPACKEncoderStreamError, "instruction for the dynamic table, which is off")},
	{"encoder-duplicate", []byte{streamEncoder, 0x00}, refused(QPACKEncoderStreamError, "instruction for the dynamic table, which is off")},

	{"decoder-empty", []byte{streamDecoder}, closed("QPACK decoder stream closed")},
	// 4; 63 and 0; 63 and 127 in two bytes; 63 in the most bytes there are: 8 that go on and one that does not
	{"decoder-cancellation", []byte{streamDecoder, 0x44, 0x7f, 0, 0x7f, 0xff, 0, 0x7f, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0, 0x40}, closed("QPACK decoder stream closed")},
	{"decoder-cancellation-cut", []byte{streamDecoder, 0x7f, 0x80}, closed("QPACK decoder stream closed")},
	{"decoder-cancellation-long", []byte{streamDecoder, 0x7f, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0}, refused(QPACKDecoderStreamError, "stream ID above 62 bits on the decoder stream")},
	{"decoder-acknowledgement", []byte{streamDecoder, 0x84}, refused(QPACKDecoderStreamError, "acknowledgement of dynamic table entries that nobody sent")},
	{"decoder-increment-0", []byte{streamDecoder, 0x40, 0x00}, refused(QPACKDecoderStreamError, "acknowledgement of dynamic table entries that nobody sent")},
	{"decoder-increment", []byte{streamDecoder, 0x01}, refused(QPACKDecoderStreamError, "acknowledgement of dynamic table entries that nobody sent")},
}

// listen feeds a fresh connection's stream in pieces and ends it.
func listen(data []byte, pieces []int, end func(*Uni, *Control) Fault) told {
	var u Uni
	var c Control
	var got told
	inPieces(data, pieces, func(b []byte) { got.feed = u.Feed(&c, b) })
	got.end = end(&u, &c)
	got.ignored, got.goAwayID = u.Ignored(), -1
	if id, said := c.GoAway(); said {
		got.goAwayID = int64(id)
	} else if id != 0 {
		got.goAwayID = -2
	}
	return got
}

func TestStreams(t *testing.T) {
	for _, row := range streams {
		t.Run(row.name, func(t *testing.T) {
			if got := listen(row.bytes, nil, (*Uni).End); got != row.want {
				t.Errorf("got %+v, want %+v", got, row.want)
			}
			if got := listen(row.bytes, nil, (*Uni).Reset); got != row.want { // which closes as a FIN does
				t.Errorf("reset: got %+v, want %+v", got, row.want)
			}
			splits(len(row.bytes), func(way string, pieces []int) {
				if got := listen(row.bytes, pieces, (*Uni).End); got != row.want {
					t.Errorf("%s: got %+v, want %+v", way, got, row.want)
				}
			})
		})
	}
}

// A connection has one stream of each kind, and as many unknown ones as it likes.
func TestSecondStreams(t *testing.T) {
	for _, test := range []struct {
		typ   byte
		first []byte
		want  Fault
	}{
		{streamControl, control(), connectionFault(StreamCreationError, "second control stream")},
		{streamEncoder, []byte{streamEncoder}, connectionFault(StreamCreationError, "second QPACK encoder stream")},
		{streamDecoder, []byte{streamDecoder}, connectionFault(StreamCreationError, "second QPACK decoder stream")},
		{0x21, []byte{0x21}, Fault{}},
	} {
		var c Control
		var others [3]Uni
		for i, b := range [][]byte{control(goAway(4)), {streamEncoder}, {streamDecoder}} {
			if b[0] == test.typ {
				continue
			}
			if fault := others[i].Feed(&c, b); fault.Bad() {
				t.Errorf("stream %d: %+v", b[0], fault)
			}
		}
		var first, second Uni
		if fault := first.Feed(&c, test.first); fault.Bad() {
			t.Errorf("the first stream %d: %+v", test.typ, fault)
		}
		if fault := second.Feed(&c, []byte{test.typ}); fault != test.want {
			t.Errorf("the second stream %d: %+v, want %+v", test.typ, fault, test.want)
		}
	}
}

// What a server makes us keep of its control stream is bounded.
func TestUniMemory(t *testing.T) {
	var u Uni
	var c Control
	b := join(settingsOfBytes(2048), frame(0x21, make([]byte, 100_000)...), goAway(4))
	inPieces(b, slices.Repeat([]int{1}, len(b)), func(b []byte) {
		if fault := u.Feed(&c, b); fault.Bad() {
			t.Fatalf("%+v", fault)
		}
	})
	if n := cap(u.frames.payload); n < 2048 || n > 2*2048 {
		t.Errorf("%d bytes are kept", n)
	}
}

// What we open a connection with is right by the rules that we hold the
// server's to, and says what it should.
func TestOpening(t *testing.T) {
	want := []byte{
		0x00,    // control stream
		0x04, 9, // SETTINGS: 2 + 2 + 1 + 4 bytes
		0x01, 0, // QPACK_MAX_TABLE_CAPACITY
		0x07, 0, // QPACK_BLOCKED_STREAMS
		0x06, 0x80, 0x01, 0x00, 0x00, // MAX_FIELD_SECTION_SIZE 65536
	}
	if got := Opening(); !bytes.Equal(got, want) {
		t.Errorf("% x, want % x", got, want)
	}
	if got, want := listen(Opening(), nil, (*Uni).End), closed("control stream closed"); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
