// Package netloop is the event loop under a worker: it connects, sends,
// receives and closes sockets, and says what happened as completions.
//
// Terms. A loop has a fixed number of slots, one for each connection of its
// worker. A slot holds at most one socket at a time; the caller names it by
// the slot's number. Each socket that a slot gets has a new generation, so
// that a late event of the socket before it is recognised and dropped here:
// what [Loop.Next] returns always concerns the socket the slot has now. A turn
// is one Wait with the Nexts that follow it.
//
// Flow of a turn:
//
//  1. The worker has called Connect, Send, Discard and Close for some slots.
//     Send only queues.
//  2. Wait hands everything queued to the kernel, stamping each send just
//     before its system call, and then sleeps until a socket is ready or the
//     given instant is reached, to the nanosecond. With a rest it first stays
//     away for a moment when nothing is ready; a [Waker] ends the sleep from
//     another goroutine.
//  3. Next takes the ready sockets one by one: one recv each, its completion
//     stamped when recv has returned, the bytes in a buffer that the next call
//     of Next uses again.
//
// All reads of a turn therefore come before all its sends. This is on purpose:
// a response's completion is stamped microseconds after it arrived and not
// after the sends to forty other connections (each of which runs the server's
// receive path on this CPU when the server is local), and the server is woken
// once for many requests. An io_uring backend has the same shape: one call
// submits everything and collects everything.
//
// The backend is epoll, edge-triggered: one epoll_ctl in the life of a
// connection, because its one registration asks for reading, writing and the
// peer's FIN. The kernel raises the writable edge only after a send has found
// the buffer full, so permanent interest in it costs nothing; nothing has to
// be armed. One recv a readiness suffices when it comes back short; it goes on
// to EAGAIN or end of file when the buffer came back full or when the kernel
// reports a FIN, a hang-up or an error, since no further edge would come
// (epoll(7), "Edge-triggered"). A socket that still has more after sixteen reads
// goes on in the next turn, so that no peer keeps the worker from its clock.
//
// A Loop belongs to one goroutine locked to its thread; nothing in it may be
// used by another. It does not allocate after New.
//
// Read loop.go (the contract), then epoll.go (Wait and Next), wait.go (the
// sleep, and what is done where epoll_pwait2 is refused), waker.go, socket.go and sys.go
// (the system calls).
package netloop
