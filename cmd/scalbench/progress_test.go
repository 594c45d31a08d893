package main

import (
	"bytes"
	"testing"
	"time"

	"github.com/scalws/scalbench/loadgen"
)

// row is one of a series, with when it arrives, counted from the window's
// beginning.
type row struct {
	startS     float64
	ok, errors uint64
	arrives    time.Duration
}

func TestProgress(t *testing.T) {
	const ms = time.Millisecond
	for _, tt := range []struct {
		name   string
		change func(*loadgen.Plan)
		rows   []row
		want   string
	}{
		{
			name: "rows of a second",
			rows: []row{{0, 1200, 0, 1001 * ms}, {1, 800, 3, 2001 * ms}},
			want: "    1 s  1 200 req/s\n    2 s  800 req/s  3 failed\n",
		},
		{
			// 100 + 200 + 300 in 3 x 400 ms are 500 a second.
			name:   "short rows are gathered",
			change: func(p *loadgen.Plan) { p.Window = 400 * ms },
			rows:   []row{{0, 100, 0, 401 * ms}, {0.4, 200, 0, 801 * ms}, {0.8, 300, 0, 1201 * ms}, {1.2, 9, 0, 1601 * ms}},
			want:   "    1 s  500 req/s\n",
		},
		{
			// The second row lasts half a second, and comes after the drain.
			name:   "a row that the window's end cuts is left to the result",
			change: func(p *loadgen.Plan) { p.Measure = 1500 * ms },
			rows:   []row{{0, 1000, 0, 1001 * ms}, {1, 500, 0, 2500 * ms}},
			want:   "    1 s  1 000 req/s\n",
		},
		{
			name:   "so is one that the last request ends",
			change: func(p *loadgen.Plan) { p.Requests = 1500 },
			rows:   []row{{0, 1000, 0, 1001 * ms}, {1, 500, 0, 1400 * ms}},
			want:   "    1 s  1 000 req/s\n",
		},
		{
			name:   "a long row",
			change: func(p *loadgen.Plan) { p.Window = 2 * time.Second },
			rows:   []row{{0, 1000, 0, 2001 * ms}},
			want:   "    2 s  500 req/s\n",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			plan := loadgen.DefaultPlan("http://127.0.0.1/")
			plan.WarmUp = 3 * time.Second
			if tt.change != nil {
				tt.change(&plan)
			}
			began := time.Now()
			window := began.Add(plan.WarmUp)
			for _, quiet := range []bool{false, true} {
				var out bytes.Buffer
				p := newProgress(&out, plan, quiet)
				p.start(began)
				for _, r := range tt.rows {
					p.row(loadgen.Window{StartS: r.startS, OK: r.ok, Errors: r.errors}, window.Add(r.arrives))
				}
				p.end()
				want := tt.want
				if quiet {
					want = ""
				}
				if out.String() != want {
					t.Errorf("quiet %v: %q, want %q", quiet, out.String(), want)
				}
			}
		})
	}
}
