package suite

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
)

// Source is a file that a suite was made of.
type Source struct {
	Path string // as it was opened
	Data []byte
}

// SHA256 returns the hash of the file in hexadecimal.
func (s Source) SHA256() string {
	sum := sha256.Sum256(s.Data)
	return hex.EncodeToString(sum[:])
}

// Source returns the content of a file that the suite was made of, such as
// [Config].From, and false for another.
func (s *Suite) Source(path string) ([]byte, bool) {
	i := slices.IndexFunc(s.Sources, func(f Source) bool { return f.Path == path })
	if i < 0 {
		return nil, false
	}
	return s.Sources[i].Data, true
}

// Hash returns the SHA-256, in hexadecimal, of the content of every source, in their
// order, and of the params' values. Where the files lie does not matter. It is the
// hash of everything only of a suite of [Parser.Load]; [Parser.Parse] leaves
// configurations unread.
func (s *Suite) Hash() string {
	hash := sha256.New()
	for _, source := range s.Sources {
		fmt.Fprintf(hash, "file %s\n", source.SHA256())
	}
	for _, p := range s.Params {
		fmt.Fprintf(hash, "param %q %q\n", p.Name, p.Value)
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// sorted returns the keys of a map in order, so that faults always come alike.
func sorted[V any](m map[string]V) iter.Seq[string] {
	return slices.Values(slices.Sorted(maps.Keys(m)))
}

// readAtMost reads a file up to a byte more than limit, which tells the caller.
func readAtMost(in io.Reader, limit int64) ([]byte, error) {
	return io.ReadAll(io.LimitReader(in, limit+1))
}
