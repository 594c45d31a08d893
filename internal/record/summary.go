package record

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"time"
)

// SummaryFile is the file of the measurements of one variant in one run.
const SummaryFile = "summary.csv"

// summaryColumns are the columns of summary.csv in the order in which they are
// written.
func summaryColumns() []column[Measurement] {
	type m = Measurement
	return []column[m]{
		nameColumn("session", func(l *m) *string { return &l.Session }),
		intColumn("round", 1, func(l *m) *int { return &l.Round }),
		intColumn("run", 1, func(l *m) *int { return &l.Run }),
		intColumn("slot", 0, func(l *m) *int { return &l.Slot }),
		nameColumn("variant", func(l *m) *string { return &l.Variant }),
		modeColumn(),
		nameColumn("scenario", func(l *m) *string { return &l.Scenario }),
		timeColumn("start_utc", func(l *m) *time.Time { return &l.StartUTC }),
		monoColumn(),
		valueColumn("duration_s", func(l *m) *Value { return &l.DurationSeconds }),
		countColumn("requests", func(l *m) *uint64 { return &l.Requests }),
		valueColumn("rps", func(l *m) *Value { return &l.RPS }),
		countColumn("status_2xx", func(l *m) *uint64 { return &l.Status2xx }),
		countColumn("status_other", func(l *m) *uint64 { return &l.StatusOther }),
		countColumn("errors", func(l *m) *uint64 { return &l.Errors }),
		countColumn("bytes", func(l *m) *uint64 { return &l.Bytes }),
		valueColumn("p50_ms", func(l *m) *Value { return &l.P50Millis }),
		valueColumn("p90_ms", func(l *m) *Value { return &l.P90Millis }),
		valueColumn("p99_ms", func(l *m) *Value { return &l.P99Millis }),
		valueColumn("p999_ms", func(l *m) *Value { return &l.P999Millis }),
		valueColumn("max_ms", func(l *m) *Value { return &l.MaxMillis }),
		valueColumn("cpu_us", func(l *m) *Value { return &l.CPUMicros }),
		valueColumn("cpu_us_app", func(l *m) *Value { return &l.CPUAppMicros }),
		valueColumn("server_busy", func(l *m) *Value { return &l.ServerBusyFrac }),
		valueColumn("generator_busy", func(l *m) *Value { return &l.GeneratorBusyFrac }),
		valueColumn("rss_kib", func(l *m) *Value { return &l.RSSKiB }),
		textColumn("rss_method", func(l *m) *string { return &l.RSSMethod }),
		valueColumn("little", func(l *m) *Value { return &l.LittleRatio }),
		intColumn("identity_ok", 0, func(l *m) *int { return &l.IdentityOK }),
		intColumn("identity_n", 0, func(l *m) *int { return &l.IdentityN }),
		boolColumn("interfered", func(l *m) *bool { return &l.Interfered }),
		stateColumn(),
		textColumn("reason", func(l *m) *string { return &l.Reason }),
		hashColumn("exe_sha256", func(l *m) *string { return &l.ExeSHA256 }),
		optional(intColumn("attempt", 0, func(l *m) *int { return &l.Attempt })),
		optional(wordsColumn("flags", func(l *m) *[]string { return &l.Flags })),
		optional(valueColumn("app_busy", func(l *m) *Value { return &l.AppBusyFrac })),
		optional(valueColumn("sent_share", func(l *m) *Value { return &l.SentFrac })),
		optional(valueColumn("late_p999_ms", func(l *m) *Value { return &l.LateP999Millis })),
		optional(textColumn("pair", func(l *m) *string { return &l.Pair })),
		optional(ifAnyColumn("slice_pairs", func(l *m) *uint64 { return &l.SlicePairs })),
		optional(valueColumn("rps_ratio", func(l *m) *Value { return &l.RPSRatio })),
		optional(valueColumn("rps_ratio_se", func(l *m) *Value { return &l.RPSRatioSE })),
		optional(valueColumn("cpu_ratio", func(l *m) *Value { return &l.CPURatio })),
		optional(valueColumn("cpu_ratio_se", func(l *m) *Value { return &l.CPURatioSE })),
	}
}

// modeColumn holds a name or nothing.
func modeColumn() column[Measurement] {
	c := nameColumn("mode", func(l *Measurement) *string { return &l.Mode })
	name := c.parse
	c.parse = func(l *Measurement, text string) error {
		l.Mode = ""
		if text == "" {
			return nil
		}
		return name(l, text)
	}
	return c
}

// monoColumn holds an instant of CLOCK_MONOTONIC.
func monoColumn() column[Measurement] {
	return column[Measurement]{name: "start_mono_ns",
		parse: func(l *Measurement, text string) error {
			n, err := parseDigits(text, 63)
			l.StartMonoNS = int64(n)
			return err
		},
		format: func(l *Measurement) string { return strconv.FormatInt(l.StartMonoNS, 10) },
	}
}

// stateColumn holds the word of a State.
func stateColumn() column[Measurement] {
	return column[Measurement]{name: "valid",
		parse: func(l *Measurement, text string) (err error) {
			l.State, err = parseState(text)
			return err
		},
		format: func(l *Measurement) string { return l.State.String() },
	}
}

// ReadSummary reads a summary.csv; name is the file's, for faults. The error is a
// [Faults] with everything that is wrong; there are no measurements then.
func ReadSummary(in io.Reader, name string) ([]Measurement, error) {
	faults := &faultList{file: name}
	lines := readLines(in, faults, func([]string) []column[Measurement] { return summaryColumns() })
	if len(lines) == 0 && len(faults.all) == 0 {
		faults.at(1, "a header and no measurement")
	}
	checkSummary(lines, faults)
	if err := faults.err(); err != nil {
		return nil, err
	}
	return values(lines), nil
}

// checkSummary looks at each line and at what the lines are together.
func checkSummary(lines []placed[Measurement], faults *faultList) {
	type key struct {
		run                     int
		variant, mode, scenario string
	}
	first := map[key]int{}
	for i := range lines {
		m, line := &lines[i].value, lines[i].line
		for _, text := range m.faults() {
			faults.at(line, "%s", text)
		}
		if m.Session != lines[0].value.Session {
			faults.at(line, "session %s, but line %d has %s: two sessions wrote into one file", m.Session, lines[0].line, lines[0].value.Session)
		}
		k := key{m.Run, m.Variant, m.Mode, m.Scenario}
		if at, twice := first[k]; twice {
			faults.at(line, "run %d, variant %s, scenario %s is on line %d already", m.Run, m.Variant, scenarioText(m.Mode, m.Scenario), at)
			continue
		}
		first[k] = line
	}
}

// scenarioText names a scenario with its mode as tables do.
func scenarioText(mode, scenario string) string {
	if mode == "" {
		return scenario
	}
	return mode + "/" + scenario
}

// values drops the line numbers.
func values[T any](lines []placed[T]) []T {
	all := make([]T, len(lines))
	for i := range lines {
		all[i] = lines[i].value
	}
	return all
}

// WriteSummary writes measurements as a summary.csv. What [ReadSummary] would
// refuse is not written: the error is the [Faults] that it would return.
func WriteSummary(out io.Writer, measurements []Measurement) error {
	var file bytes.Buffer
	if err := writeLines(&file, summaryColumns(), measurements); err != nil {
		return err
	}
	if _, err := ReadSummary(bytes.NewReader(file.Bytes()), SummaryFile); err != nil {
		return fmt.Errorf("write measurements that cannot be read back: %w", err)
	}
	_, err := out.Write(file.Bytes())
	return err
}
