package netloop

// Discard lets the kernel drop the next n received bytes of the slot without
// copying them. They are reported as Data with Discarded set.
func (l *Loop) Discard(slot int, n int64) { l.sockets[slot].discard = n }

const (
	// lowWaterMin is the smallest rest that is worth two system calls, which
	// raise and restore the mark.
	lowWaterMin = 64 << 10
	// lowWaterMax is the most that a socket gathers before it is drained.
	// Twice as much is slower: what is gathered leaves the near cache, and the
	// sender finds the window closed.
	lowWaterMax = 256 << 10
)

// awaitRest chooses how much must have arrived before the kernel reports the
// socket again (socket(7), SO_RCVLOWAT): of a rest that is only to be dropped
// as much as is worth a wake-up, else a single byte. A FIN, an error and a full
// receive buffer are reported whatever the mark is (tcp_data_ready in
// net/ipv4/tcp_input.c).
//
// Without it a reader that drains faster than a server writes is woken for
// every segment, and each wake-up of an idle CPU is paid by the server, inside
// its send: bodies of 1 MiB over loopback left the embedded target four times
// as slowly, with its CPU full.
func (s *socket) awaitRest() {
	mark := int32(1)
	if s.discard >= lowWaterMin {
		mark = int32(min(s.discard, lowWaterMax))
	}
	if mark == max(s.lowWater, 1) {
		return
	}
	if setLowWater(s.fd, mark) == 0 {
		s.lowWater = mark
	}
}
