package serverproc

import (
	"bytes"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
)

// What is shown of a log beside an error.
const (
	tailLines = 10
	tailBytes = 4 << 10
)

// LogTail returns the last lines of what the server has written, standard error
// before standard output, each with an indent; "" when it has written nothing.
func (s *Server) LogTail() string {
	var text strings.Builder
	for _, path := range slices.Compact([]string{s.spec.Stderr, s.spec.Stdout}) {
		lines, err := lastLines(path)
		if err != nil {
			continue // the server, or somebody else, has moved it
		}
		for line := range bytes.Lines(lines) {
			text.WriteString("\n  " + strings.TrimRight(string(line), "\r\n"))
		}
	}
	return text.String()
}

// withLogTail is err with the end of the log, which mostly has its cause.
func (s *Server) withLogTail(err error) error {
	if tail := s.LogTail(); tail != "" {
		return loggedError{err, tail}
	}
	return err
}

// loggedError is an error with the last lines of a log under it.
type loggedError struct {
	error
	tail string
}

func (e loggedError) Error() string { return e.error.Error() + "; the end of its log:" + e.tail }
func (e loggedError) Unwrap() error { return e.error }

// lastLines reads at most tailLines lines and tailBytes bytes from the end of a file.
func lastLines(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	from := max(0, info.Size()-tailBytes)
	text := make([]byte, tailBytes)
	n, err := file.ReadAt(text, from)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	text = text[:n]
	if from > 0 { // the first line is only the end of one
		_, text, _ = bytes.Cut(text, []byte("\n"))
	}
	lines := slices.Collect(bytes.Lines(text))
	return bytes.Join(lines[max(0, len(lines)-tailLines):], nil), nil
}
