package measure

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/internal/perf"
	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/suite"
	"github.com/scalws/scalbench/internal/units"
)

// CountMax is the most time in which system calls are counted: what each request makes is
// known after a thousand of them.
const CountMax = 10 * time.Second

const (
	// countLeast is the least: perf begins and ends a few milliseconds beside the window.
	countLeast = time.Second
	// besideMost is the share of the window by which both may differ. Calls and requests of
	// two times are divided then, which is only right as long as the rate is steady.
	besideMost = 0.05
)

// CountSyscalls loads a variant as a measurement does and counts the system calls that its
// processes make meanwhile, over the window, of one second at least and ten at most. It is
// no measurement, for counting costs the server time. What could not be counted is in the
// row; an error is ours, or the context's. The row lacks its place (variant, mode,
// scenario).
func (b *Bench) CountSyscalls(ctx context.Context, r *Running, sc suite.Scenario, plan suite.Plan, program perf.Program) (record.SyscallRow, []File, error) {
	plan.Measure, plan.OfRecord = min(max(plan.Measure, countLeast), CountMax), false // a generator that counting keeps waiting is none
	s := &syscalls{clock: b.clock}
	m := &measurement{bench: b, running: r, scenario: sc, session: plan, onlooker: s}
	if err := s.start(ctx, program, r); err != nil {
		var refused *perf.Unavailable
		if errors.As(err, &refused) {
			return record.SyscallRow{NA: record.OneLine(refused.Reason)}, nil, nil
		}
		return record.SyscallRow{}, nil, fmt.Errorf("count system calls of variant %s: %w", r.variant.Name, err)
	}
	row, err := m.take(ctx)
	endErr := s.end()
	if err = errors.Join(err, ctx.Err()); err != nil {
		return record.SyscallRow{}, nil, fmt.Errorf("count system calls of %s of variant %s: %w", sc.Name, r.variant.Name, err)
	}
	files := append(m.evidence.Files, s.files()...)
	switch {
	case row.State == record.Invalid:
		return record.SyscallRow{NA: row.Reason}, files, nil
	case endErr != nil:
		return record.SyscallRow{NA: record.OneLine(endErr.Error())}, files, nil
	}
	if off := s.beside(m.evidence.From, m.evidence.To); off > besideMost {
		return record.SyscallRow{NA: fmt.Sprintf("perf began or ended counting beside the window, by %s of it", units.Percent(off))}, files, nil
	}
	return s.row(row, m.plan.RequestsPerConn), files, nil
}

// syscalls counts those of a variant's processes in a window.
type syscalls struct {
	clock   mono.Clock
	counter *perf.Counter
	note    string

	from, to mono.Time // when counting began and ended; to is 0 when it did not
	err      error     // the first
	counts   []perf.Count
	text     []byte // of perf
}

// start opens the tracepoints for all processes of the variant. Where there are too many
// threads to have one for each system call, all are counted in one number.
func (s *syscalls) start(ctx context.Context, program perf.Program, r *Running) error {
	var pids []int
	for _, i := range r.instances {
		subject, err := i.subject()
		if err != nil {
			return err
		}
		pids = append(pids, subject.Tree...)
	}
	if len(pids) == 0 {
		return &perf.Unavailable{Reason: "nothing is known of the server's processes"}
	}
	var err error
	s.counter, err = program.Start(ctx, pids)
	var refused *perf.Unavailable
	if errors.As(err, &refused) && program.Events == perf.ByName {
		s.note = "counted in one number: " + record.OneLine(refused.Reason)
		program.Events = perf.InAll
		s.counter, err = program.Start(ctx, pids)
	}
	return err
}

// begin is called at the first edge of the window, and finish at the second.
func (s *syscalls) begin(ctx context.Context) { s.from = s.tell(ctx, s.counter.Enable) }

func (s *syscalls) finish(ctx context.Context) { s.to = s.tell(ctx, s.counter.Disable) }

// tell gives perf a command and returns the middle of the time that it took.
func (s *syscalls) tell(ctx context.Context, command func(context.Context) error) mono.Time {
	began := s.clock.Now()
	if err := command(ctx); err != nil && s.err == nil {
		s.err = err
	}
	return began.Add(s.clock.Now().Sub(began) / 2)
}

// end ends perf and reads what it has counted.
func (s *syscalls) end() (err error) {
	if s.to == 0 && s.err == nil {
		s.err = errors.New("counting did not come to its end")
	}
	if s.err != nil {
		s.counter.Kill()
		return s.err
	}
	s.counts, s.text, err = s.counter.End()
	return err
}

// files are what perf has printed.
func (s *syscalls) files() []File {
	if len(s.text) == 0 {
		return nil
	}
	return []File{{Name: "perf-stat.csv", Data: s.text}}
}

// beside is by how much of the window counting was another time than it.
func (s *syscalls) beside(from, to mono.Time) float64 {
	return float64(s.from.Sub(from).Abs()+s.to.Sub(to).Abs()) / float64(to.Sub(from))
}

// row divides the calls by the requests of the same time: counting began and ended a little
// after the edges of the window, as long as perf takes to obey, and so it is calls per
// second over requests per second.
func (s *syscalls) row(of record.Measurement, requestsPerConn int) record.SyscallRow {
	row := record.SyscallRow{StartUTC: of.StartUTC, RPS: of.RPS, Note: s.note}
	seconds, rps := s.to.Sub(s.from).Seconds(), of.RPS.OrNaN()
	row.Seconds = record.Of(seconds)
	per := func(calls uint64) float64 { return float64(calls) / seconds / rps }
	for _, c := range s.counts {
		row.Calls += c.Calls
		if c.Name != "" {
			row.ByName = append(row.ByName, record.SyscallCount{Name: c.Name, Calls: c.Calls, PerRequest: per(c.Calls)})
		}
	}
	slices.SortFunc(row.ByName, func(a, b record.SyscallCount) int {
		return cmp.Or(cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.Name, b.Name))
	})
	row.PerRequest = record.Of(per(row.Calls))
	if requestsPerConn > 0 {
		row.PerConnection = record.Of(per(row.Calls) * float64(requestsPerConn))
	}
	return row
}
