package procfs

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"syscall"

	"golang.org/x/sys/unix"
)

// The layout of inet_diag messages. Source: linux/inet_diag.h, sock_diag(7).
const (
	diagRequestBytes = 56 // struct inet_diag_req_v2
	diagReplyBytes   = 72 // struct inet_diag_msg, attributes follow

	attrV6Only = 11 // INET_DIAG_SKV6ONLY, one byte
)

// diagTimeout bounds the wait for an answer. The kernel answers within the
// system call; only a lost message would leave the reader waiting.
var diagTimeout = unix.Timeval{Sec: 1}

// diagListeners asks the kernel for the sockets of both families that listen on
// a port.
func diagListeners(k kind, port uint16) ([]Listener, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, unix.NETLINK_SOCK_DIAG)
	if err != nil {
		return nil, fmt.Errorf("open inet_diag: %w", err)
	}
	defer func() { _ = unix.Close(fd) }()
	if err := unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &diagTimeout); err != nil {
		return nil, fmt.Errorf("open inet_diag: %w", err)
	}
	var all []Listener
	for _, family := range []uint8{unix.AF_INET, unix.AF_INET6} {
		listeners, err := dumpListeners(fd, k, family, port)
		if err != nil {
			return nil, fmt.Errorf("ask inet_diag: %w", err)
		}
		all = append(all, listeners...)
	}
	return all, nil
}

// dumpListeners sends one request and reads its answers up to the end mark.
func dumpListeners(fd int, k kind, family uint8, port uint16) ([]Listener, error) {
	kernel := &unix.SockaddrNetlink{Family: unix.AF_NETLINK}
	if err := unix.Sendto(fd, diagRequest(k, family, port), 0, kernel); err != nil {
		return nil, err
	}
	var all []Listener
	buf := make([]byte, 32<<10) // the kernel's largest dump message
	for {
		n, _, err := unix.Recvfrom(fd, buf, 0)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return nil, err
		}
		listeners, done, err := parseDiag(buf[:n])
		if err != nil {
			return nil, err
		}
		for _, l := range listeners {
			// A kernel that ignored the port in the request answers with all.
			if l.Addr.Port() == port {
				all = append(all, l)
			}
		}
		if done {
			return all, nil
		}
	}
}

// diagRequest is a netlink header and an inet_diag_req_v2 that asks for
// listening sockets with a local port.
func diagRequest(k kind, family uint8, port uint16) []byte {
	const total = unix.SizeofNlMsghdr + diagRequestBytes
	msg := make([]byte, total)
	binary.NativeEndian.PutUint32(msg[0:], total)
	binary.NativeEndian.PutUint16(msg[4:], unix.SOCK_DIAG_BY_FAMILY)
	binary.NativeEndian.PutUint16(msg[6:], unix.NLM_F_REQUEST|unix.NLM_F_DUMP)
	req := msg[unix.SizeofNlMsghdr:]
	req[0] = family
	req[1] = unix.IPPROTO_TCP
	if k == kindUDP {
		req[1] = unix.IPPROTO_UDP
	}
	binary.NativeEndian.PutUint32(req[4:], 1<<k.state())
	binary.BigEndian.PutUint16(req[8:], port) // id.idiag_sport
	return msg
}

// parseDiag reads one datagram of answers; done says that it held the end
// mark.
func parseDiag(data []byte) (listeners []Listener, done bool, err error) {
	messages, err := syscall.ParseNetlinkMessage(data)
	if err != nil {
		return nil, false, err
	}
	for _, m := range messages {
		switch m.Header.Type {
		case unix.NLMSG_DONE:
			return listeners, true, nil
		case unix.NLMSG_ERROR:
			if len(m.Data) < 4 {
				return nil, false, errors.New("error message without a number")
			}
			return nil, false, unix.Errno(-int32(binary.NativeEndian.Uint32(m.Data)))
		case unix.SOCK_DIAG_BY_FAMILY:
			l, err := parseDiagSocket(m.Data)
			if err != nil {
				return nil, false, err
			}
			listeners = append(listeners, l)
		}
	}
	return listeners, false, nil
}

// parseDiagSocket reads an inet_diag_msg and its attributes.
func parseDiagSocket(data []byte) (Listener, error) {
	if len(data) < diagReplyBytes {
		return Listener{}, fmt.Errorf("socket message of %d bytes, want at least %d", len(data), diagReplyBytes)
	}
	addr := netip.AddrFrom16([16]byte(data[8:24])) // id.idiag_src
	if data[0] == unix.AF_INET {
		addr = netip.AddrFrom4([4]byte(data[8:12]))
	}
	return Listener{
		Addr:   netip.AddrPortFrom(addr, binary.BigEndian.Uint16(data[4:])),
		V6Only: v6OnlyAttribute(data[diagReplyBytes:]),
		UID:    int(binary.NativeEndian.Uint32(data[64:])),
		Inode:  uint64(binary.NativeEndian.Uint32(data[68:])),
	}, nil
}

// v6OnlyAttribute looks for INET_DIAG_SKV6ONLY among attributes: length and
// type of two bytes each, the value, padding to four bytes.
func v6OnlyAttribute(attrs []byte) bool {
	for len(attrs) >= unix.SizeofRtAttr {
		length := int(binary.NativeEndian.Uint16(attrs[0:]))
		if length < unix.SizeofRtAttr || length > len(attrs) {
			return false
		}
		if binary.NativeEndian.Uint16(attrs[2:]) == attrV6Only && length > unix.SizeofRtAttr {
			return attrs[unix.SizeofRtAttr] != 0
		}
		attrs = attrs[min(len(attrs), (length+3)&^3):]
	}
	return false
}
