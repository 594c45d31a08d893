package procfs

import (
	"encoding/binary"
	"net/netip"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// message puts a netlink header before a payload that is padded already.
func message(kind uint16, payload []byte) []byte {
	msg := make([]byte, unix.SizeofNlMsghdr, unix.SizeofNlMsghdr+len(payload))
	binary.NativeEndian.PutUint32(msg, uint32(cap(msg)))
	binary.NativeEndian.PutUint16(msg[4:], kind)
	return append(msg, payload...)
}

// socket is an inet_diag_msg: family, state, timer, retransmits; ports; 16
// bytes each of source and destination; interface, cookie; five numbers of
// which the last two are user and inode.
func socket(family byte, addr []byte, port uint16, uid, inode uint32, attrs ...byte) []byte {
	data := make([]byte, diagReplyBytes)
	data[0], data[1] = family, kindTCP.state()
	binary.BigEndian.PutUint16(data[4:], port)
	copy(data[8:], addr)
	binary.NativeEndian.PutUint32(data[64:], uid)
	binary.NativeEndian.PutUint32(data[68:], inode)
	return append(data, attrs...)
}

func TestParseDiag(t *testing.T) {
	attr := func(kind uint16, value byte) []byte {
		a := make([]byte, 8) // length 5, padded to 8
		binary.NativeEndian.PutUint16(a, 5)
		binary.NativeEndian.PutUint16(a[2:], kind)
		a[4] = value
		return a
	}
	v6attrs := append(attr(8, 1), attr(attrV6Only, 1)...)
	data := message(unix.SOCK_DIAG_BY_FAMILY, socket(unix.AF_INET, []byte{127, 0, 0, 1}, 8080, 33, 7001, attr(8, 1)...))
	data = append(data, message(unix.SOCK_DIAG_BY_FAMILY, socket(unix.AF_INET6, make([]byte, 16), 81, 0, 7002, v6attrs...))...)

	listeners, done, err := parseDiag(data)
	if err != nil || done {
		t.Fatalf("parseDiag: done %v, error %v, want more to come", done, err)
	}
	want := []Listener{
		{Addr: netip.MustParseAddrPort("127.0.0.1:8080"), UID: 33, Inode: 7001},
		{Addr: netip.MustParseAddrPort("[::]:81"), V6Only: true, Inode: 7002},
	}
	if len(listeners) != 2 || listeners[0] != want[0] || listeners[1] != want[1] {
		t.Errorf("parseDiag = %+v, want %+v", listeners, want)
	}
	if _, done, err := parseDiag(message(unix.NLMSG_DONE, make([]byte, 4))); err != nil || !done {
		t.Errorf("the end mark: done %v, error %v", done, err)
	}
}

func TestParseDiagErrors(t *testing.T) {
	refused := make([]byte, 20) // a negative error number and the request's header
	code := int32(-int(unix.EPERM))
	binary.NativeEndian.PutUint32(refused, uint32(code))
	for _, tt := range []struct {
		data []byte
		want string
	}{
		{message(unix.NLMSG_ERROR, refused), "operation not permitted"},
		{message(unix.NLMSG_ERROR, nil), "without a number"},
		{message(unix.SOCK_DIAG_BY_FAMILY, make([]byte, 40)), "40 bytes, want at least 72"},
		{append(message(unix.SOCK_DIAG_BY_FAMILY, nil), make([]byte, 16)...), "invalid argument"}, // a header of length 0
	} {
		if _, _, err := parseDiag(tt.data); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("parseDiag(%x): %v, want an error with %q", tt.data, err, tt.want)
		}
	}
	if v6OnlyAttribute([]byte{0, 0, 11, 0, 1}) || v6OnlyAttribute([]byte{9, 0, 11, 0, 1}) {
		t.Error("an attribute with a length of 0, or beyond the message, was believed")
	}
}
