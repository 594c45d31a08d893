package host

import (
	"math"
	"testing"
	"time"
)

// second is a row of a server of four CPUs, in milliseconds of CPU time.
func second(taskMS, ownMS, interruptsMS, stealMS int64) Row {
	return Row{ElapsedUS: 1e6, Areas: []AreaRow{{
		Name: "server", Role: RoleServer,
		TotalUS: 4e6, TaskUS: taskMS * 1000, OwnUS: ownMS * 1000, InterruptsUS: interruptsMS * 1000, StealUS: stealMS * 1000,
	}}}
}

func rows(n int, r Row) []Row {
	all := make([]Row, n)
	for i := range all {
		all[i] = r
	}
	return all
}

func TestForeignFrac(t *testing.T) {
	processes := func(r Row, ms int64) Row {
		us := ms * 1000
		r.Areas[0].ProcessesUS = &us
		return r
	}
	for _, tt := range []struct {
		name string
		rows []Row
		want float64
	}{
		// All of 4 CPUs is busy: no uncertainty. 100 of 4000 ms.
		{"full server", rows(30, second(4000, 3900, 0, 0)), 0.025},
		// p = 0.5 of 30 x 400 ticks: 2 sqrt(0.25 / 12000) = 0.00913. 0.025 less that.
		{"half full", rows(30, second(2000, 1900, 0, 0)), 0.025 - 0.009128709291752768},
		// The same of a single second: 2 sqrt(0.25 / 400) = 0.05, more than there is.
		{"half full, a second", rows(1, second(2000, 1900, 0, 0)), 0},
		{"less than ours, by ticks", rows(30, second(3200, 3300, 0, 0)), 0},
		// Interrupts alone are nobody's.
		{"interrupts", rows(30, second(3200, 3200, 800, 0)), 0},
		{"interrupts, and processes that used 60 ms", rows(30, processes(second(4000, 4000, 0, 0), 60)), 0},
		// Highest: 3200 + 800 - 3900 = 100 ms, of which processes used 60.
		{"between the bounds", rows(30, processes(second(3200, 3900, 800, 0), 60)), 0.015},
		// They used more than can have been here: elsewhere.
		{"above the bounds", rows(30, processes(second(4000, 3900, 0, 0), 700)), 0.025},
		{"nothing", rows(1, Row{Areas: []AreaRow{{Name: "server"}}}), 0},
	} {
		got := Limits{}.Judge(tt.rows).Areas[0].ForeignFrac
		if math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestJudgeLimits(t *testing.T) {
	disturbed := rows(10, second(4000, 3956, 0, 0)) // 1.1 %
	for _, tt := range []struct {
		name   string
		limits Limits
		rows   []Row
		want   bool
	}{
		{"at the limit", Limits{}, rows(10, second(4000, 3960, 0, 0)), false}, // 1.0 %
		{"above it", Limits{}, disturbed, true},
		{"a wider limit", Limits{ForeignFrac: 0.02}, disturbed, false},
		{"steal at the limit", Limits{}, rows(10, second(3980, 3980, 0, 20)), false}, // 0.5 %
		{"steal above it", Limits{}, rows(10, second(3976, 3976, 0, 24)), true},
		{"no rows", Limits{}, nil, false},
	} {
		check(t, tt.name, tt.limits.Judge(tt.rows).Interfered, tt.want)
	}
}

func TestWhoOverTime(t *testing.T) {
	all := rows(4, Row{ElapsedUS: 1e6})
	all[1].Who, all[1].WhoOverUS = []Consumer{{PID: 5, Comm: "a", Cores: 0.5}}, 2e6
	all[3].Who, all[3].WhoOverUS = []Consumer{{PID: 6, Comm: "b", Cores: 0.8}, {PID: 5, Comm: "a", Cores: 0.1}}, 2e6
	// a: 0.5 x 2 + 0.1 x 2 = 1.2 s of 4, b: 1.6 s of 4.
	got := Limits{}.Judge(all).Who
	for i := range got {
		got[i].Cores = math.Round(got[i].Cores*1e9) / 1e9
	}
	check(t, "who", got, []Consumer{{PID: 6, Comm: "b", Cores: 0.4}, {PID: 5, Comm: "a", Cores: 0.3}})
	check(t, "default interval", Watch{}.interval(), time.Second)
}
