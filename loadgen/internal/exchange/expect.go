package exchange

import "crypto/sha256"

// Expect says which complete responses are OK.
type Expect struct {
	Status    uint16 // 0: any 2xx
	BodyBytes int64  // payload, without the protocol's framing; -1: not checked; 0 is a body without bytes

	Hashed bool // some bodies are hashed, as [Digest] says, and must have this hash
	SHA256 [sha256.Size]byte
}

// Judge compares a complete response with what is expected, the status first.
// BadStatus has no reason: the status itself says it.
func (e Expect) Judge(status uint16, bodyBytes int64) (o Outcome, reason string) {
	if e.Status == 0 && status/100 != 2 || e.Status != 0 && status != e.Status {
		return BadStatus, ""
	}
	if e.BodyBytes >= 0 && bodyBytes != e.BodyBytes {
		return BadBody, "body length is not the expected one"
	}
	return OK, ""
}
