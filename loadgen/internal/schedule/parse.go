package schedule

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Parse reads a rate in requests a second as it is written on a command line:
//
//	1000                 constant, to the end of the run
//	0.5, 2.6k, 1m        fractions; k for a thousand, m for a million (either case)
//	1000..20000          a ramp, from the start of the run to its end
//	1000@10s,5000@10s    steps, each with how long it lasts
//	0..1000@5s,1000      a ramp of 5 s, then constant: the last step may be open
//	0                    no rate: a closed loop
//
// Durations are those of [time.ParseDuration]. Errors quote the text and what in
// it was not understood; what is read is valid.
func Parse(text string) (Rate, error) {
	var r Rate
	for item := range strings.SplitSeq(text, ",") {
		step, err := parseStep(strings.TrimSpace(item))
		if err != nil {
			return Rate{}, fmt.Errorf("rate %q: %w", text, err)
		}
		r.Steps = append(r.Steps, step)
	}
	if len(r.Steps) == 1 && r.Steps[0] == (Step{}) && !strings.Contains(text, "..") {
		return Rate{}, nil
	}
	if faults := r.faults(); len(faults) > 0 {
		return Rate{}, fmt.Errorf("rate %q: %w", text, faults[0])
	}
	return r, nil
}

// parseStep reads one "1000", "0..1000" or "1000@10s".
func parseStep(item string) (Step, error) {
	if item == "" {
		return Step{}, fmt.Errorf("a step is empty")
	}
	rates, lasting, lasts := strings.Cut(item, "@")
	from, to, isRamp := strings.Cut(rates, "..")
	if !isRamp {
		to = from
	}
	var s Step
	var err error
	if s.From, err = parseRPS(from); err != nil {
		return Step{}, err
	}
	if s.To, err = parseRPS(to); err != nil {
		return Step{}, err
	}
	if !lasts {
		return s, nil
	}
	s.Duration, err = time.ParseDuration(lasting)
	if err != nil {
		return Step{}, fmt.Errorf("%q is not a duration such as 10s or 1m30s", lasting)
	}
	if s.Duration <= 0 {
		// In data a duration of 0 is an open step; one that is written is none.
		return Step{}, fmt.Errorf("step %q lasts %v, want more than 0", item, s.Duration)
	}
	return s, nil
}

// parseRPS reads digits with at most one point between them, and k or m. The
// unit becomes an exponent of the text, so that 4.35m is not 4.35 x 1e6, which
// is 4349999.9999999995 in floating point.
func parseRPS(text string) (float64, error) {
	digits, exponent := text, ""
	switch {
	case strings.HasSuffix(text, "k"), strings.HasSuffix(text, "K"):
		digits, exponent = text[:len(text)-1], "e3"
	case strings.HasSuffix(text, "m"), strings.HasSuffix(text, "M"):
		digits, exponent = text[:len(text)-1], "e6"
	}
	whole, fraction, hasPoint := strings.Cut(digits, ".")
	if whole == "" || (hasPoint && fraction == "") || strings.Trim(whole+fraction, "0123456789") != "" {
		return 0, fmt.Errorf("%q is not a number such as 1000, 0.5 or 10k", text)
	}
	rps, err := strconv.ParseFloat(digits+exponent, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is too large a number", text)
	}
	return rps, nil
}

// String writes what Parse reads; no rate is "0". Of a valid rate it keeps
// every digit.
func (r Rate) String() string {
	if len(r.Steps) == 0 {
		return "0"
	}
	var out strings.Builder
	for i, s := range r.Steps {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString(s.String())
	}
	return out.String()
}

// String writes one step of what Parse reads.
func (s Step) String() string {
	text := formatRPS(s.From)
	if s.To != s.From {
		text += ".." + formatRPS(s.To)
	}
	if s.Duration != 0 {
		text += "@" + s.Duration.String()
	}
	return text
}

// formatRPS writes the fewest digits that read back as the same number.
func formatRPS(rps float64) string { return strconv.FormatFloat(rps, 'f', -1, 64) }
