package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

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
	if !utf8.ValidString(pattern) {
		return nil, usagef("--names %q: want UTF-8", pattern)
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

// ohaCut is what oha calls requests that were under way when the time was over. They
// are no errors, and oha's own rate counts them: ours is that of 2xx alone.
const ohaCut = "aborted due to deadline"

// readOha reads one result of oha.
func (o *importOptions) readOha(file string, names *namePattern) ([]imported, error) {
	text, err := readGiven(file)
	if err != nil {
		return nil, err
	}
	p, placeErr := names.placeOf(file, o.place)
	m, err := ohaMeasurement(file, text)
	if err != nil {
		return nil, errors.Join(placeErr, usageError{err})
	}
	m.Session, m.Round, m.Run, m.Variant, m.Mode, m.Scenario = o.session, p.round, p.run, p.variant, p.mode, p.scenario
	return []imported{{m, file}}, placeErr
}

// ohaMeasurement is what a result says, without its place. Times in it are in seconds;
// what oha could not compute is null. The error is a [record.Faults].
func ohaMeasurement(file string, text []byte) (m record.Measurement, err error) {
	root, err := readJSONTree(file, text)
	if err != nil {
		return m, err
	}
	r := ohaReader{file: file}
	summary, statuses := root.member("summary"), root.member("statusCodeDistribution")
	if summary.member("total") == nil || !statuses.isObject() {
		r.fault(root, "no result of oha: want summary.total and statusCodeDistribution")
		return m, r.faults
	}
	r.counts(&m, statuses, root.member("errorDistribution"))
	r.numbers(&m, summary, root.member("latencyPercentiles"))
	if len(r.faults) > 0 {
		return m, r.faults
	}
	m.Flags = []string{flagImported}
	if m.StatusOther > 0 || m.Errors > 0 || m.Requests == 0 {
		m.State, m.Reason = record.Invalid, notOnlyOK(m.Requests, m.StatusOther, m.Errors)
	}
	return m, nil
}

// ohaReader takes numbers out of a result, and collects what is wrong with them.
type ohaReader struct {
	file   string
	faults record.Faults
}

func (r *ohaReader) fault(at *jsonNode, format string, args ...any) {
	r.faults = append(r.faults, record.Fault{File: r.file, Line: at.line, Text: fmt.Sprintf(format, args...)})
}

// counts adds up the answers by status, and what was no answer.
func (r *ohaReader) counts(m *record.Measurement, statuses, failures *jsonNode) {
	for _, status := range statuses.sortedNames() {
		node := statuses.members[status]
		code, err := strconv.ParseUint(status, 10, 16)
		if err != nil || code < 100 || code > 999 {
			r.fault(node, "statusCodeDistribution: %q is no status", status)
			continue
		}
		to := &m.StatusOther
		if code/100 == 2 {
			to = &m.Status2xx
		}
		r.add(to, node, "statusCodeDistribution, "+status)
	}
	if failures != nil && !failures.isObject() {
		r.fault(failures, "errorDistribution: want an object of numbers")
		return
	}
	for _, text := range failures.sortedNames() {
		if text != ohaCut {
			r.add(&m.Errors, failures.members[text], "errorDistribution, "+strconv.Quote(text))
		}
	}
	m.Requests = m.Status2xx
}

// add adds a count to others: 63 bits hold what a column takes.
func (r *ohaReader) add(to *uint64, node *jsonNode, what string) {
	n := r.whole(node, what)
	if *to += n; *to > math.MaxInt64 {
		r.fault(node, "%s: %d and those before it are too many", what, n)
		*to = 0
	}
}

// whole reads a whole number of 63 bits.
func (r *ohaReader) whole(node *jsonNode, what string) uint64 {
	digits, is := node.scalar.(json.Number)
	n, err := strconv.ParseUint(digits.String(), 10, 63)
	if !is || err != nil {
		r.fault(node, "%s: %s, want a whole number from 0 to %d", what, node.text(), int64(math.MaxInt64))
	}
	return n
}

// numbers reads times, and what follows from them.
func (r *ohaReader) numbers(m *record.Measurement, summary, percentiles *jsonNode) {
	total, seconds := summary.member("total"), 0.0
	if x, told := r.seconds(total, "summary.total").Get(); told {
		seconds = x
	}
	if seconds == 0 || float64(m.Status2xx)/seconds > ohaMax {
		r.fault(total, "summary.total: %s, want the seconds in which there were %d answers", total.text(), m.Status2xx)
		return
	}
	m.DurationSeconds = record.Of(seconds)
	m.RPS = record.Of(float64(m.Status2xx) / seconds)
	if bytes := summary.member("totalData"); bytes != nil {
		m.Bytes = r.whole(bytes, "summary.totalData")
	}
	if percentiles != nil && !percentiles.isObject() {
		r.fault(percentiles, "latencyPercentiles: want an object of numbers")
		return
	}
	for _, p := range []struct {
		name string
		to   *record.Value
	}{{"p50", &m.P50Millis}, {"p90", &m.P90Millis}, {"p99", &m.P99Millis}, {"p99.9", &m.P999Millis}} {
		*p.to = millis(r.seconds(percentiles.member(p.name), "latencyPercentiles, "+p.name))
	}
	m.MaxMillis = millis(r.seconds(summary.member("slowest"), "summary.slowest"))
}

// ohaMax is above every number of seconds, milliseconds and requests a second, and what
// a column takes.
const ohaMax = 1e18

// seconds reads a time; none where there is none.
func (r *ohaReader) seconds(node *jsonNode, what string) record.Value {
	if node == nil {
		return record.Value{}
	}
	digits, is := node.scalar.(json.Number)
	x, err := strconv.ParseFloat(digits.String(), 64)
	if !is || err != nil || strings.HasPrefix(digits.String(), "-") || 1000*x > ohaMax {
		r.fault(node, "%s: %s, want a number of seconds from 0 on", what, node.text())
		return record.Value{}
	}
	return record.Of(x)
}

// millis turns seconds into milliseconds, none into none.
func millis(seconds record.Value) record.Value {
	return record.Of(1000 * seconds.OrNaN())
}

// notOnlyOK is why a measurement with anything but 2xx counts for nothing.
func notOnlyOK(ok, other, errors uint64) string {
	return fmt.Sprintf("%d answers with 2xx, %d others, %d errors", ok, other, errors)
}
