package suite

import (
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// option is one word of an enumeration.
type option[T any] struct {
	word  string
	value T
	later bool // a word of the format that nothing reads yet
}

// choice reads one of several words.
func choice[T any](r *reader, f field, options ...option[T]) T {
	var zero T
	words := make([]string, 0, len(options))
	for _, o := range options {
		if !o.later {
			words = append(words, o.word)
		}
	}
	expected := alternatives(words)
	text, ok := r.text(f, expected)
	if !ok {
		return zero
	}
	for _, o := range options {
		switch {
		case o.word != text:
		case o.later:
			r.fault(f.val, "%s: %s is not supported yet, expected %s", f.key, text, expected)
			return zero
		default:
			return o.value
		}
	}
	r.fault(f.val, "%s: %q, expected %s", f.key, text, expected)
	return zero
}

// alternatives lists words for a sentence: a, b or c.
func alternatives(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// boolean reads true or false, and none of YAML's other spellings.
func (r *reader) boolean(f field) bool {
	return choice(r, f, option[bool]{word: "true", value: true}, option[bool]{word: "false"})
}

// A leading zero is refused: YAML versions read 010 as 8 or as 10.
var decimal = regexp.MustCompile(`^(0|-?[1-9][0-9]*)$`)

// integer reads a whole number from low to high.
func (r *reader) integer(f field, low, high int64) int64 {
	text, ok := r.text(f, "a whole number")
	if !ok {
		return 0
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if !decimal.MatchString(text) || err != nil || n < low || n > high {
		r.fault(f.val, "%s: %q, expected a whole number from %d to %d", f.key, text, low, high)
		return 0
	}
	return n
}

// duration reads a time with its unit from low to high.
func (r *reader) duration(f field, low, high time.Duration) time.Duration {
	text, ok := r.text(f, "a duration such as 10s")
	if !ok {
		return 0
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < low || d > high {
		r.fault(f.val, "%s: %q, expected a duration from %s to %s such as 10s", f.key, text, low, high)
		return 0
	}
	return d
}

// Names become names of files and directories, and words of flags.
var validName = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,63}$`)

// name reads the name of a suite or scenario.
func (r *reader) name(f field) string {
	text, ok := r.text(f, "a name")
	if ok && !validName.MatchString(text) {
		r.fault(f.val, "%s: %q, expected 1 to 64 of a-z 0-9 . _ - with a letter or digit first", f.key, text)
		return ""
	}
	return text
}

// maxSentence is what a listing shows without breaking its table.
const maxSentence = 200

// sentence reads one line of prose.
func (r *reader) sentence(f field) string {
	text, ok := r.text(f, "a sentence")
	if !ok {
		return ""
	}
	text = strings.TrimSpace(text)
	if text == "" || strings.ContainsFunc(text, isControl) || utf8.RuneCountInString(text) > maxSentence {
		r.fault(f.val, "%s: expected one line of 1 to %d characters", f.key, maxSentence)
		return ""
	}
	return text
}

func isControl(c rune) bool { return c < ' ' || c == 0x7f }
