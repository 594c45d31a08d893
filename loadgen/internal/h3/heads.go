package h3

import "bytes"

const (
	knownHeadsMax     = 8
	knownHeadBytesMax = 2 << 10 // longer ones are decoded each time
)

// Heads remembers the last few field sections with what they said. Servers
// repeat a section to the byte until the Date moves on, and comparing is many
// times cheaper than decoding. What a section says depends on nothing but its
// bytes, because the dynamic table is off; so one Heads serves all connections
// of a worker. It is owned by one thread.
//
// The zero value is empty and ready. It takes at most knownHeadsMax times
// knownHeadBytesMax bytes, allocated as sections come.
type Heads struct {
	known  [knownHeadsMax]knownHead
	recent int // index of the entry that was of use last
	oldest int // index of the entry that goes next
	reader sectionReader
}

type knownHead struct {
	section []byte // empty: the entry is
	answer  answer
}

// read returns what a section says. A section with a fault is not remembered.
func (h *Heads) read(section []byte) (answer, Fault) {
	if k := h.find(section); k != nil {
		return k.answer, Fault{}
	}
	a, fault := h.reader.read(section)
	if !fault.Bad() {
		h.remember(section, a)
	}
	return a, fault
}

// find returns the entry of a section; nil: it is not known.
func (h *Heads) find(section []byte) *knownHead {
	if len(section) == 0 {
		return nil
	}
	if k := &h.known[h.recent]; bytes.Equal(k.section, section) {
		return k
	}
	for i := range h.known {
		if k := &h.known[i]; bytes.Equal(k.section, section) {
			h.recent = i
			return k
		}
	}
	return nil
}

// remember keeps a section that is not known in place of the oldest.
func (h *Heads) remember(section []byte, a answer) {
	if len(section) > knownHeadBytesMax {
		return
	}
	k := &h.known[h.oldest]
	k.section = append(k.section[:0], section...)
	k.answer = a
	h.recent = h.oldest
	h.oldest = (h.oldest + 1) % knownHeadsMax
}
