package gate

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/scalws/scalbench/internal/record"
)

// A series that falls by 3 % in its middle has a change there; one bad session is none.
func TestHistory(t *testing.T) {
	var tables []Table
	for i := range 16 {
		rate := 1000.0
		if i >= 8 {
			rate = 970
		}
		rate *= 1 + 0.001*float64(i%3-1)
		e := lab{3, map[string]float64{"b/static": rate, "b/php": 1000}}.evidence()
		if i == 5 {
			each(e, "b", "php", func(m *record.Measurement) { m.RPS = record.Of(900) })
		}
		for _, r := range e.Rounds {
			for j := range r.Measurements {
				r.Measurements[j].StartUTC = r.Measurements[j].StartUTC.AddDate(0, 0, i)
			}
		}
		e.Name = fmt.Sprintf("h-s-%d", i)
		table, _ := judge(t, e, parityRules())
		tables = append([]Table{table}, tables...) // the order is made by time
	}
	all, notes := History(tables)
	if len(all) != 2 || all[0].Row != "static b/a" || len(all[0].Points) != 16 || len(notes) != 0 {
		t.Fatalf("%+v, %v", all, notes)
	}
	if c := all[0].Changes; len(c) != 1 || c[0].At != 8 || ratioText(c[0].Before) != "1.000" || ratioText(c[0].After) != "0.970" {
		t.Errorf("changes %+v", c)
	}
	if c := all[1].Changes; len(c) != 0 {
		t.Errorf("one bad session is a change: %+v", c)
	}
	var have strings.Builder
	if err := WriteHistory(&have, all, notes); err != nil || !strings.Contains(have.String(), "\nstatic b/a: from 1.000 to 0.970 with h-s-8 of 2026-11-14 (p < 0.001)\n") {
		t.Errorf("%v\n%s", err, have.String())
	}
	// Beside a verdict: what was before, and where the base is since.
	now := tables[0]
	now.Remember(tables[1:4])
	// Of sessions 12, 13 and 14 the noise is -0.1, 0 and +0.1 %.
	if have, want := now.Rows[0].pastLine(), "before, over 3 sessions: 0.969 0.970 0.971; last h-s-14 of 2026-11-20, since when a itself is at 1 000 req/s, 0.0 %"; have != want {
		t.Errorf("%q, want %q", have, want)
	}
	if p := (&Point{Table: "t", Began: time.Time{}}); p.text() != "t" {
		t.Errorf("a point without a time is %q", p.text())
	}
}

// Tables of another suite, host or method have series of their own, whatever their rows
// are called; repeats and tables that were not judged have no points, and estimates are
// marked.
func TestHistoryKeepsOriginsApart(t *testing.T) {
	point := func(name string, change func(s *record.Session)) Table {
		e := lab{3, nil}.evidence()
		e.Name = name
		change(e.Sessions[0])
		e.Sessions[0].Plan.Hash = e.Sessions[0].Plan.ComputeHash()
		table, _ := judge(t, e, parityRules())
		return table
	}
	broken, _ := judge(t, Evidence{Name: "broken", Sessions: []*record.Session{lab{3, nil}.session("s1")}}, parityRules())
	unknown := lab{3, nil}.evidence()
	unknown.Name, unknown.Sessions = "unknown", nil
	imported, _ := judge(t, unknown, parityRules())
	now := point("now", func(*record.Session) {})
	tables := []Table{
		now,
		point("again", func(*record.Session) {}),
		point("other-suite", func(s *record.Session) { s.Plan.Suite = "t" }),
		point("other-kernel", func(s *record.Session) { s.Host.Fixed = map[string]string{"kernel": "8"} }),
		point("other-times", func(s *record.Session) { s.Plan.MeasureSeconds = 60 }),
		point("other-param", func(s *record.Session) { s.Plan.Params = map[string]string{"cache": "off"} }),
		point("quick", func(s *record.Session) { s.Plan.Preset = "quick" }),
		point("repeat", func(s *record.Session) { s.Plan.RepeatOf = "s0" }),
		broken, imported,
	}
	all, notes := History(tables)
	var have []string
	for _, s := range all {
		if s.Row != "static b/a" {
			continue
		}
		text := s.Origin.Suite
		for _, p := range s.Points {
			text += " " + p.Table
		}
		have = append(have, text)
	}
	want := []string{"s now again", "t other-suite", "s other-kernel", "s other-times", "s other-param", "s quick", "unknown unknown"}
	if !slices.Equal(have, want) {
		t.Errorf("series %q, want %q", have, want)
	}
	wantNotes := []string{"broken has no row that was judged: Worst: static INVALID: no finished round.", "repeat repeats session s0: it is no point"}
	if !slices.Equal(notes, wantNotes) {
		t.Errorf("notes %q, want %q", notes, wantNotes)
	}
	page := written(t, func(out io.Writer) error { return WriteHistory(out, all, notes) })
	fingerprint := (&record.Host{Name: "h", Fixed: map[string]string{"kernel": "7"}}).Fingerprint()[:8]
	for _, line := range []string{
		"s on h (host " + fingerprint + "): release, 0 s + 0 s\n\nrow ",
		"s on h (host " + fingerprint + "): release, 0 s + 0 s, cache=off\n\nrow ",
		"unknown on a host that is not known\n\nrow ",
		"static b/a         1  1.000~ ", "~ is an estimate: its session gives no verdict of record\n",
		"\n" + wantNotes[0] + "\n" + wantNotes[1] + "\n",
	} {
		if !strings.Contains(page, line) {
			t.Errorf("no %q in\n%s", line, page)
		}
	}
	// Beside a verdict stands the past of its own origin alone.
	now.Remember(tables[1:])
	if past := now.Rows[0].Past; len(past) != 1 || past[0].Table != "again" {
		t.Errorf("past %+v", past)
	}
}
