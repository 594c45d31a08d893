package serverproc

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
)

// LogPatterns say which lines of a log mean what. They are regular expressions of RE2
// syntax, matched anywhere in a line. The zero value has no patterns of its own.
type LogPatterns struct {
	Fail   []string // a line that matches makes the measurement invalid
	Ignore []string // a line that matches one is passed over, whatever else matches it
}

// bindFailure is what every server says whose port was taken, in the words of strerror(3)
// and of Go. It always fails: such a server has measured another one.
const bindFailure = `(?i)address (already )?in use|EADDRINUSE`

// complaint is how lines are worded that tell of an error.
const complaint = `(?i)\b(error|errors|failed|failure|fatal|panic|critical|crit|alert|emerg|segfault|abort(ed)?)\b`

// LogReport is what was found in the logs of one server.
type LogReport struct {
	Failures    []LogLine // the first of those that fail, at most 20
	FailedLines int       // all of them
	// Complaints are lines that tell of an error and do not fail, each once in its
	// normal form, in the order in which they first came; at most 200 of them. What
	// every variant has is a fact of the host, such as an expired certificate.
	Complaints []Complaint
	Lines      int
}

// Complaint is one error and how often it was told.
type Complaint struct {
	Normal string // without times, numbers, addresses and places; the same in all variants
	Count  int
	First  LogLine
}

// What is kept of a log, however long it is.
const (
	failuresMax   = 20
	complaintsMax = 200
)

// Validate reports every pattern that is none.
func (p LogPatterns) Validate() error {
	_, err := p.compile()
	return err
}

// Scan reads log files to their ends; places are what is not the same in another
// variant. A file that does not exist has no lines.
func (p LogPatterns) Scan(paths []string, places Places) (LogReport, error) {
	s, err := p.compile()
	if err != nil {
		return LogReport{}, err
	}
	s.normaliser = newNormaliser(places)
	for _, path := range slices.Compact(slices.Clone(paths)) {
		if err := s.scan(path); err != nil {
			return LogReport{}, fmt.Errorf("scan log: %w", err)
		}
	}
	return s.report, nil
}

// scanner reads logs.
type scanner struct {
	fail, ignore []*regexp.Regexp
	complaint    *regexp.Regexp
	normaliser   normaliser
	report       LogReport
}

func (p LogPatterns) compile() (*scanner, error) {
	s := &scanner{complaint: regexp.MustCompile(complaint)}
	var faults []error
	compile := func(key string, patterns []string) (all []*regexp.Regexp) {
		for _, text := range patterns {
			pattern, err := regexp.Compile(text)
			if err != nil {
				faults = append(faults, fmt.Errorf("log: %s: %w", key, err))
				continue
			}
			all = append(all, pattern)
		}
		return all
	}
	s.fail = append(compile("fail", p.Fail), regexp.MustCompile(bindFailure))
	s.ignore = compile("ignore", p.Ignore)
	return s, errors.Join(faults...)
}

// scan reads one file. A line may be of any length; what is kept of it is not.
func (s *scanner) scan(path string) error {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	in := bufio.NewReaderSize(file, 64<<10)
	for number := 1; ; number++ {
		text, err := in.ReadString('\n')
		if text != "" {
			s.line(LogLine{File: path, Line: number, Text: strings.TrimRight(text, "\r\n")})
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (s *scanner) line(l LogLine) {
	s.report.Lines++
	if matchesAny(s.ignore, l.Text) {
		return
	}
	fails, complains := matchesAny(s.fail, l.Text), s.complaint.MatchString(l.Text)
	l.Text = l.Text[:min(len(l.Text), lineMaxBytes)]
	switch {
	case fails:
		s.report.FailedLines++
		if len(s.report.Failures) < failuresMax {
			s.report.Failures = append(s.report.Failures, l)
		}
	case complains:
		s.complain(l)
	}
}

func (s *scanner) complain(l LogLine) {
	normal := s.normaliser.normal(l.Text)
	i := slices.IndexFunc(s.report.Complaints, func(c Complaint) bool { return c.Normal == normal })
	if i >= 0 {
		s.report.Complaints[i].Count++
	} else if len(s.report.Complaints) < complaintsMax {
		s.report.Complaints = append(s.report.Complaints, Complaint{Normal: normal, Count: 1, First: l})
	}
}

func matchesAny(patterns []*regexp.Regexp, text string) bool {
	return slices.ContainsFunc(patterns, func(p *regexp.Regexp) bool { return p.MatchString(text) })
}
