package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/scalws/scalbench/internal/record"
)

// namePattern finds the parts of a place in the path of a file. nil finds nothing.
type namePattern struct {
	text  string
	match *regexp.Regexp
}

// parseNames reads a pattern such as {variant}/{scenario}-{run}.json, which is held
// against the end of a path.
func parseNames(pattern string) (*namePattern, error) {
	if pattern == "" {
		return nil, nil
	}
	parts := map[string]string{
		"variant": `[A-Za-z0-9._-]+?`, "scenario": `[A-Za-z0-9._-]+?`, "mode": `[A-Za-z0-9._-]+?`, "run": `[0-9]+`, "round": `[0-9]+`,
	}
	var expression strings.Builder
	rest := pattern
	for rest != "" {
		before, after, found := strings.Cut(rest, "{")
		expression.WriteString(regexp.QuoteMeta(before))
		if !found {
			break
		}
		name, tail, closed := strings.Cut(after, "}")
		part, known := parts[name]
		if !closed || !known {
			return nil, usagef("--names %q: {%s}: want {variant}, {scenario}, {mode}, {run} and {round}, each once at most", pattern, name)
		}
		delete(parts, name)
		fmt.Fprintf(&expression, "(?P<%s>%s)", name, part)
		rest = tail
	}
	return &namePattern{pattern, regexp.MustCompile("(?:^|/)" + expression.String() + "$")}, nil
}

// placeOf completes a place by what the path of a file says.
func (n *namePattern) placeOf(file string, p place) (place, error) {
	if n != nil {
		found := n.match.FindStringSubmatch(filepath.ToSlash(file))
		if found == nil {
			return p, usagef("%s: does not end as --names %q", file, n.text)
		}
		for i, name := range n.match.SubexpNames() {
			switch name {
			case "variant":
				p.variant = found[i]
			case "scenario":
				p.scenario = found[i]
			case "mode":
				p.mode = found[i]
			case "run":
				p.run = wholeNumber(found[i])
			case "round":
				p.round = wholeNumber(found[i])
			}
		}
	}
	switch {
	case p.variant == "" || p.scenario == "":
		return p, usagef("%s: which variant and scenario is it? --names, or --variant and --scenario, say so", file)
	case !record.IsName(p.variant) || !record.IsName(p.scenario) || p.mode != "" && !record.IsName(p.mode):
		return p, usagef("%s: %s: names want letters, digits and ._-", file, p.text())
	case p.run < 1 || p.round < 1:
		return p, usagef("%s: %s: want 1 or more", file, p.text())
	}
	return p, nil
}

// wholeNumber is 0 for what is none, or too large to be a run.
func wholeNumber(digits string) int {
	n, err := strconv.ParseInt(digits, 10, 31)
	if err != nil {
		return 0
	}
	return int(n)
}

// ohaResult is what is read of oha's JSON. Times are in seconds; what could not be
// computed is null.
type ohaResult struct {
	Summary *struct {
		Total     *float64 `json:"total"`
		Slowest   *float64 `json:"slowest"`
		TotalData uint64   `json:"totalData"`
	} `json:"summary"`
	Percentiles map[string]*float64 `json:"latencyPercentiles"`
	Status      map[string]uint64   `json:"statusCodeDistribution"`
	Errors      map[string]uint64   `json:"errorDistribution"`
}

// ohaCut is what oha calls requests that were under way when the time was over. They
// are no errors, and oha's own rate counts them: ours is that of 2xx alone.
const ohaCut = "aborted due to deadline"

// readOha reads one result of oha.
func (o *importOptions) readOha(file string, names *namePattern) ([]imported, error) {
	text, err := readWhole(file)
	if err != nil {
		return nil, err
	}
	p, placeErr := names.placeOf(file, o.place)
	var result ohaResult
	if err := json.Unmarshal(text, &result); err != nil {
		return nil, errors.Join(placeErr, usageError{record.Fault{File: file, Line: jsonLine(text, err), Text: "no JSON of oha: " + strings.TrimPrefix(err.Error(), "json: ")}})
	}
	m, err := result.measurement()
	if err != nil {
		return nil, errors.Join(placeErr, usageError{record.Fault{File: file, Text: err.Error()}})
	}
	m.Session, m.Round, m.Run, m.Variant, m.Mode, m.Scenario = o.session, p.round, p.run, p.variant, p.mode, p.scenario
	return []imported{{m, file}}, placeErr
}

// jsonLine is the line on which JSON went wrong; 0 when that is not known.
func jsonLine(text []byte, err error) int {
	offset := int64(-1)
	var syntax *json.SyntaxError
	var mismatch *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &mismatch):
		offset = mismatch.Offset
	}
	if offset < 0 || offset > int64(len(text)) {
		return 0
	}
	return 1 + strings.Count(strings.TrimRight(string(text[:offset]), "\n"), "\n")
}

// measurement is what a result says, without its place.
func (r *ohaResult) measurement() (m record.Measurement, err error) {
	if r.Summary == nil || r.Summary.Total == nil || r.Status == nil {
		return m, errors.New("no result of oha: want summary.total and statusCodeDistribution")
	}
	for status, n := range r.Status {
		if len(status) == 3 && status[0] == '2' {
			m.Status2xx += n
		} else {
			m.StatusOther += n
		}
	}
	for text, n := range r.Errors {
		if text != ohaCut {
			m.Errors += n
		}
	}
	seconds := *r.Summary.Total
	if !(seconds > 0) {
		return m, fmt.Errorf("summary.total %v, want a time above 0", seconds)
	}
	m.DurationSeconds = record.Of(seconds)
	m.Requests, m.Bytes = m.Status2xx, r.Summary.TotalData
	m.RPS = record.Of(float64(m.Status2xx) / seconds)
	m.P50Millis, m.P90Millis = millis(r.Percentiles["p50"]), millis(r.Percentiles["p90"])
	m.P99Millis, m.P999Millis = millis(r.Percentiles["p99"]), millis(r.Percentiles["p99.9"])
	m.MaxMillis = millis(r.Summary.Slowest)
	m.Flags = []string{flagImported}
	if m.StatusOther > 0 || m.Errors > 0 || m.Requests == 0 {
		m.State, m.Reason = record.Invalid, notOnlyOK(m.Requests, m.StatusOther, m.Errors)
	}
	return m, nil
}

// millis turns seconds into milliseconds, none into none.
func millis(seconds *float64) record.Value {
	if seconds == nil {
		return record.Value{}
	}
	return record.Of(1000 * *seconds)
}

// notOnlyOK is why a measurement with anything but 2xx counts for nothing.
func notOnlyOK(ok, other, errors uint64) string {
	return fmt.Sprintf("%d answers with 2xx, %d others, %d errors", ok, other, errors)
}
