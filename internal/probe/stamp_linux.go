package probe

import (
	"encoding/binary"

	"golang.org/x/sys/unix"
)

// enableStamps asks for the time at which the kernel received a socket's bytes,
// taken by software when the packet came in from the device, loopback included
// (Linux Documentation/networking/timestamping.rst, section 1.3).
func enableStamps(fd int) error {
	return unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TIMESTAMPING, unix.SOF_TIMESTAMPING_RX_SOFTWARE|unix.SOF_TIMESTAMPING_SOFTWARE)
}

// stampKeeper is a socket that keeps the kernel's stamping on.
//
// The kernel stamps packets only while some socket wants it, and switches that on
// from a work queue: the first bytes after a setsockopt may have no stamp. With a
// connection for each probe it would go on and off all the time, and patch
// its own code for it.
type stampKeeper int

// keepStamping opens one; -1 where it is refused, and stamps may be absent then.
func keepStamping() stampKeeper {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1
	}
	if err := enableStamps(fd); err != nil {
		unix.Close(fd)
		return -1
	}
	return stampKeeper(fd)
}

func (k stampKeeper) release() {
	if k >= 0 {
		unix.Close(int(k))
	}
}

// receiveStamped is one recvmsg(2) on a non-blocking socket: how many bytes, and
// when the kernel had them in ns of CLOCK_REALTIME, 0 when it does not say.
func receiveStamped(fd int, b []byte) (n int, realtime int64, err error) {
	var control [128]byte // a header and three timespecs are 64
	var controlled int
	for {
		n, controlled, _, _, err = unix.Recvmsg(fd, b, control[:], 0)
		if err != unix.EINTR {
			break
		}
	}
	if err != nil || n <= 0 {
		return 0, 0, err
	}
	messages, err := unix.ParseSocketControlMessage(control[:controlled])
	if err != nil {
		return n, 0, nil // the bytes are good all the same
	}
	for _, m := range messages {
		if m.Header.Level != unix.SOL_SOCKET || m.Header.Type != unix.SO_TIMESTAMPING {
			continue
		}
		var stamps [3]unix.Timespec // software, unused, hardware
		if _, err := binary.Decode(m.Data, binary.NativeEndian, &stamps); err == nil {
			return n, stamps[0].Nano(), nil
		}
	}
	return n, 0, nil
}
