package netloop

import (
	"syscall"

	"github.com/scalws/scalbench/internal/mono"
)

// Kind says what an Event reports.
type Kind uint8

const (
	Connected     Kind = iota + 1 // the connection is up
	ConnectFailed                 // it is not: Errno. The slot is empty again
	Data                          // Bytes or Discarded arrived
	Sent                          // a send that had found the buffer full has left whole
	End                           // the peer's FIN; the slot keeps its socket until Close
	Failed                        // receiving failed: Errno; the slot keeps its socket until Close
	WriteFailed                   // sending failed: Errno, and nothing more can be read; likewise
)

// Event is one completion.
type Event struct {
	Kind      Kind
	Slot      int
	At        mono.Time     // when the system call that brought it had returned
	Bytes     []byte        // Data: valid until the next call of Next
	Discarded int64         // Data: bytes that the kernel dropped as Discard asked; Bytes is empty then
	Last      bool          // Data: a FIN or an error is known to follow, without waiting
	Errno     syscall.Errno // ConnectFailed, Failed, WriteFailed
}

// Options are the fixed properties of a loop.
type Options struct {
	Slots       int // number of slots; at least 1
	BufferBytes int // size of the receive buffer all slots share; 0: 64 KiB
	EventsMax   int // sockets taken in one turn; 0: EventsMax
	// Congestion is the TCP congestion control of the sockets (tcp(7),
	// TCP_CONGESTION). "": the host's default; one that the host refuses is
	// ignored.
	Congestion string
	// Waker lets other goroutines end a Wait; nil: none does. It is the
	// caller's to close.
	Waker *Waker
}

const (
	defaultBufferBytes = 64 << 10
	// More ready sockets a turn save wake-ups, but the first response of a turn
	// waits for the reads of all others before its successor is sent, and what
	// the kernel holds of a socket has left the near cache by then: 32 cost 2 %
	// less CPU a request than 128, and 8 cost 6 % more.
	EventsMax = 32
)
