package servers

import (
	"fmt"
	"os"
	"strings"
)

// Line is what a server says of one request.
type Line struct {
	Status int
	Major  int    // version of HTTP
	URI    string // path and query
}

// Log is what it says of all, in the order in which they ended.
type Log []Line

// readLog reads the file of a server in another process, without its notices.
func readLog(path, notices string) (log []Line, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		if notices != "" && strings.HasPrefix(line, notices) {
			continue
		}
		l, err := parseLine(line)
		if err != nil {
			return nil, fmt.Errorf("%s: line %q: %w", path, line, err)
		}
		log = append(log, l)
	}
	return log, nil
}

// parseLine reads "200 HTTP/2.0 /path?query\n". HTTP/2 has no minor version, and
// not every server makes one up.
func parseLine(line string) (l Line, err error) {
	var version string
	if _, err := fmt.Sscanf(line, "%d HTTP/%s %s\n", &l.Status, &version, &l.URI); err != nil {
		return Line{}, err
	}
	_, err = fmt.Sscanf(version, "%d", &l.Major)
	return l, err
}

// Count returns how many lines are equal to one.
func (l Log) Count(line Line) (n int) {
	for _, have := range l {
		if have == line {
			n++
		}
	}
	return n
}

// OfURI returns the lines with an URI.
func (l Log) OfURI(uri string) (of Log) {
	for _, line := range l {
		if line.URI == uri {
			of = append(of, line)
		}
	}
	return of
}
