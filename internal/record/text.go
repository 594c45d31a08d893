package record

import (
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// fileBytesMax bounds what a reader holds: a journal of a night has some 100 KiB.
const fileBytesMax = 64 << 20

// readText returns a file's text; ok is false after a fault.
func readText(in io.Reader, faults *faultList) (text string, ok bool) {
	data, err := io.ReadAll(io.LimitReader(in, fileBytesMax+1))
	switch {
	case err != nil:
		faults.at(0, "read: %v", err)
	case len(data) > fileBytesMax:
		faults.at(0, "more than %d MiB: this is no record", fileBytesMax>>20)
	default:
		return string(data), true
	}
	return "", false
}

// splitLines cuts text into its lines. whole is false when the last one has no
// line feed: every writer here ends with one, so the file was cut.
func splitLines(text string) (lines []string, whole bool) {
	if text == "" {
		return nil, true
	}
	whole = strings.HasSuffix(text, "\n")
	lines = strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSuffix(line, "\r")
	}
	return lines, whole
}

// IsName tells whether text can name a session, a variant, a scenario or a mode,
// and therefore a directory: letters of ASCII, digits and ._- and no dot in front.
func IsName(text string) bool {
	if text == "" || text[0] == '.' {
		return false
	}
	return strings.IndexFunc(text, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '.' && r != '_' && r != '-'
	}) < 0
}

// nameRule is what IsName wants, for faults.
const nameRule = "expected letters, digits and ._- and no dot in front"

// isPlain tells whether text stays on one line and is the same text when it is
// read back.
func isPlain(text string) bool {
	return utf8.ValidString(text) && strings.IndexFunc(text, unicode.IsControl) < 0
}

// isSHA256 tells whether text is a hash in lower-case hexadecimal.
func isSHA256(text string) bool {
	return len(text) == 64 && strings.Trim(text, "0123456789abcdef") == ""
}

// OneLine makes a text that can stand in a cell of a table and in a line of a journal: its lines are
// joined by semicolons, other control characters become spaces.
func OneLine(text string) string {
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
	for i := range lines {
		lines[i] = strings.Map(func(r rune) rune {
			if r < ' ' || r == 0x7f {
				return ' '
			}
			return r
		}, strings.TrimSpace(lines[i]))
	}
	return strings.TrimSpace(strings.ReplaceAll(strings.Join(lines, "; "), ":; ", ": "))
}
