package exchange

import (
	"crypto/sha256"
	"hash"
	"time"

	"github.com/scalws/scalbench/internal/mono"
)

// Digest hashes bodies of one connection, where content is expected: the first on each
// transport connection, and with a connection for each request not more than one a second.
// Hashing all would cost the generator more than everything else. The zero value has hashed
// nothing.
type Digest struct {
	hash  hash.Hash // nil: nothing was hashed yet
	begun mono.Time // of the last body
	sum   [sha256.Size]byte
}

// digestEvery is the time between two bodies that are hashed.
const digestEvery = mono.Time(time.Second)

// Begin reports whether the first body of a transport connection is to be hashed, by Write.
// It is for the caller to ask at the first exchange alone.
func (d *Digest) Begin(e *Expect, now mono.Time) bool {
	if !e.Hashed || d.begun != 0 && now-d.begun < digestEvery {
		return false
	}
	if d.hash == nil {
		d.hash = sha256.New()
	}
	d.hash.Reset()
	d.begun = now
	return true
}

// Write takes bytes of the body that is hashed.
func (d *Digest) Write(b []byte) { _, _ = d.hash.Write(b) } // it never fails

// Judge holds the body that was hashed against what is expected, when the rest of its
// response was right.
func (d *Digest) Judge(e *Expect, o Outcome, reason string) (Outcome, string) {
	if o != OK {
		return o, reason
	}
	if d.hash.Sum(d.sum[:0]); d.sum != e.SHA256 {
		return BadBody, "body with another SHA-256 than the expected one"
	}
	return o, reason
}
