package h2

import (
	"bytes"
	"slices"
)

const (
	knownBlocksMax     = 4
	knownBlockBytesMax = 2 << 10 // longer ones are decoded each time
)

// knownBlocks remembers the last few blocks of a connection with what they said
// and what they put into the dynamic table. Servers repeat a block to the byte
// until the Date moves on, and comparing is many times cheaper than decoding.
//
// The zero value is empty and ready. The bytes are allocated as blocks come, so
// that ten thousand connections cost what their servers make them.
type knownBlocks struct {
	entries [knownBlocksMax]knownBlock
	recent  int // index of the entry that was of use last
	oldest  int // index of the entry that goes next
}

type knownBlock struct {
	bytes   []byte // empty: the entry is
	answer  answer
	inserts []tableField
	refers  bool // it means this only while the table has that version
	version uint64
}

// find returns what a block says while the table has a version; nil: it is not
// known.
func (k *knownBlocks) find(block []byte, version uint64) *knownBlock {
	if len(block) == 0 {
		return nil
	}
	if e := &k.entries[k.recent]; e.is(block, version) {
		return e
	}
	for i := range k.entries {
		if e := &k.entries[i]; e.is(block, version) {
			k.recent = i
			return e
		}
	}
	return nil
}

func (e *knownBlock) is(block []byte, version uint64) bool {
	return bytes.Equal(e.bytes, block) && (!e.refers || e.version == version)
}

// remember keeps a block in place of the oldest, or of itself as it was with
// another table. One that refers to the table must not insert into it.
func (k *knownBlocks) remember(block []byte, a answer, inserts []tableField, refers bool, version uint64) {
	if len(block) > knownBlockBytesMax {
		return
	}
	i := slices.IndexFunc(k.entries[:], func(e knownBlock) bool { return bytes.Equal(e.bytes, block) })
	if i < 0 {
		i = k.oldest
		k.oldest = (k.oldest + 1) % knownBlocksMax
	}
	e := &k.entries[i]
	e.bytes = append(e.bytes[:0], block...)
	e.inserts = append(e.inserts[:0], inserts...)
	e.answer, e.refers, e.version = a, refers, version
	k.recent = i
}

// forget empties all entries.
func (k *knownBlocks) forget() {
	for i := range k.entries {
		k.entries[i].bytes = k.entries[i].bytes[:0]
	}
}
