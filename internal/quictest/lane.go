package quictest

import (
	"bytes"
	"math/rand/v2"
)

// faults are what a relay does to datagrams.
type faults struct {
	drop    float64 // share, 0 to 1
	reorder int     // every so many is held back; 0: none
}

// lane decides what becomes of the datagrams of one client and direction. It does
// no I/O.
type lane struct {
	random *rand.Rand
	passed int    // datagrams that were not dropped
	held   []byte // the one that is held back; nil: none
}

// newLane has a random sequence that no other lane of the relay has.
func newLane(seed, number uint64) *lane {
	return &lane{random: rand.New(rand.NewPCG(seed, number))}
}

// pass returns what goes on now that a datagram has arrived: the datagram, and
// behind it the one that was held back. A datagram that is dropped lets nothing go
// on. What is returned is valid until the caller reuses the datagram's bytes.
func (l *lane) pass(datagram []byte, f faults) (on [][]byte, dropped bool) {
	// One number for each datagram, also when none is to be lost: turning the
	// loss on does not depend on when.
	if l.random.Float64() < f.drop {
		return nil, true
	}
	l.passed++
	switch {
	case l.held != nil:
		on = [][]byte{datagram, l.release()}
	case f.reorder > 0 && l.passed%f.reorder == 0:
		l.held = bytes.Clone(datagram)
	default:
		on = [][]byte{datagram}
	}
	return on, false
}

// release gives up the datagram that is held back; nil when there is none.
func (l *lane) release() (late []byte) {
	late, l.held = l.held, nil
	return late
}
