package gate

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

// The elements of a JUnit report, as continuous integration reads them.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Failure *junitMessage `xml:"failure"`
		Error   *junitMessage `xml:"error"`
		Skipped *junitMessage `xml:"skipped"`
		Output  string        `xml:"system-out,omitempty"`
	}
	junitMessage struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",chardata"`
	}
)

// WriteJUnit writes a gate as a JUnit report: a suite for each table, a case for each
// row. FAIL is a failure; INVALID and everything without a verdict are errors, so that
// no row without a PASS looks like one; N/A is skipped.
func WriteJUnit(out io.Writer, g Gate) error {
	report := junitSuites{Name: "scalbench gate"}
	for i := range g {
		s := g[i].junit()
		report.Suites = append(report.Suites, s)
		report.Tests += s.Tests
		report.Failures += s.Failures
		report.Errors += s.Errors
	}
	if len(g) == 0 {
		report.Suites, report.Tests, report.Errors = []junitSuite{(&Table{}).junit()}, 1, 1
	}
	text, err := xml.MarshalIndent(report, "", "  ")
	if err != nil {
		return fmt.Errorf("write gate: %w", err)
	}
	if _, err := fmt.Fprintf(out, "%s%s\n", xml.Header, text); err != nil {
		return fmt.Errorf("write gate: %w", err)
	}
	return nil
}

func (t *Table) junit() junitSuite {
	s := junitSuite{Name: t.Name}
	for i := range t.Rows {
		r := &t.Rows[i]
		c := junitCase{Class: t.Name + "." + r.Comparison.String(), Name: r.cell().String(), Output: oneLine(r.Line())}
		message := &junitMessage{Message: r.Word() + ": " + oneLine(r.Short), Type: r.Verdict.String(), Text: strings.Join(r.Why, "\n")}
		switch counted := t.counted(r); {
		case counted == NotApplicable:
			c.Skipped = message
			s.Skipped++
		case counted == Fail:
			c.Failure = message
			s.Failures++
		case counted != Pass:
			c.Error = message
			s.Errors++
		}
		s.Cases = append(s.Cases, c)
	}
	if t.Estimate != "" {
		s.Cases = append(s.Cases, junitCase{Class: t.Name, Name: "verdict of record", Error: &junitMessage{Message: "ESTIMATE: " + t.Estimate, Type: "ESTIMATE"}})
		s.Errors++
	}
	if t.showsNothing() {
		s.Cases = append(s.Cases, junitCase{Class: t.Name, Name: "evidence", Error: &junitMessage{Message: Invalid.String() + ": " + nothingJudged, Type: Invalid.String()}})
		s.Errors++
	}
	s.Tests = len(s.Cases)
	return s
}
