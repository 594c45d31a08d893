package loadgen

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/scalws/scalbench/internal/units"
)

// Threshold is a condition that a result has to meet: a metric, a comparison
// and a limit, as in p99<5ms, service.p999 <= 20ms, error_rate<0.1% or
// rps>10k. It is plain data, made by [ParseThreshold]; as JSON it is its text.
// The zero value is met by no result.
type Threshold struct {
	Text   string  // as it was given
	Metric string  // what is compared, one name for synonyms: p99, service.p999, rps
	Op     string  // <, <=, > or >=
	Limit  float64 // microseconds of a time, a fraction of error_rate, else a number
}

// ThresholdState says whether a result meets a threshold.
type ThresholdState string

const (
	ThresholdHeld    ThresholdState = "held"
	ThresholdBroken  ThresholdState = "broken"
	ThresholdUnknown ThresholdState = "unknown" // the result does not have the metric
)

// Verdict is what a threshold says of one result.
type Verdict struct {
	Threshold Threshold      `json:"threshold"`
	State     ThresholdState `json:"state"`
	Text      string         `json:"text"` // a sentence: "p99 7.2 ms, not below 5 ms"
}

// Held reports whether the threshold was met for certain: an unknown one counts
// as broken, because a condition that nobody could check was not met.
func (v Verdict) Held() bool { return v.State == ThresholdHeld }

// ParseThreshold reads a metric, a comparison and a value; spaces between them
// do not matter. Metrics are
//
//   - p50 p75 p90 p95 p99 p999 p9999 (also p99.9 and p99.99), min, mean and max
//     of response time; service.p99 and the like of the other histograms of a
//     [Latency], by their names in JSON. The value is a time with its unit: 800us.
//   - error_rate: the share of the ledger's scheduled requests that did not end ok
//     ([Ledger.NotOK]: errors, unfinished, never sent and shed); errors is their
//     number. The values are 0.1% or 0.001, and a count.
//   - rps, and bytes_in_per_s (of sockets, in the window): 10000, 10k, 1.5M.
//   - cpu_us and server_cpu_us: CPU time per request, of the generator and of the
//     server: 20, 20us.
//
// The error is [ErrPlan] and says what was expected.
func ParseThreshold(text string) (Threshold, error) {
	text = strings.TrimSpace(text)
	at := strings.IndexAny(text, "<>=!")
	if at < 0 {
		return Threshold{}, faultf("threshold %q: want a metric, one of < <= > >=, and a value, such as p99<5ms", text)
	}
	after := strings.TrimLeft(text[at:], "<>=!")
	op := text[at : len(text)-len(after)]
	if _, known := comparisonBy(op); !known {
		return Threshold{}, faultf("threshold %q: %s is not a comparison: want < <= > or >=", text, op)
	}
	name := strings.TrimSpace(text[:at])
	m, known := metricNamed(name)
	if !known {
		return Threshold{}, faultf("threshold %q: %q is not a metric: want %s", text, name, metricNames())
	}
	value := strings.TrimSpace(after)
	limit, ok := m.quantity.parse(value)
	if !ok {
		return Threshold{}, faultf("threshold %q: value %q: want %s", text, value, m.quantity.want)
	}
	return Threshold{Text: text, Metric: m.name, Op: op, Limit: limit}, nil
}

// String returns the text that was given.
func (t Threshold) String() string { return t.Text }

// MarshalText returns the text that was given.
func (t Threshold) MarshalText() ([]byte, error) { return []byte(t.Text), nil }

// UnmarshalText is ParseThreshold.
func (t *Threshold) UnmarshalText(text []byte) (err error) {
	*t, err = ParseThreshold(string(text))
	return err
}

// Check compares the result's metric, unrounded, with the limit. The text rounds
// it only as far as the comparison can still be seen.
func (t Threshold) Check(r *Result) Verdict {
	m, known1 := metricNamed(t.Metric)
	c, known2 := comparisonBy(t.Op)
	if !known1 || !known2 {
		return Verdict{t, ThresholdUnknown, fmt.Sprintf("%q is not a threshold, which counts as broken", t.Text)}
	}
	v, missing := m.read(r)
	if missing != "" {
		return Verdict{t, ThresholdUnknown, fmt.Sprintf("%s unknown, which counts as broken: %s", t.Metric, missing)}
	}
	state, relation := ThresholdBroken, c.broken
	if c.holds(v, t.Limit) {
		state, relation = ThresholdHeld, c.held
	}
	return Verdict{t, state, fmt.Sprintf("%s %s, %s %s", t.Metric, m.quantity.text(v, t.Limit), relation, m.quantity.text(t.Limit, t.Limit))}
}

// comparison is one operator and how its outcome is worded.
type comparison struct {
	op           string
	holds        func(v, limit float64) bool
	held, broken string
}

func comparisonBy(op string) (comparison, bool) {
	for _, c := range []comparison{
		{"<", func(v, limit float64) bool { return v < limit }, "below", "not below"},
		{"<=", func(v, limit float64) bool { return v <= limit }, "at most", "above"},
		{">", func(v, limit float64) bool { return v > limit }, "above", "not above"},
		{">=", func(v, limit float64) bool { return v >= limit }, "at least", "below"},
	} {
		if c.op == op {
			return c, true
		}
	}
	return comparison{}, false
}

// metric is a number that a result may have.
type metric struct {
	name     string
	quantity quantity
	// read returns the number, or why the result does not have it.
	read func(r *Result) (v float64, missing string)
}

// metricNamed finds a metric by its name or a synonym.
func metricNamed(name string) (metric, bool) {
	for _, m := range plainMetrics() {
		if m.name == name {
			return m, true
		}
	}
	// p99.9 has a point too, so what stands before one need not be a histogram.
	of, rest, _ := strings.Cut(name, ".")
	h := slices.IndexFunc(histograms, func(h histogramName) bool { return h.name == of })
	if h < 0 {
		h, rest = 0, name
	}
	i := slices.IndexFunc(statistics, func(s statistic) bool { return s.name == rest || s.synonym != "" && s.synonym == rest })
	if i < 0 {
		return metric{}, false
	}
	full := statistics[i].name
	if h > 0 {
		full = histograms[h].name + "." + full
	}
	return metric{full, durationQuantity, func(r *Result) (float64, string) { return statistics[i].read(r, histograms[h]) }}, true
}

// metricNames lists what metricNamed knows.
func metricNames() string {
	var stats, of, plain []string
	for _, s := range statistics {
		stats = append(stats, s.name)
	}
	for _, h := range histograms {
		of = append(of, h.name)
	}
	for _, m := range plainMetrics() {
		plain = append(plain, m.name)
	}
	return fmt.Sprintf("%s of response time, the same of another (%s: as in service.p99), %s",
		strings.Join(stats, " "), strings.Join(of[1:], " "), strings.Join(plain, " "))
}

// plainMetrics are those that are no statistic of a histogram.
func plainMetrics() []metric {
	return []metric{
		{"rps", countQuantity, func(r *Result) (float64, string) { return r.RPS, unlessMeasured(r) }},
		{"error_rate", shareQuantity, func(r *Result) (float64, string) {
			if r.Ledger.Scheduled == 0 {
				return 0, "no request was scheduled"
			}
			return float64(r.Ledger.NotOK()) / float64(r.Ledger.Scheduled), ""
		}},
		{"errors", countQuantity, func(r *Result) (float64, string) { return float64(r.Ledger.NotOK()), "" }},
		{"bytes_in_per_s", countQuantity, func(r *Result) (float64, string) {
			return float64(r.BytesIn) / r.MeasuredS, unlessMeasured(r)
		}},
		{"cpu_us", cpuQuantity, func(r *Result) (float64, string) { return perRequest(r.Generator.CPUPerRequestUS) }},
		{"server_cpu_us", cpuQuantity, func(r *Result) (float64, string) {
			if r.Server == nil {
				return 0, "what the server used is not known"
			}
			return perRequest(r.Server.CPUPerRequestUS)
		}},
	}
}

func unlessMeasured(r *Result) (missing string) {
	if r.MeasuredS <= 0 {
		return "nothing was measured"
	}
	return ""
}

func perRequest(us *float64) (v float64, missing string) {
	if us == nil {
		return 0, "no request completed inside the window"
	}
	return *us, ""
}

// histogramName is a distribution of a Latency by its name in JSON.
type histogramName struct {
	name string
	of   func(l *Latency) *Distribution
}

// histograms: the first one is meant when none is named.
var histograms = []histogramName{
	{"response", func(l *Latency) *Distribution { return l.Response }},
	{"service", func(l *Latency) *Distribution { return l.Service }},
	{"first_byte", func(l *Latency) *Distribution { return l.FirstByte }},
	{"send_delay", func(l *Latency) *Distribution { return l.SendDelay }},
	{"lateness", func(l *Latency) *Distribution { return l.Lateness }},
	{"failed", func(l *Latency) *Distribution { return l.Failed }},
	{"connect", func(l *Latency) *Distribution { return l.Connect }},
	{"tls", func(l *Latency) *Distribution { return l.TLS }},
	{"quic", func(l *Latency) *Distribution { return l.QUIC }},
	{"dns", func(l *Latency) *Distribution { return l.DNS }},
}

// statistic is a number of a distribution.
type statistic struct {
	name, synonym string
	samplesMin    int // fewer do not support it: count x (1 - q) < 1
	us            func(d *Distribution) *float64
}

var statistics = []statistic{
	{"p50", "", 2, func(d *Distribution) *float64 { return d.P50US }},
	{"p75", "", 4, func(d *Distribution) *float64 { return d.P75US }},
	{"p90", "", 10, func(d *Distribution) *float64 { return d.P90US }},
	{"p95", "", 20, func(d *Distribution) *float64 { return d.P95US }},
	{"p99", "", 100, func(d *Distribution) *float64 { return d.P99US }},
	{"p999", "p99.9", 1_000, func(d *Distribution) *float64 { return d.P999US }},
	{"p9999", "p99.99", 10_000, func(d *Distribution) *float64 { return d.P9999US }},
	{"min", "", 1, func(d *Distribution) *float64 { return &d.MinUS }},
	{"mean", "", 1, func(d *Distribution) *float64 { return &d.MeanUS }},
	{"max", "", 1, func(d *Distribution) *float64 { return &d.MaxUS }},
}

func (s statistic) read(r *Result, h histogramName) (us float64, missing string) {
	d := h.of(&r.Latency)
	if d == nil {
		return 0, "nothing was recorded of " + h.name
	}
	v := s.us(d)
	if v == nil {
		return 0, fmt.Sprintf("it takes %s samples, there are %s", grouped(s.samplesMin), grouped(d.Count))
	}
	return *v, ""
}

// quantity is a kind of number: how it is read and written.
type quantity struct {
	want   string  // what a value looks like, for faults
	max    float64 // the largest limit that makes sense; 0: any
	units  []unit  // that are understood
	shown  []unit  // that are written: the first that leaves at least 1, or the last
	digits int     // significant ones, at least
}

// unit is a power of ten of the number's base.
type unit struct {
	name     string
	exponent int
}

var (
	durationUnits = []unit{{"s", 6}, {"ms", 3}, {"us", 0}, {"ns", -3}} // base: microseconds

	durationQuantity = quantity{"a time with its unit, such as 5ms (ns, us, ms or s)", 0, durationUnits, durationUnits, 2}
	cpuQuantity      = quantity{"a time such as 20us, or microseconds", 0, append([]unit{{"", 0}}, durationUnits...), []unit{{"us", 0}}, 3}
	shareQuantity    = quantity{"a share from 0 to 1, or up to 100%, such as 0.1%", 1, []unit{{"%", -2}, {"", 0}}, []unit{{"%", -2}}, 2}
	countQuantity    = quantity{"a number such as 10000, 10k or 1.5M", 0, []unit{{"", 0}, {"k", 3}, {"K", 3}, {"m", 6}, {"M", 6}, {"G", 9}}, []unit{{"", 0}}, 3}
)

// parse reads a decimal number and a unit.
func (q quantity) parse(text string) (v float64, ok bool) {
	name := strings.TrimLeft(text, "0123456789.")
	digits := text[:len(text)-len(name)]
	for _, u := range q.units {
		if u.name == strings.TrimSpace(name) {
			v, err := u.value(digits)
			return v, err == nil && (q.max == 0 || v <= q.max)
		}
	}
	return 0, false
}

// value is a decimal number of the unit in the base: the float64 nearest to it,
// which multiplying would not always give (0.57 x 100 is 56.99…).
func (u unit) value(digits string) (float64, error) {
	return strconv.ParseFloat(digits+"e"+strconv.Itoa(u.exponent), 64)
}

// text writes v with as few decimals as leave it on its side of the limit: 4.996
// below 5 is not written as 5.
func (q quantity) text(v, limit float64) string {
	u := q.shown[len(q.shown)-1]
	for _, larger := range slices.Backward(q.shown) {
		if math.Abs(v) >= math.Pow10(larger.exponent) {
			u = larger
		}
	}
	x := v / math.Pow10(u.exponent)
	whole := 1
	if x != 0 {
		whole = int(math.Floor(math.Log10(math.Abs(x)))) + 1
	}
	const decimalsMax = 20 // beyond what a float64 holds, so that the loop ends
	for decimals := max(0, q.digits-whole); ; decimals++ {
		digits := strconv.FormatFloat(x, 'f', decimals, 64)
		rounded, err := u.value(digits)
		if err != nil || cmp.Compare(rounded, limit) == cmp.Compare(v, limit) || decimals >= decimalsMax {
			return strings.TrimSpace(groupedDigits(digits) + " " + u.name)
		}
	}
}

// groupedDigits groups the whole part of a decimal number and drops zeros at the
// end of its fraction.
func groupedDigits(digits string) string {
	whole, fraction, _ := strings.Cut(digits, ".")
	if n, err := strconv.ParseInt(whole, 10, 64); err == nil && n != 0 {
		whole = units.Group(n)
	}
	if fraction = strings.TrimRight(fraction, "0"); fraction != "" {
		return whole + "." + fraction
	}
	return whole
}
