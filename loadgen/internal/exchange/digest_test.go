package exchange

import (
	"crypto/sha256"
	"testing"
	"time"

	"github.com/scalws/scalbench/internal/mono"
)

func TestDigest(t *testing.T) {
	at := func(d time.Duration) mono.Time { return mono.Time(time.Hour + d) }
	e := Expect{BodyBytes: -1, Hashed: true, SHA256: sha256.Sum256([]byte("a body"))}
	var d Digest
	if d.Begin(&Expect{}, at(0)) {
		t.Error("where no hash is expected a body is hashed")
	}
	for _, test := range []struct {
		after  time.Duration
		hashes bool
		pieces []string
		want   Outcome
	}{
		{0, true, []string{"a ", "body"}, OK},
		{time.Second - 1, false, nil, OK},                 // too soon after the last
		{time.Second, true, []string{"a body "}, BadBody}, // and nothing is left of it
		{1900 * time.Millisecond, false, nil, OK},
		{2 * time.Second, true, []string{"", "a body"}, OK},
	} {
		hashes := d.Begin(&e, at(test.after))
		if hashes != test.hashes {
			t.Errorf("after %s it is %t that a body is hashed", test.after, hashes)
		}
		if !hashes {
			continue
		}
		for _, piece := range test.pieces {
			d.Write([]byte(piece))
		}
		if got, reason := d.Judge(&e, OK, ""); got != test.want || (reason == "") != (got == OK) {
			t.Errorf("%q: %s, %q", test.pieces, got, reason)
		}
		if got, reason := d.Judge(&e, BadStatus, "x"); got != BadStatus || reason != "x" {
			t.Errorf("of another status: %s, %q", got, reason)
		}
	}
}
