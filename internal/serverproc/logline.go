package serverproc

import (
	"fmt"
	"regexp"
	"strings"
)

// LogLine is a line of a server's log.
type LogLine struct {
	File string // its path
	Line int    // from 1
	Text string // at most 500 bytes of it
}

// String returns the form "server.log:17: bind() failed".
func (l LogLine) String() string { return fmt.Sprintf("%s:%d: %s", l.File, l.Line, l.Text) }

// lineMaxBytes is what is kept of a line.
const lineMaxBytes = 500

// normaliser makes lines equal that say the same at another time, in another process, of
// another connection or directory.
type normaliser struct {
	word    *regexp.Regexp
	numbers *regexp.Regexp
	places  *strings.Replacer
}

func newNormaliser(places Places) normaliser {
	return normaliser{
		// What holds a digit and may be a time, an address, an identifier or a count.
		word:    regexp.MustCompile(`0x[0-9a-fA-F]+|[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|\b[0-9a-f]{16,}\b`),
		numbers: regexp.MustCompile(`[0-9]+([.:/,T-][0-9]+)*Z?`),
		places:  places.replacer(),
	}
}

// normal replaces places first, and then identifiers and numbers by "#", and makes runs
// of white space one space.
func (n normaliser) normal(text string) string {
	text = n.places.Replace(text)
	text = n.word.ReplaceAllString(text, "#")
	text = n.numbers.ReplaceAllString(text, "#")
	return strings.Join(strings.Fields(text), " ")
}
