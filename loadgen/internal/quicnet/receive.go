package quicnet

import (
	"encoding/binary"
	"runtime"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/net/ipv4"
	"golang.org/x/sys/unix"
)

const (
	receiveMax     = 32       // datagrams, or trains of them, a system call
	receiveBytes   = 64 << 10 // a train may be as long as an IP packet
	receiveControl = 64       // two control messages
	// givenMax is how many datagrams quic-go is given before the connections
	// work on them: each drops what it has more than 256 of.
	givenMax = 64
)

// receiver reads datagrams ahead: quic-go asks for eight at a time.
type receiver struct {
	headers  [receiveMax]mmsghdr
	vectors  [receiveMax]unix.Iovec
	data     []byte // receiveMax buffers
	control  [receiveMax][receiveControl]byte
	received int // of headers, filled by the last call
	taken    int // of these, given to quic-go
	offset   int // in the one that is being given
	given    int // since the connections were let work last
	ready    func(fd uintptr) bool
}

// mmsghdr is struct mmsghdr of recvmmsg(2).
type mmsghdr struct {
	hdr   unix.Msghdr
	bytes uint32
	_     [4]byte
}

func (r *receiver) init() {
	r.data = make([]byte, receiveMax*receiveBytes)
	for i := range r.headers {
		r.vectors[i].Base = &r.data[i*receiveBytes]
		r.vectors[i].SetLen(receiveBytes)
		h := &r.headers[i].hdr
		h.Iov, h.Control = &r.vectors[i], &r.control[i][0]
		h.SetIovlen(1)
	}
}

// ReadBatch fills messages with datagrams that have arrived, and waits for the
// first. Before it goes to the kernel it lets the connections work on what it
// has given them, and sends what they have to say to it.
func (s *socket) ReadBatch(messages []ipv4.Message, _ int) (int, error) {
	r := &s.receiver
	for {
		if r.given >= givenMax {
			r.given = 0
			runtime.Gosched()
		}
		if n := s.give(messages); n > 0 {
			r.given += n
			return n, nil
		}
		r.given = 0
		runtime.Gosched()
		s.flush()
		if s.receive() {
			continue
		}
		if rest := s.e.rest.Load(); rest > 0 {
			sleep(time.Duration(rest))
			if s.receive() {
				continue
			}
		}
		if err := s.wait(); err != nil {
			return 0, err
		}
	}
}

// give hands datagrams that were read to quic-go, trains cut apart.
func (s *socket) give(messages []ipv4.Message) (n int) {
	r := &s.receiver
	for n < len(messages) && r.taken < r.received {
		h := &r.headers[r.taken]
		segment, tos := controlOf(r.control[r.taken][:h.hdr.Controllen])
		if segment == 0 {
			segment = int(h.bytes)
		}
		end := min(r.offset+segment, int(h.bytes))
		m := &messages[n]
		base := r.taken * receiveBytes
		m.N = copy(m.Buffers[0], r.data[base+r.offset:base+end])
		m.NN = copy(m.OOB, tos)
		m.Addr = s.server
		n++
		if r.offset = end; end >= int(h.bytes) {
			r.taken, r.offset = r.taken+1, 0
		}
	}
	return n
}

// controlOf reads the control messages of a datagram: the length of the
// datagrams of a train (udp(7), UDP_GRO), 0 for one alone, and the message that
// holds the bits of congestion notification.
func controlOf(b []byte) (segment int, tos []byte) {
	for len(b) >= unix.SizeofCmsghdr {
		length := int(binary.NativeEndian.Uint64(b))
		level, kind := binary.NativeEndian.Uint32(b[8:]), binary.NativeEndian.Uint32(b[12:])
		if length < unix.SizeofCmsghdr || length > len(b) {
			break
		}
		switch {
		case level == unix.SOL_UDP && kind == unix.UDP_GRO && length >= unix.SizeofCmsghdr+4:
			segment = int(binary.NativeEndian.Uint32(b[unix.SizeofCmsghdr:]))
		case level == unix.IPPROTO_IP && kind == unix.IP_TOS, level == unix.IPPROTO_IPV6 && kind == unix.IPV6_TCLASS:
			tos = b[:min(len(b), unix.CmsgSpace(length-unix.SizeofCmsghdr))]
		}
		b = b[min(len(b), unix.CmsgSpace(length-unix.SizeofCmsghdr)):]
	}
	return segment, tos
}

// receive reads what there is, and reports whether there was something.
func (s *socket) receive() bool {
	r := &s.receiver
	r.received, r.taken, r.offset = 0, 0, 0
	for i := range r.headers {
		r.headers[i].hdr.SetControllen(receiveControl)
	}
	n, errno := s.receiveMany()
	if errno == syscall.ECONNREFUSED { // of a datagram sent before; what has arrived lies behind it
		s.e.refused()
		n, errno = s.receiveMany()
	}
	if errno != 0 {
		return false
	}
	r.received = int(n)
	bytes := uint64(0)
	for i := range r.received {
		bytes += uint64(r.headers[i].bytes)
	}
	s.bytesIn.Add(bytes)
	s.e.refusals.Store(0)
	return true
}

func (s *socket) receiveMany() (n uintptr, errno syscall.Errno) {
	n, _, errno = unix.RawSyscall6(unix.SYS_RECVMMSG, uintptr(s.fd), uintptr(unsafe.Pointer(&s.receiver.headers[0])), receiveMax, unix.MSG_DONTWAIT, 0, 0)
	return n, errno
}

// wait sleeps until the socket is readable, or Close wants the reader to end.
func (s *socket) wait() error {
	s.mu.Lock()
	s.waiting = true
	s.flushLocked()
	s.mu.Unlock()
	if s.receiver.ready == nil {
		s.receiver.ready = func(uintptr) bool { return s.receive() }
	}
	err := s.raw.Read(s.receiver.ready)
	s.mu.Lock()
	s.waiting = false
	s.mu.Unlock()
	return err
}

// sleep stays away for a moment, with the CPU that the Go scheduler runs on: all
// that there was to do has been done.
func sleep(d time.Duration) {
	ts := unix.NsecToTimespec(int64(d))
	_, _, _ = unix.RawSyscall(unix.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&ts)), 0, 0)
}
