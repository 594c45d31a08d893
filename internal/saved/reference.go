package saved

import (
	"fmt"
	"strconv"
	"strings"
)

// IsReference reports whether a word names an entry and no file: "#16", "16", "last".
func IsReference(word string) bool {
	_, err := strconv.ParseUint(strings.TrimPrefix(word, "#"), 10, 31)
	return err == nil || word == last
}

const last = "last"

// Find reads the entry that a word names ([IsReference]); [ErrNone] when there is none.
func (s Store) Find(word string) (Entry, error) {
	numbers, err := s.numbers()
	if err != nil {
		return Entry{}, err
	}
	if word == last {
		if len(numbers) == 0 {
			return Entry{}, fmt.Errorf("%w: nothing is saved yet", ErrNone)
		}
		return s.read(numbers[len(numbers)-1])
	}
	n, err := strconv.ParseUint(strings.TrimPrefix(word, "#"), 10, 31)
	if err != nil {
		return Entry{}, fmt.Errorf("%w: %q, want a number such as 16 or #16, or last", ErrNone, word)
	}
	e, err := s.read(int(n))
	if err != nil && len(numbers) > 0 {
		return e, fmt.Errorf("%w; there are #%d to #%d", err, numbers[0], numbers[len(numbers)-1])
	}
	return e, err
}
