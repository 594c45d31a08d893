package gate

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/scalws/scalbench/internal/record"
)

// twoSessions are two sessions of three rounds each that measured the same, b at factor
// of a. In the second one, a month later, the host is 8 % slower.
func twoSessions(factor float64) Evidence {
	e := lab{5, map[string]float64{"b": 1000 * factor}}.evidence()
	again := lab{5, map[string]float64{"a": 920, "b": 920 * factor}}
	later := night.AddDate(0, 1, 0)
	e.Sessions = append(e.Sessions, again.session("s2"))
	for number := 1; number <= 3; number++ {
		e.Rounds = append(e.Rounds, again.round("s2", number, later.AddDate(0, 0, number)))
	}
	return e
}

// What two sessions differ in is neither two speeds of the host nor a drift, and no
// absolute number is made of both.
func TestAbsoluteNumbersStayInTheirSession(t *testing.T) {
	rules := parityRules()
	rules.Rule = DefaultRule(Fixed)
	table, rows := judge(t, twoSessions(0.995), rules)
	static := rows["static"]
	if len(static.Flags) != 0 || static.Effect.Speeds != nil {
		t.Errorf("flags %v, speeds %+v", static.Flags, static.Effect.Speeds)
	}
	n := static.Numbers
	if len(n.Sessions) != 2 || n.Base.RPS != 920 || n.Sessions[0].Base.RPS != 1000 || n.Base.Runs != 15 || ratioText(n.Pooled) != "0.995" {
		t.Errorf("sessions %+v, base %+v, pooled %v", n.Sessions, n.Base, n.Pooled)
	}
	// All pairs are ratios, and count.
	if e := static.Effect; e.Pairs != 30 || ratioText(e.Ratio) != "0.995" {
		t.Errorf("effect %+v", e)
	}
	if want := []string{"static", "1 000; 920", "995; 915", "0.995", "4000.00; 4347.83 / 4020.10; 4369.67", "pass"}; !slices.Contains(mapped(table.VariantGrid().Rows), strings.Join(want, " | ")) {
		t.Errorf("have %q, want %q", table.VariantGrid().Rows, want)
	}
	if !slices.ContainsFunc(table.Notes, func(note string) bool { return strings.HasPrefix(note, "rounds of sessions s1, s2: ") }) {
		t.Errorf("notes %q", table.Notes)
	}
	var file bytes.Buffer
	if err := WriteJSON(&file, Gate{table}, ""); err != nil || !strings.Contains(file.String(), `"session": "s2"`) {
		t.Errorf("%v\n%s", err, file.String())
	}
}

func mapped(rows [][]string) (lines []string) {
	for _, cells := range rows {
		lines = append(lines, strings.Join(cells, " | "))
	}
	return lines
}

// Pooling both sessions would make 30 runs of each variant at two rates of the four that
// there are. Session by session each has its own two speeds.
func TestTwoSpeedsInTwoSessions(t *testing.T) {
	e := twoSessions(1)
	for _, variant := range []string{"a", "b"} {
		each(e, variant, "static", func(m *record.Measurement) {
			if (m.Run+m.Round+len(variant))%2 == 0 {
				m.RPS = record.Of(1.07 * m.RPS.OrNaN())
			}
		})
	}
	_, rows := judge(t, e, parityRules())
	s := rows["static"].Effect.Speeds
	if s == nil || !s.Host || len(s.Sessions) != 2 || rateText(s.Sessions[0].Lower) != "1 000" || rateText(s.Sessions[1].Lower) != "920" {
		t.Fatalf("%+v", s)
	}
	if text := s.text(0); !strings.Contains(text, "session s1: ") || !strings.Contains(text, "; session s2: ") {
		t.Error(text)
	}
}

// The limit of a row is that of all its sessions.
func TestLimiterOfSessions(t *testing.T) {
	e := twoSessions(1)
	busy := map[string]float64{"s1": 0.99, "s2": 0.5}
	for _, variant := range []string{"a", "b"} {
		each(e, variant, "static", func(m *record.Measurement) { m.ServerBusyFrac = record.Of(busy[m.Session]) })
		each(e, variant, "php", func(m *record.Measurement) { m.ServerBusyFrac = record.Of(0.97) })
	}
	_, rows := judge(t, e, parityRules())
	if l := rows["static"].Limiter; l.Of != LimiterUnknown || !strings.Contains(l.Text, "session s1: server; ") || !strings.Contains(l.Text, "session s2: unknown; ") {
		t.Errorf("%+v", l)
	}
	if l := rows["php"].Limiter; l.Of != LimiterServer {
		t.Errorf("%+v", l)
	}
}

// A host that slows down within a session drifts, in whichever session that was.
func TestDriftOfOneSession(t *testing.T) {
	e := twoSessions(1)
	for _, variant := range []string{"a", "b"} {
		each(e, variant, "static", func(m *record.Measurement) {
			if m.Session == "s1" {
				m.RPS = record.Of(m.RPS.OrNaN() * (1 - 0.02*float64(m.Round) - 0.003*float64(m.Run)))
			}
		})
	}
	_, rows := judge(t, e, parityRules())
	if static := rows["static"]; !static.has(FlagDrift) || static.Ratio != 1 || static.Effect.Ratio != 1 {
		t.Errorf("ratio %v, effect %+v, flags %v", static.Ratio, static.Effect, static.Flags)
	}
}
