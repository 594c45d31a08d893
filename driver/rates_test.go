package driver

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

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
