package h1

import "bytes"

const (
	rememberedHeads        = 8
	maxRememberedHeadBytes = 2 << 10 // longer ones are parsed each time
)

// Heads remembers the last few complete heads of a worker with what they said.
// Servers repeat a head to the byte until the Date moves on, and comparing is
// several times cheaper than parsing. It is sound because an answer depends on
// the head's bytes alone and a head ends at its first empty line: whatever
// begins with a remembered head has that head.
//
// The zero value is empty and ready. A nil Heads remembers nothing. It belongs
// to one worker.
type Heads struct {
	known  [rememberedHeads]knownHead // apart from the bytes: a miss walks through these alone
	recent int                        // index of the entry that was of use last
	oldest int                        // index of the entry that goes next
	bytes  [rememberedHeads][maxRememberedHeadBytes]byte
}

type knownHead struct {
	size   int // bytes of the head; 0: the entry is empty
	answer answer
}

// find returns the answer and the size of the remembered head with which b
// begins; size 0: there is none.
func (h *Heads) find(b []byte) (a answer, size int) {
	if h == nil {
		return answer{}, 0
	}
	if h.matches(h.recent, b) {
		return h.known[h.recent].answer, h.known[h.recent].size
	}
	for i := range h.known {
		if h.matches(i, b) {
			h.recent = i
			return h.known[i].answer, h.known[i].size
		}
	}
	return answer{}, 0
}

func (h *Heads) matches(i int, b []byte) bool {
	size := h.known[i].size
	return size > 0 && bytes.HasPrefix(b, h.bytes[i][:size])
}

// remember keeps a complete head in place of the oldest. Replacing the least
// used one instead would need counting on every hit, for a table that changes
// once a second.
func (h *Heads) remember(head []byte, a answer) {
	if h == nil || len(head) > maxRememberedHeadBytes {
		return
	}
	copy(h.bytes[h.oldest][:], head)
	h.known[h.oldest] = knownHead{size: len(head), answer: a}
	h.recent = h.oldest
	h.oldest = (h.oldest + 1) % rememberedHeads
}
