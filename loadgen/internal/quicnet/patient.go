package quicnet

import (
	"github.com/quic-go/quic-go"
)

// A stream whose response does not come in one piece has a goroutine that waits
// for its bytes, and one whose request does not fit into the windows another that
// waits for them. Both are started when they are needed first and then stay: the
// next exchange of the slot needs no new one.

// job is a QUIC stream to read or to write, for one use of its slot.
type job struct {
	quic *quic.Stream
	use  uint64
	data []byte // to write
}

// The buffer of a reader is small until it was full once: a worker may have tens of
// thousands of them that wait.
const (
	patientBytes      = 512
	patientBytesLarge = 16 << 10
)

// bePatient leaves the response to the slot's reader.
func (s *stream) bePatient() {
	s.patient = true
	s.toRead = job{quic: s.quic, use: s.use}
	if s.reads == nil {
		s.reads = make(chan struct{}, 1)
		s.c.e.patient.Go(s.readLoop)
	}
	wake(s.reads)
}

// wake lets a goroutine look; when it has been woken and has not looked yet,
// once is enough.
func wake(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

func (s *stream) readLoop() {
	e := s.c.e
	buf := make([]byte, patientBytes)
	for {
		if s.full && len(buf) < patientBytesLarge {
			buf = make([]byte, patientBytesLarge)
		}
		select {
		case <-s.reads:
		case <-e.stopped:
			return
		}
		e.mu.Lock()
		j := s.toRead
		e.mu.Unlock()
		s.read(j, buf)
	}
}

// read brings one response to its end.
func (s *stream) read(j job, buf []byte) {
	e := s.c.e
	for {
		n, err := j.quic.Read(buf)
		s.full = s.full || n == len(buf)
		now := e.cfg.Clock.Now()
		e.mu.Lock()
		over := s.use != j.use || s.taken(now, buf[:n], err)
		e.mu.Unlock()
		if over {
			return
		}
	}
}

// write leaves the request to the slot's writer.
func (s *stream) write(request []byte) {
	s.writing = true
	s.toWrite = job{quic: s.quic, use: s.use, data: request}
	if s.writes == nil {
		s.writes = make(chan struct{}, 1)
		s.c.e.patient.Go(s.writeLoop)
	}
	wake(s.writes)
}

func (s *stream) writeLoop() {
	e := s.c.e
	for {
		select {
		case <-s.writes:
		case <-e.stopped:
			return
		}
		e.mu.Lock()
		j := s.toWrite
		e.mu.Unlock()
		// What goes wrong is met by the reader. A server that wants no more of
		// the request (STOP_SENDING) may well answer.
		_, err := j.quic.Write(j.data)
		e.mu.Lock()
		if s.use == j.use {
			s.writing = false
			if err == nil {
				_ = j.quic.Close() // fails on a stream that has been cancelled
			}
		}
		e.mu.Unlock()
	}
}
