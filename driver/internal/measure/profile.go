package measure

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/internal/perf"
	"github.com/scalws/scalbench/internal/profile"
	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/suite"
)

// Profiling is how samples of the server's CPUs are taken, and what is made of them.
type Profiling struct {
	Sampler  perf.Sampler
	Groups   *profile.Groups
	Span     time.Duration // of the load in which samples are taken, after the warm-up
	KeepData bool          // what perf has recorded is among the files, too
}

// Files of a profile.
const (
	FoldedFile   = "stacks.folded"
	perfDataFile = "perf.data"
)

// symbolsKept is how many functions of each group a row has. Of most groups that is all.
const symbolsKept = 400

// Profile loads a variant as a measurement does and samples meanwhile what the server's
// CPUs do. It is no measurement, for sampling costs the server time. What could not be
// sampled is in the row; an error is ours, or the context's. The row lacks its place (variant, mode,
// scenario).
func (b *Bench) Profile(ctx context.Context, r *Running, sc suite.Scenario, plan suite.Plan, how Profiling) (row record.ProfileRow, files []File, err error) {
	plan.Measure, plan.OfRecord = how.Span, false // a generator that sampling keeps waiting is none
	s := &samples{clock: b.clock, running: r, server: map[int]bool{}, file: filepath.Join(b.config.Work, perfDataFile),
		tally: profile.NewTally(how.Groups), others: map[string]uint64{}}
	cpus := b.placement.Server.String()
	if err := s.start(ctx, how.Sampler, cpus); err != nil {
		var refused *perf.Unavailable
		if errors.As(err, &refused) {
			return record.ProfileRow{NA: record.OneLine(refused.Reason)}, nil, nil
		}
		return record.ProfileRow{}, nil, fmt.Errorf("profile variant %s: %w", r.variant.Name, err)
	}
	defer func() {
		if removeErr := os.Remove(s.file); removeErr != nil && !errors.Is(removeErr, os.ErrNotExist) {
			err = errors.Join(err, removeErr)
		}
	}()
	m := &measurement{bench: b, running: r, scenario: sc, session: plan, onlooker: s}
	of, err := m.take(ctx)
	endErr := s.end(ctx)
	if err = errors.Join(err, ctx.Err()); err != nil {
		return record.ProfileRow{}, nil, fmt.Errorf("profile %s of variant %s: %w", sc.Name, r.variant.Name, err)
	}
	files = m.evidence.Files
	switch {
	case of.State == record.Invalid:
		return record.ProfileRow{NA: of.Reason}, files, nil
	case endErr != nil:
		return record.ProfileRow{NA: record.OneLine(endErr.Error())}, files, nil
	case s.tally.Total() == 0:
		return record.ProfileRow{NA: s.none(cpus)}, files, nil
	}
	more, err := s.files(how.KeepData)
	row = s.row(of, how.Groups)
	row.CPUs, row.Hz = cpus, how.Sampler.Hz
	row.Note = joined(row.Note, missing(row, b.placement.Server.Count()))
	if !how.Sampler.Stacks {
		row.Note = joined("perf gives no callers here: groups are by the functions that were running alone", row.Note)
	}
	return row, append(files, more...), err
}

// joined puts one note behind another.
func joined(notes ...string) string {
	return strings.Join(slices.DeleteFunc(notes, func(note string) bool { return note == "" }), "; ")
}

// clockLeast is how much there has to be of the samples that a clock gives, which goes on
// when a CPU has nothing to do.
const clockLeast = 0.9

// missing says how many samples of a clock are not there: the kernel takes fewer where
// sampling costs it too much, and a host of virtual machines stops their clocks.
func missing(row record.ProfileRow, cpus int) string {
	taken := row.Samples + row.Idle
	for _, o := range row.Others {
		taken += o.Samples
	}
	due := row.Seconds.OrNaN() * float64(row.Hz*cpus)
	if !strings.Contains(row.Event, "clock") || float64(taken) >= clockLeast*due {
		return ""
	}
	return fmt.Sprintf("of %.0f samples that were due %d were taken", due, taken)
}

// samples are those of the server's CPUs in a window.
type samples struct {
	clock     mono.Clock
	running   *Running
	recording *perf.Recording
	file      string

	server   map[int]bool // processes of the variant, at either edge
	from, to mono.Time    // when sampling began and ended; to is 0 when it did not
	err      error        // the first

	event  string
	note   string
	tally  *profile.Tally
	idle   uint64
	others map[string]uint64
}

// start makes perf ready.
func (s *samples) start(ctx context.Context, sampler perf.Sampler, cpus string) (err error) {
	if err := s.know(); err != nil {
		return err
	}
	if len(s.server) == 0 {
		return &perf.Unavailable{Reason: "nothing is known of the server's processes"}
	}
	s.recording, err = sampler.Record(ctx, cpus, s.file)
	return err
}

// know adds the processes that the variant has now. One that has come and gone between the
// edges is taken for another's; its name tells.
func (s *samples) know() error {
	for _, i := range s.running.instances {
		subject, err := i.subject()
		if err != nil {
			return err
		}
		for _, pid := range subject.Tree {
			s.server[pid] = true
		}
	}
	return nil
}

// begin is called at the first edge of the window, and finish at the second.
func (s *samples) begin(ctx context.Context) {
	s.noteErr(s.recording.Enable(ctx))
	s.from = s.clock.Now()
}

func (s *samples) finish(ctx context.Context) {
	s.to = s.clock.Now()
	s.noteErr(s.recording.Disable(ctx))
	s.noteErr(s.know())
}

func (s *samples) noteErr(err error) {
	if s.err == nil {
		s.err = err
	}
}

// end ends perf and reads its samples.
func (s *samples) end(ctx context.Context) (err error) {
	if s.to == 0 {
		s.noteErr(errors.New("sampling did not come to its end"))
	}
	if s.err != nil {
		s.recording.Kill()
		return s.err
	}
	s.event, s.note, err = s.recording.End(ctx, s.add)
	return err
}

// nameless are processes that were gone before perf learnt their names.
const nameless = "nameless"

// add counts a sample for whose it is. The idle task of each CPU is process 0.
func (s *samples) add(sample profile.Sample) {
	switch {
	case s.server[sample.PID]:
		s.tally.Add(sample)
	case sample.PID == 0:
		s.idle++
	case strings.HasPrefix(sample.Comm, ":"): // a number in the place of a name that perf has not seen
		s.others[nameless]++
	default:
		s.others[sample.Comm]++
	}
}

// none says that there is nothing to divide.
func (s *samples) none(cpus string) string {
	var others uint64
	for _, n := range s.others {
		others += n
	}
	return fmt.Sprintf("no sample of the server on CPUs %s, %d of others and %d of nobody", cpus, others, s.idle)
}

// othersKept is how many other programs a row has by name.
const othersKept = 20

// row is what was seen. What was measured meanwhile stands beside it, to be held against
// what the rounds say.
func (s *samples) row(of record.Measurement, groups *profile.Groups) record.ProfileRow {
	row := record.ProfileRow{StartUTC: of.StartUTC, RPS: of.RPS, CPU: of.CPUMicros, Seconds: record.Of(s.to.Sub(s.from).Seconds()),
		Event: s.event, Samples: s.tally.Total(), Idle: s.idle, Cut: s.tally.Cut(), Note: s.note}
	row.Others = profile.Sorted(s.others)
	if len(row.Others) > othersKept {
		rest := profile.Count{Name: "others"}
		for _, o := range row.Others[othersKept:] {
			rest.Samples += o.Samples
		}
		row.Others = append(row.Others[:othersKept], rest)
	}
	var names []string
	for _, g := range groups.Table() {
		names = append(names, g.Name)
	}
	for _, name := range append(names, profile.Rest()...) {
		if n := s.tally.Group(name); n > 0 {
			row.Groups = append(row.Groups, record.ProfileGroup{Name: name, Samples: n, Symbols: s.tally.Symbols(name, symbolsKept)})
		}
	}
	return row
}

// files are the server's stacks, and what perf has recorded where that is kept.
func (s *samples) files(keepData bool) ([]File, error) {
	var folded bytes.Buffer
	if err := s.tally.WriteFolded(&folded); err != nil {
		return nil, err
	}
	files := []File{{Name: FoldedFile, Data: folded.Bytes()}}
	if !keepData {
		return files, nil
	}
	data, err := os.ReadFile(s.file)
	if err != nil {
		return nil, fmt.Errorf("keep what perf has recorded: %w", err)
	}
	return append(files, File{Name: perfDataFile, Data: data}), nil
}
