package netloop

import (
	"fmt"
	"math"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/scalws/scalbench/internal/mono"
)

// Loop is an event loop over a fixed table of slots. It belongs to one
// goroutine locked to its thread.
type Loop struct {
	clock   mono.Clock
	ep      int
	sleeper sleeper
	sockets []socket
	queue   []ready // sends of this turn, in the order they were asked for

	events []unix.EpollEvent // as epoll_wait fills it
	later  []ready           // sockets that the next turn begins with
	ready  []ready           // the turn's work
	next   int               // index into ready
	buf    []byte

	congestion   []byte
	registration unix.EpollEvent // of the socket being connected; here so that it is not allocated

	bytesIn, bytesOut uint64
	drained           bool // the last wait brought everything that was ready
}

// ready is one socket with something to do, as the kernel described it.
type ready struct {
	slot  int32
	gen   uint32
	flags uint32 // EPOLL*
	reads uint32 // receives of this turn
}

const closing = unix.EPOLLRDHUP | unix.EPOLLHUP | unix.EPOLLERR

// New makes a loop. It fails when the process is out of file descriptors.
func New(clock mono.Clock, o Options) (*Loop, error) { return newLoop(clock, o, false) }

func newLoop(clock mono.Clock, o Options, withoutPwait2 bool) (*Loop, error) {
	if o.Slots < 1 {
		return nil, fmt.Errorf("make event loop: %d slots, want at least 1", o.Slots)
	}
	if o.BufferBytes == 0 {
		o.BufferBytes = defaultBufferBytes
	}
	if o.EventsMax == 0 {
		o.EventsMax = EventsMax
	}
	ep, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("make event loop: epoll_create1: %w", err)
	}
	sleeper, err := newSleeper(ep, withoutPwait2)
	if err != nil {
		unix.Close(ep)
		return nil, fmt.Errorf("make event loop: %w", err)
	}
	l := &Loop{
		clock: clock, ep: ep, sleeper: sleeper, congestion: []byte(o.Congestion),
		sockets: make([]socket, o.Slots),
		queue:   make([]ready, 0, o.Slots),
		events:  make([]unix.EpollEvent, o.EventsMax),
		later:   make([]ready, 0, 2*o.Slots), // a read and a failed send of each
		ready:   make([]ready, 0, o.EventsMax+o.Slots),
		buf:     make([]byte, o.BufferBytes),
	}
	for i := range l.sockets {
		l.sockets[i].fd = noSocket
	}
	if err := l.watchWaker(o.Waker); err != nil {
		l.Shutdown()
		return nil, fmt.Errorf("make event loop: %w", err)
	}
	return l, nil
}

// Wait ends the turn: it hands everything queued to the kernel and sleeps until
// a socket is ready or until is reached (an instant that has passed: it only
// looks). Next then says what happened. It returns the time after the sleep.
//
// With a rest, it first stays away for so long when nothing is ready: what
// arrives meanwhile wakes nobody and is found together. It is then noticed late
// by up to the rest.
func (l *Loop) Wait(until mono.Time, rest time.Duration) (mono.Time, error) {
	l.flush()
	l.carryOver()
	now := l.clock.Now()
	if len(l.ready) > 0 {
		until = now
	}
	n, err := l.sleep(now, until, rest)
	if err != nil {
		return now, err
	}
	for _, ev := range l.events[:n] {
		switch ev.Fd {
		case timerSlot:
			l.sleeper.fired()
			continue
		case wakerSlot:
			continue // to have returned is all it wants
		}
		l.add(ready{slot: ev.Fd, gen: uint32(ev.Pad), flags: ev.Events})
	}
	l.drained = n < len(l.events)
	return l.clock.Now(), nil
}

func (l *Loop) sleep(now, until mono.Time, rest time.Duration) (n int, err error) {
	if rest > 0 && until.Sub(now) > rest {
		n, err = l.sleeper.wait(now, now, l.events)
		if n > 0 || err != nil {
			return n, err
		}
		nanosleep(rest)
		now = l.clock.Now()
	}
	return l.sleeper.wait(now, until, l.events)
}

// carryOver begins the turn's work with what the last turn has left.
func (l *Loop) carryOver() {
	for _, r := range l.ready {
		l.sockets[r.slot].place = 0
	}
	l.ready, l.next = l.ready[:0], 0
	for _, r := range l.later {
		l.add(r)
	}
	l.later = l.later[:0]
}

// add puts a socket into the turn's work, once: a second reason to look at it
// joins the first, or a socket that is carried over and reported anew would take
// more of each turn than of the one before.
func (l *Loop) add(r ready) {
	s := &l.sockets[r.slot]
	if s.gen != r.gen {
		return // of a socket that is closed
	}
	if s.place > 0 {
		l.ready[s.place-1].flags |= r.flags
		return
	}
	l.ready = append(l.ready, r)
	s.place = int32(len(l.ready))
}

// flush sends what the turn has queued.
func (l *Loop) flush() {
	for _, r := range l.queue {
		s := &l.sockets[r.slot]
		if s.gen != r.gen || !s.writable {
			continue // closed since, or closed and connected anew
		}
		s.writable = false
		l.write(r.slot, s)
	}
	l.queue = l.queue[:0]
}

// write hands the rest of s.out to the kernel, as far as it takes it. A failed
// send is kept back: a server may have answered and closed before it had read
// the whole request, and the answer is still there to be read.
func (l *Loop) write(slot int32, s *socket) {
	for {
		before := l.clock.Now()
		n, errno := send(s.fd, s.out)
		switch errno {
		case 0:
			if s.sent != nil {
				*s.sent, s.sent = before, nil
			}
			l.bytesOut += uint64(n)
			if n == len(s.out) {
				s.out, s.blocked = nil, false
				return
			}
			s.out = s.out[n:]
		case unix.EAGAIN:
			s.blocked = true
			return
		case unix.EINTR:
		default:
			s.out, s.sent, s.blocked = nil, nil, false
			s.broken, s.writeErrno = true, uint16(errno)
			l.later = append(l.later, ready{slot: slot, gen: s.gen, flags: unix.EPOLLIN | unix.EPOLLERR})
			return
		}
	}
}

// Next takes the next completion of the turn into ev. It returns false when
// there is none left: the worker then calls Wait.
func (l *Loop) Next(ev *Event) bool {
	for l.next < len(l.ready) {
		r := &l.ready[l.next]
		s := &l.sockets[r.slot]
		if s.gen != r.gen || s.fd == noSocket || s.ended {
			l.next++
			continue
		}
		if l.step(r, s, ev) {
			ev.Slot = int(r.slot)
			return true
		}
	}
	return false
}

// step does one system call for a ready socket and reports whether that makes
// an event. It clears what it has dealt with from r.flags and moves to the next
// socket when nothing is left to do for this one.
func (l *Loop) step(r *ready, s *socket, ev *Event) bool {
	switch {
	case s.connecting:
		return l.finishConnect(r, s, ev)
	case r.flags&unix.EPOLLOUT != 0 && s.blocked:
		r.flags &^= unix.EPOLLOUT
		l.write(r.slot, s)
		if len(s.out) == 0 && !s.broken {
			*ev = Event{Kind: Sent, At: l.clock.Now()}
			return true
		}
		return false
	case r.flags&(unix.EPOLLIN|closing) != 0:
		return l.read(r, s, ev)
	}
	l.next++
	return false
}

func (l *Loop) finishConnect(r *ready, s *socket, ev *Event) bool {
	if r.flags&(unix.EPOLLOUT|unix.EPOLLERR|unix.EPOLLHUP) == 0 {
		l.next++
		return false
	}
	if r.flags&(unix.EPOLLERR|unix.EPOLLHUP) != 0 {
		if errno := connectResult(s.fd); errno != 0 {
			l.Close(int(r.slot), false)
			*ev = Event{Kind: ConnectFailed, Errno: errno, At: l.clock.Now()}
			return true
		}
	}
	// What came with the connection (a server that speaks or closes at once)
	// is read in the same turn: its edge is this one.
	r.flags &^= unix.EPOLLOUT
	s.connecting = false
	*ev = Event{Kind: Connected, At: l.clock.Now()}
	return true
}

// read does one recv. The socket stays the turn's current one while more is
// known to be there: the buffer came back full, a discard was met exactly, or
// the kernel has announced the end.
func (l *Loop) read(r *ready, s *socket, ev *Event) bool {
	last := r.flags&closing != 0
	var n int
	var errno syscall.Errno
	var full bool
	discarding := s.discard > 0
	if discarding {
		n, errno = discard(s.fd, l.buf, s.discard)
		full = int64(n) == s.discard || n == discardMax
	} else {
		n, errno = receive(s.fd, l.buf)
		full = n == len(l.buf)
	}
	at := l.clock.Now()
	switch {
	case errno == unix.EINTR:
		return false
	case errno == unix.EAGAIN && !s.broken:
		l.next++
		return false
	case errno != 0 || n == 0:
		l.next++
		s.ended = true
		*ev = s.end(errno, at)
		return true
	}
	l.bytesIn += uint64(n)
	switch r.reads++; {
	case !full && !last:
		l.next++
	case r.reads >= readsMax:
		l.next++
		l.later = append(l.later, ready{slot: r.slot, gen: r.gen, flags: r.flags})
	}
	*ev = Event{Kind: Data, At: at, Last: last}
	if discarding {
		s.discard -= int64(n)
		ev.Discarded = int64(n)
	} else {
		ev.Bytes = l.buf[:n]
	}
	return true
}

// end words the end of a socket: a failed send explains it better than the
// error that recv then meets.
func (s *socket) end(errno syscall.Errno, at mono.Time) Event {
	switch {
	case s.broken:
		return Event{Kind: WriteFailed, Errno: syscall.Errno(s.writeErrno), At: at}
	case errno != 0:
		return Event{Kind: Failed, Errno: errno, At: at}
	}
	return Event{Kind: End, At: at}
}

// readsMax bounds what one socket may take of a turn: a server that sends faster
// than it can be read would otherwise keep the worker from all other sockets,
// its timers and its end. The socket goes on with the next turn.
const readsMax = 16

// Drained reports whether the turn has everything that was ready when it began.
func (l *Loop) Drained() bool { return l.drained && len(l.later) == 0 }

// Bytes returns how many bytes all sockets have received and sent so far.
func (l *Loop) Bytes() (in, out uint64) { return l.bytesIn, l.bytesOut }

// Forever is an instant that Wait never reaches.
const Forever = mono.Time(math.MaxInt64)
