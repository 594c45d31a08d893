package driver

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/scalws/scalbench/internal/record"
)

// shares is ab with one scenario whose rate is a share.
var shares = strings.Replace(ab, "{name: small, url: /small,", "{name: small, url: /small, load: {kind: open, rate: 70%},", 1)

// The rate of an open load that is a share of what the base can do is found before the first
// round, and is the same for all that is measured, also when the session is resumed.
func TestRates(t *testing.T) {
	l := newLab(t, map[string]string{"ab": shares})
	ctx, cancel := context.WithCancelCause(t.Context())
	capacities := []float64{2000, 4000, 3000} // the median is 3000
	l.fake.onMeasure = func(_ context.Context, variant, scenario string, nth int, m *record.Measurement) error {
		if variant == "base" && scenario == "small" && nth <= 3 {
			m.RPS = record.Of(capacities[nth-1])
		}
		if variant == "new" {
			cancel(errors.New("interrupted"))
		}
		return nil
	}
	if _, err := l.run(ctx, l.order("ab")); err == nil {
		t.Fatal("it was not interrupted")
	}
	if want := []string{"start base", "measure base small", "measure base small", "measure base small", "stop base", "start base", "measure base small"}; !slices.Equal(l.fake.log[:len(want)], want) {
		t.Errorf("steps %q", l.fake.log)
	}
	capacities = nil // nobody asks again
	l.fake.onMeasure = nil
	if _, err := l.resume(t.Context(), Order{Syscalls: true}); err != nil {
		t.Fatal(err)
	}
	// 2 runs of 2 variants, and what was begun before.
	if len(l.fake.loads) < 4 || slices.ContainsFunc(l.fake.loads, func(rate string) bool { return rate != "2100" }) {
		t.Errorf("rates %q, want 70 %% of 3000", l.fake.loads)
	}
	text, err := os.ReadFile(filepath.Join(l.sessionDir(), "capacity-1", "rates.json"))
	if err != nil || !strings.Contains(string(text), `"rate": "2100"`) {
		t.Errorf("%s, %v", text, err)
	}
	if _, err := os.Stat(filepath.Join(l.sessionDir(), "capacity-1", "base", "small", "2-result.json")); err != nil {
		t.Error(err)
	}
	if r := l.round(t, 1); len(r.Measurements) != 8 {
		t.Errorf("%d measurements in the round", len(r.Measurements))
	}
}

// One that cannot be found stops the session, which can be resumed.
func TestRatesNotFound(t *testing.T) {
	l := newLab(t, map[string]string{"ab": shares})
	l.fake.onMeasure = func(_ context.Context, _, _ string, nth int, m *record.Measurement) error {
		if nth == 1 || nth > 2 { // the second try of the first one is good, and then none
			m.State, m.Reason = record.Invalid, "3 errors"
		}
		return nil
	}
	if _, err := l.run(t.Context(), l.order("ab")); err == nil || !strings.Contains(err.Error(), "rate of small: 3 errors") {
		t.Errorf("%v", err)
	}
	if l.fake.measurements["base small"] != 2+3 || l.fake.running != "" {
		t.Errorf("%d measurements, %q runs", l.fake.measurements["base small"], l.fake.running)
	}
	l.fake.onMeasure = nil
	if _, err := l.resume(t.Context(), Order{}); err != nil {
		t.Error(err)
	}
}

// A capacity that others disturbed is measured again, as rounds are; what stays so is kept
// and told.
func TestRatesInterfered(t *testing.T) {
	for _, test := range []struct {
		name       string
		interfered func(nth int) bool
		want       int    // measurements of the capacity
		counted    string // in rates.json; "": nothing
	}{
		{"once", func(nth int) bool { return nth == 1 }, 1 + 3, ""},
		{"always, the first", func(nth int) bool { return nth <= 3 }, 3 + 2, `"interfered": 1`},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := newLab(t, map[string]string{"ab": shares})
			closed := 0
			l.fake.onMeasure = func(_ context.Context, variant, scenario string, nth int, m *record.Measurement) error {
				if l.fake.loads == nil && scenario == "small" {
					closed, m.Interfered = nth, test.interfered(nth)
				}
				return nil
			}
			if _, err := l.run(t.Context(), l.order("ab")); err != nil {
				t.Fatal(err)
			}
			if text := l.ratesText(t, "lab-ab"); closed != test.want || strings.Contains(text, "interfered") != (test.counted != "") || !strings.Contains(text, test.counted) {
				t.Errorf("%d measurements, want %d; %s", closed, test.want, text)
			}
		})
	}
}

// ratesText is what a session keeps of its rates.
func (l *lab) ratesText(t *testing.T, table string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(l.results, table+".session", "capacity-1", "rates.json"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A row that is measured again has the rate that it had, whatever the server can do by then.
func TestRatesOfRepeat(t *testing.T) {
	l := newLab(t, map[string]string{"ab": shares})
	if _, err := l.run(t.Context(), l.order("ab")); err != nil {
		t.Fatal(err)
	}
	o, err := Repeat(l.sessionDir(), []string{"small"}, 1, Order{})
	if err != nil {
		t.Fatal(err)
	}
	l.fake.loads, l.fake.measurements = nil, nil
	l.fake.onMeasure = func(_ context.Context, _, _ string, _ int, m *record.Measurement) error {
		m.RPS = record.Of(1000)
		return nil
	}
	if _, err := l.run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if l.fake.measurements["base small"] != 1 || !slices.Equal(l.fake.loads, []string{"2100", "2100"}) {
		t.Errorf("%d measurements of base, rates %q, want 70 %% of 3000", l.fake.measurements["base small"], l.fake.loads)
	}
	// Of the repeat of a repeat too: it has all that it needs.
	text := l.ratesText(t, "lab-ab-repeat-1")
	if again, err := Repeat(filepath.Join(l.results, "lab-ab-repeat-1.session"), nil, 1, Order{}); err != nil || len(again.Rates) != 1 || again.Rates[0].Rate != "2100" || !strings.Contains(text, `"of": "`+o.RepeatOf) {
		t.Errorf("%+v, %v; %s", again.Rates, err, text)
	}
}

// So has the control of a calibration: it is the same load with a burden.
func TestRatesOfControl(t *testing.T) {
	l := newLab(t, map[string]string{"ab": shares})
	o := l.order("ab")
	o.Twin = &Twin{}
	outcome, err := l.run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	control, err := Control(filepath.Dir(outcome.Sessions[0].Files.Session), 0.2, Order{})
	if err != nil {
		t.Fatal(err)
	}
	l.fake.loads, l.fake.measurements = nil, nil
	if _, err := l.run(t.Context(), control); err != nil {
		t.Fatal(err)
	}
	// 2 runs of 2 variants.
	if l.fake.measurements["base small"] != 2 || !slices.Equal(l.fake.loads, []string{"2100", "2100", "2100", "2100"}) {
		t.Errorf("%d measurements of base, rates %q", l.fake.measurements["base small"], l.fake.loads)
	}
}

// What it takes to find rates is foreseen, counted as time that is left, and not begun where
// no time is left for it and a run.
func TestRatesTakeTime(t *testing.T) {
	l := newLab(t, map[string]string{"ab": shares})
	previews, err := Foresee(l.order("ab"), l.surroundings())
	// 3 measurements, then 2 runs of 2 variants of 2 scenarios, each 50 ms + 100 ms + 2.5 s.
	if err != nil || previews[0].Capacities != 3 || previews[0].Takes != (3+8)*2650*time.Millisecond || len(previews[0].Keys) != 8 {
		t.Fatalf("%+v, %v", previews, err)
	}
	o := l.order("ab")
	o.Until = l.rig.wall().Add((3+4)*2650*time.Millisecond - time.Second)
	around := l.surroundings()
	var left time.Duration
	around.Observer.Began = func(b Began) { left = b.Progress.Left }
	outcome, err := runWith(t.Context(), o, around, func(Order) (*rig, error) { return &l.rig, nil })
	if err != nil || !outcome.Sessions[0].OutOfTime || len(l.fake.log) != 0 {
		t.Errorf("%+v, %v, %q", outcome, err, l.fake.log)
	}
	if left != previews[0].Takes {
		t.Errorf("%v left, foreseen %v", left, previews[0].Takes)
	}
}
