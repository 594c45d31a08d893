package h2

import "bytes"

const (
	knownBlocksMax     = 4
	knownBlockBytesMax = 2 << 10 // longer ones are decoded each time
)

// knownBlocks remembers the last few blocks of a connection with what they
// said. Servers repeat a block to the byte until the Date moves on, and comparing
// is many times cheaper than decoding, which makes a string of each field.
//
// It is sound while all blocks since are neutral: then the dynamic table is what
// it was, and equal bytes mean the same fields. Any other block makes it
// [knownBlocks.forget] all.
//
// The zero value is empty and ready. The bytes are allocated as blocks come, so
// that ten thousand connections cost what their servers make them.
type knownBlocks struct {
	entries [knownBlocksMax]knownBlock
	recent  int // index of the entry that was of use last
	oldest  int // index of the entry that goes next
}

type knownBlock struct {
	bytes  []byte // empty: the entry is
	answer answer
}

// find returns what a block says, if it is known.
func (k *knownBlocks) find(block []byte) (a answer, found bool) {
	if len(block) == 0 {
		return answer{}, false
	}
	if e := &k.entries[k.recent]; bytes.Equal(e.bytes, block) {
		return e.answer, true
	}
	for i := range k.entries {
		if e := &k.entries[i]; bytes.Equal(e.bytes, block) {
			k.recent = i
			return e.answer, true
		}
	}
	return answer{}, false
}

// remember keeps a block in place of the oldest. It must be neutral.
func (k *knownBlocks) remember(block []byte, a answer) {
	if len(block) > knownBlockBytesMax {
		return
	}
	e := &k.entries[k.oldest]
	e.bytes = append(e.bytes[:0], block...)
	e.answer = a
	k.recent = k.oldest
	k.oldest = (k.oldest + 1) % knownBlocksMax
}

// forget empties all entries.
func (k *knownBlocks) forget() {
	for i := range k.entries {
		k.entries[i].bytes = k.entries[i].bytes[:0]
	}
}
