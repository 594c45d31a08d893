package quictest

import (
	"reflect"
	"testing"
)

func TestMessage(t *testing.T) {
	get := Frame(FrameHeaders, Block(":method", "GET", "x", "1"))
	join := func(parts ...[]byte) (all []byte) {
		for _, p := range parts {
			all = append(all, p...)
		}
		return all
	}
	for _, test := range []struct {
		name   string
		raw    []byte
		fields []string
		body   string
		err    string
	}{
		{"header", get, []string{":method", "GET", "x", "1"}, "", ""},
		{"body in two, an unknown frame, trailers",
			join(get, Frame(FrameData, []byte("ab")), Frame(0x21, []byte("zz")), Frame(FrameData, []byte("c")), Frame(FrameHeaders, Block("t", "2"))),
			[]string{":method", "GET", "x", "1"}, "abc", ""},
		{"nothing", nil, nil, "", "no HEADERS in 0 bytes"},
		// Type and length are one byte each.
		{"body only", Frame(FrameData, []byte("a")), nil, "", "no HEADERS in 3 bytes"},
		{"cut off", join(get, Frame(FrameData, []byte("abc"))[:4]), nil, "", "frame of type 0x0: 2 of 3 bytes"},
		{"no length", []byte{0x01}, nil, "", "length of a frame of type 0x1: EOF"},
		{"type cut off", []byte{0x40}, nil, "", "type of a frame: unexpected EOF"},
		{"bad block", Frame(FrameHeaders, []byte{0}), nil, "", "decode a block of 1 bytes: unexpected EOF"},
	} {
		t.Run(test.name, func(t *testing.T) {
			fields, body, err := decodeMessage(test.raw)
			text := ""
			if err != nil {
				text = err.Error()
			}
			if !reflect.DeepEqual(fields, test.fields) || string(body) != test.body || text != test.err {
				t.Errorf("%q, %q, %q", fields, body, text)
			}
		})
	}
}

// A length of 64 takes two bytes: 01 and 14 bits (RFC 9000, 16).
func TestFrame(t *testing.T) {
	got := Frame(FrameSettings, make([]byte, 64))
	if want := append([]byte{0x04, 0x40, 0x40}, make([]byte, 64)...); string(got) != string(want) {
		t.Errorf("% x", got)
	}
	if got := Varints(0, 63, 16384, 1<<62-1); string(got) != "\x00\x3f\x80\x00\x40\x00\xff\xff\xff\xff\xff\xff\xff\xff" {
		t.Errorf("% x", got)
	}
}
