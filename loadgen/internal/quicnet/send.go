package quicnet

import (
	"encoding/binary"
	"errors"
	"net"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	sendMax      = 64       // datagrams gathered; as many as one train may have (UDP_MAX_SEGMENTS)
	sendBytes    = 64 << 10 // of them together
	sendControl  = 48       // two control messages
	trainBytes   = 60_000   // an IP packet less headers
	sendWaitMS   = 10       // for room in the send buffer
	noConnection = -1       // in addressOf: whoever the datagram is of
)

// sender gathers datagrams. Those of one length and marking leave as one train,
// whichever connections they are of: all go from one socket to one address, and
// the kernel then passes through its stack once for all of them (udp(7),
// UDP_SEGMENT).
type sender struct {
	ipv4     bool
	data     []byte
	gathered [sendMax]datagram
	n        int
	trains   [sendMax]train
	headers  [sendMax]mmsghdr
	vectors  [sendMax]unix.Iovec
	control  [sendMax][sendControl]byte
	alone    bool // the kernel refuses trains
}

// datagram is one that was gathered.
type datagram struct {
	from, to   int // in data
	tos        uint8
	connection int
	next       int // of the same train; -1: last
}

// train is datagrams of one length.
type train struct {
	bytes       int // of each
	tos         uint8
	first, last int
	count       int
}

func (d *sender) init(ipv4 bool) {
	d.ipv4 = ipv4
	d.data = make([]byte, 0, sendBytes)
}

// WriteMsgUDP takes what a connection has to send: a datagram, or a train with
// its control message, to addressOf that connection. A datagram that may belong
// to a train is gathered until the reader has given every connection what has
// arrived, unless the reader sleeps.
func (s *socket) WriteMsgUDP(b, oob []byte, address *net.UDPAddr) (n, oobn int, err error) {
	segment, tos := sendControlOf(oob)
	s.mu.Lock()
	defer s.mu.Unlock()
	if segment == 0 || len(b) > segment || address.Port == noConnection { // a probe, part of a handshake, or a train already
		s.flushLocked()
		return len(b), len(oob), s.sendNow(b, oob, address.Port)
	}
	d := &s.sender
	if d.n == sendMax || len(d.data)+len(b) > cap(d.data) || d.holds(address.Port) {
		s.flushLocked()
	}
	from := len(d.data)
	d.data = append(d.data, b...)
	d.gathered[d.n] = datagram{from: from, to: len(d.data), tos: tos, connection: address.Port, next: -1}
	d.n++
	if s.waiting {
		s.flushLocked()
	}
	return len(b), len(oob), nil
}

// holds reports whether a datagram of a connection is among those gathered. A
// train might overtake it.
func (d *sender) holds(connection int) bool {
	for i := range d.n {
		if d.gathered[i].connection == connection {
			return true
		}
	}
	return false
}

// sendControlOf reads the control messages that quic-go adds: the length of the
// datagrams of a train, and the bits of congestion notification.
func sendControlOf(b []byte) (segment int, tos uint8) {
	for len(b) >= unix.SizeofCmsghdr {
		length := int(binary.NativeEndian.Uint64(b))
		level, kind := binary.NativeEndian.Uint32(b[8:]), binary.NativeEndian.Uint32(b[12:])
		if length <= unix.SizeofCmsghdr || length > len(b) {
			break
		}
		switch {
		case level == unix.IPPROTO_UDP && kind == unix.UDP_SEGMENT:
			segment = int(binary.NativeEndian.Uint16(b[unix.SizeofCmsghdr:]))
		case level == unix.IPPROTO_IP && kind == unix.IP_TOS, level == unix.IPPROTO_IPV6 && kind == unix.IPV6_TCLASS:
			tos = b[unix.SizeofCmsghdr]
		}
		b = b[min(len(b), unix.CmsgSpace(length-unix.SizeofCmsghdr)):]
	}
	return segment, tos
}

// flush sends what has been gathered.
func (s *socket) flush() {
	s.mu.Lock()
	s.flushLocked()
	s.mu.Unlock()
}

func (s *socket) flushLocked() {
	d := &s.sender
	if d.n == 0 {
		return
	}
	trains := d.couple()
	s.stampGathered()
	for sent := 0; sent < trains; {
		n, _, errno := unix.RawSyscall6(unix.SYS_SENDMMSG, uintptr(s.fd), uintptr(unsafe.Pointer(&d.headers[sent])), uintptr(trains-sent), unix.MSG_DONTWAIT, 0, 0)
		switch {
		case errno == 0:
			sent += int(n)
		case errno == syscall.EAGAIN && s.roomToSend():
		case errno == syscall.ECONNREFUSED: // of a datagram before; this one has not been tried
			s.e.refused()
		case (errno == syscall.EINVAL || errno == syscall.EIO) && d.trains[sent].count > 1 && !d.alone:
			d.alone = true // a device without checksum offload
			s.sendEach(d.trains[sent:trains])
			sent = trains
		default:
			sent++ // lost, as on a wire
		}
	}
	s.bytesOut.Add(uint64(len(d.data)))
	d.n, d.data = 0, d.data[:0]
}

// couple makes trains of what was gathered, and their headers for sendmmsg(2).
func (d *sender) couple() (trains int) {
	for i := range d.n {
		g := &d.gathered[i]
		k := 0
		for k < trains && (d.trains[k].bytes != g.to-g.from || d.trains[k].tos != g.tos || d.alone || (d.trains[k].count+1)*d.trains[k].bytes > trainBytes) {
			k++
		}
		t := &d.trains[k]
		if k == trains {
			*t = train{bytes: g.to - g.from, tos: g.tos, first: i, last: i}
			trains++
		} else {
			d.gathered[t.last].next = i
			t.last = i
		}
		t.count++
	}
	vector := 0
	for k := range trains {
		t, h := &d.trains[k], &d.headers[k].hdr
		*h = unix.Msghdr{Iov: &d.vectors[vector]}
		h.SetIovlen(t.count)
		for i := t.first; i >= 0; i = d.gathered[i].next {
			g := &d.gathered[i]
			d.vectors[vector].Base = &d.data[g.from]
			d.vectors[vector].SetLen(g.to - g.from)
			vector++
		}
		if n := d.controlFor(k); n > 0 {
			h.Control = &d.control[k][0]
			h.SetControllen(n)
		}
	}
	return trains
}

// controlFor writes the control messages of a train and returns their length.
func (d *sender) controlFor(k int) (n int) {
	t, b := &d.trains[k], d.control[k][:]
	clear(b)
	if t.count > 1 {
		n += control(b[n:], unix.IPPROTO_UDP, unix.UDP_SEGMENT, 2)
		binary.NativeEndian.PutUint16(b[unix.SizeofCmsghdr:], uint16(t.bytes))
	}
	if t.tos != 0 && d.ipv4 {
		b[n+unix.SizeofCmsghdr] = t.tos
		n += control(b[n:], unix.IPPROTO_IP, unix.IP_TOS, 1)
	} else if t.tos != 0 {
		binary.NativeEndian.PutUint32(b[n+unix.SizeofCmsghdr:], uint32(t.tos))
		n += control(b[n:], unix.IPPROTO_IPV6, unix.IPV6_TCLASS, 4)
	}
	return n
}

// control writes the header of a control message and returns the space of it.
func control(b []byte, level, kind uint32, bytes int) int {
	binary.NativeEndian.PutUint64(b, uint64(unix.CmsgLen(bytes)))
	binary.NativeEndian.PutUint32(b[8:], level)
	binary.NativeEndian.PutUint32(b[12:], kind)
	return unix.CmsgSpace(bytes)
}

// stampGathered tells the connections that what they had to say leaves now.
func (s *socket) stampGathered() {
	e, d := s.e, &s.sender
	e.mu.Lock()
	now := e.cfg.Clock.Now()
	for i := range d.n {
		g := &d.gathered[i]
		e.stampPort(g.connection, now, g.to-g.from)
	}
	e.mu.Unlock()
}

// sendEach sends the datagrams of trains one by one.
func (s *socket) sendEach(trains []train) {
	d := &s.sender
	for _, t := range trains {
		for i := t.first; i >= 0; i = d.gathered[i].next {
			_ = s.sendOne(d.data[d.gathered[i].from:d.gathered[i].to], nil)
		}
	}
}

// sendNow sends bytes with the control messages that quic-go gave them.
func (s *socket) sendNow(b, oob []byte, connection int) error {
	e := s.e
	if connection != noConnection {
		e.mu.Lock()
		e.stampPort(connection, e.cfg.Clock.Now(), len(b))
		e.mu.Unlock()
	}
	s.bytesOut.Add(uint64(len(b)))
	err := s.sendOne(b, oob)
	if errors.Is(err, syscall.ECONNREFUSED) { // of a datagram before
		e.refused()
		err = s.sendOne(b, oob)
	}
	if errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.ECONNREFUSED) {
		return nil // lost, as on a wire
	}
	return err
}

func (s *socket) sendOne(b, oob []byte) error {
	for {
		err := unix.Sendmsg(s.fd, b, oob, nil, unix.MSG_DONTWAIT)
		if !errors.Is(err, syscall.EAGAIN) || !s.roomToSend() {
			return err
		}
	}
}

// roomToSend waits a moment for room in the send buffer.
func (s *socket) roomToSend() bool {
	fds := []unix.PollFd{{Fd: int32(s.fd), Events: unix.POLLOUT}}
	n, err := unix.Poll(fds, sendWaitMS)
	return err == nil && n > 0
}
