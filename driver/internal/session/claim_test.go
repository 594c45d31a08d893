package session

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/scalws/scalbench/internal/record"
)

func TestNewID(t *testing.T) {
	id, err := NewID(time.Date(2026, 11, 30, 22, 4, 0, 0, time.FixedZone("", 3600)), bytes.NewReader([]byte{0, 1, 0xab, 0xff}))
	if err != nil || id != "20261130-210400-0001abff" {
		t.Errorf("id %q, %v", id, err)
	}
	if _, err := NewID(wall(), strings.NewReader("abc")); err == nil {
		t.Error("an id without randomness")
	}
}

func TestLayout(t *testing.T) {
	plan := testPlan("s")
	l, err := NewLayout("results", plan, "")
	if err != nil || l.SessionDir() != filepath.Join("results", record.SessionDir("xeon", "gate1")) || l.RoundDir(2) != filepath.Join("results", record.RoundDir("xeon", "gate1", 2)) {
		t.Errorf("layout %+v, %v", l, err)
	}
	if dir, err := record.SessionDirOf(l.RoundDir(2)); err != nil || dir != l.SessionDir() {
		t.Errorf("by its round the session is in %s, %v", dir, err)
	}
	if got, err := LayoutOf("results/xeon-gate1.session/"); err != nil || got != l {
		t.Errorf("layout %+v, %v, want %+v", got, err, l)
	}
	for _, dir := range []string{"results/xeon-gate1-1", "results/.session", "results"} {
		if l, err := LayoutOf(dir); err == nil {
			t.Errorf("%s has the layout %+v", dir, l)
		}
	}
	if l, err := NewLayout("results", plan, "rcapps2"); err != nil || l.SessionDir() != "results/rcapps2.session" || l.RoundDir(1) != "results/rcapps2-1" {
		t.Errorf("layout %+v, %v", l, err)
	}
	for _, name := range []string{".hidden", "a/b", "a b", "a~b", "..", "é"} {
		if _, err := NewLayout("results", plan, name); err == nil {
			t.Errorf("name %q passes", name)
		}
	}
}

// The second copy of a plan, under its name or another, is not measured; another plan
// needs another name.
func TestClaimTwice(t *testing.T) {
	first := claimed(t, "first")
	claim := func(id, name string, change func(*record.Plan)) error {
		plan := testPlan(id)
		if change != nil {
			change(plan)
		}
		l, err := NewLayout(first.Results, plan, name)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Claim(l, plan, testHost(), bootA, ticking())
		if err == nil {
			err = s.Close()
		}
		return err
	}
	other := func(p *record.Plan) { p.Seed++ }
	var twice *CopyError
	for _, name := range []string{"", "rcapps2"} {
		if err := claim("second", name, nil); !errors.As(err, &twice) || twice.Session != "first" || twice.SessionDir != first.SessionDir() {
			t.Errorf("a copy named %q: %v", name, err)
		}
	}
	more := func(p *record.Plan) { p.Rounds = 5 } // the same plan all the same
	if err := claim("second", "rcapps2", more); !errors.As(err, &twice) {
		t.Errorf("more rounds of an unfinished plan: %v", err)
	}
	if err := claim("second", "", other); !errors.Is(err, ErrTaken) {
		t.Errorf("another plan under this name: %v", err)
	}
	if err := claim("second", "rcapps2", other); err != nil {
		t.Errorf("another plan under another name: %v", err)
	}
	if err := claim("third", "rcapps3", func(p *record.Plan) { p.RepeatOf = "first" }); err != nil {
		t.Errorf("a repetition: %v", err)
	}
	if err := os.Mkdir(filepath.Join(first.Results, "rcapps4-2"), 0o755); err != nil {
		t.Fatal(err)
	}
	seed2 := func(p *record.Plan) { p.Seed += 2 }
	if err := claim("fourth", "rcapps4", seed2); !errors.Is(err, ErrTaken) {
		t.Errorf("a round of that name is there: %v", err)
	}
	if left, err := filepath.Glob(filepath.Join(first.Results, ".*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
}

// A finished session does not keep its plan from being measured again.
func TestClaimAfterFinished(t *testing.T) {
	s := claimed(t, "first")
	for n := 1; n <= 2; n++ {
		if err := s.StartRound(n, orderOf(s.Plan, n)[:1], ""); err != nil {
			t.Fatal(err)
		}
		measure(t, s, orderOf(s.Plan, n)[0], nil)
		if err := s.journal.write(record.Event{Kind: record.RoundDone, Round: n}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Finish(); err != nil {
		t.Fatal(err)
	}
	plan := testPlan("second")
	again, err := Claim(Layout{Results: s.Results, Table: "night2"}, plan, testHost(), bootA, ticking(), File{"order.json", []byte("{}\n")})
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(again.SessionDir(), "order.json")); err != nil || string(text) != "{}\n" {
		t.Errorf("the file of the caller: %q, %v", text, err)
	}
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
}

// A plan or a host that cannot be read back claims nothing.
func TestClaimRefusesBadPlan(t *testing.T) {
	results := filepath.Join(t.TempDir(), "results")
	bad := testPlan("id")
	bad.Runs = 0
	if _, err := Claim(Layout{Results: results, Table: "x"}, bad, testHost(), bootA, ticking()); err == nil {
		t.Error("a plan without runs")
	}
	if _, err := Claim(Layout{Results: results, Table: "x"}, testPlan("id"), &record.Host{Name: "xeon"}, bootA, ticking()); err == nil {
		t.Error("a host without facts")
	}
	if left, err := os.ReadDir(results); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
