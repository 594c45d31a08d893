package record

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Round is what lies in the directory of one round.
type Round struct {
	Dir     string
	Table   string // xeon-gate1 of results/xeon-gate1-2
	Number  int    // 2 of it
	Session string

	// Measurements are in the order of runs, then of the names of variants, then of
	// the file.
	Measurements []Measurement

	Identity *Identity // nil: there is no such file
	Finished bool      // it has an aggregate
}

// ReadRound reads the round in a directory of fsys: every run-N/VARIANT/summary.csv,
// identity.json and aggregate.csv. The error is a [Faults] with everything that is
// wrong in all of its files: among others two sessions in one round, a file that
// says it is of another run, variant or round than its place does, and an aggregate
// that is not that of the measurements, which then were measured again after it was
// written.
func ReadRound(fsys fs.FS, dir string) (*Round, error) {
	faults := &faultList{file: dir}
	table, number, err := SplitRoundDir(dir)
	if err != nil {
		faults.at(0, "%v", err)
		return nil, faults.err()
	}
	r := &Round{Dir: dir, Table: table, Number: number}
	files := r.readRuns(fsys, faults)
	faults.take(r.checkFiles(files))
	r.readIdentity(fsys, faults)
	aggregate := r.readAggregate(fsys, faults)
	if len(faults.all) == 0 && r.Finished {
		r.checkFinished(files, aggregate, faults)
	}
	if err := faults.err(); err != nil {
		return nil, err
	}
	return r, nil
}

// take records the faults of another file.
func (l *faultList) take(err error) {
	var more Faults
	switch {
	case errors.As(err, &more):
		l.all = append(l.all, more...)
	case err != nil:
		l.at(0, "%v", err)
	}
}

// summary is one summary.csv and what its place says about it.
type summary struct {
	path         string
	run          int
	variant      string
	measurements []Measurement
}

// readRuns reads every summary.csv of the round, in the order of runs and variants.
func (r *Round) readRuns(fsys fs.FS, faults *faultList) []summary {
	entries, err := fs.ReadDir(fsys, r.Dir)
	if err != nil {
		faults.at(0, "%v", err)
		return nil
	}
	runs := map[int]string{}
	for _, e := range entries {
		digits, is := strings.CutPrefix(e.Name(), runPrefix)
		if !is || !e.IsDir() {
			continue
		}
		n, err := strconv.ParseUint(digits, 10, 31)
		if err != nil || n == 0 || digits[0] == '0' {
			faults.at(0, "%s is no directory of a run, expected run-1 and so on", e.Name())
			continue
		}
		runs[int(n)] = path.Join(r.Dir, e.Name())
	}
	if len(runs) == 0 {
		faults.at(0, "no directory of a run in it")
	}
	var files []summary
	for run := 1; len(runs) > 0; run++ {
		dir, there := runs[run]
		delete(runs, run)
		if !there {
			faults.at(0, "no run-%d, but a later one", run)
			run = slices.Min(slices.Collect(maps.Keys(runs))) - 1
			continue
		}
		files = append(files, readRun(fsys, dir, run, faults)...)
	}
	return files
}

// readRun reads the summary.csv of each variant of one run.
func readRun(fsys fs.FS, dir string, run int, faults *faultList) (files []summary) {
	entries, err := fs.ReadDir(fsys, dir)
	if err != nil {
		faults.at(0, "%v", err)
		return nil
	}
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		name := path.Join(dir, e.Name(), SummaryFile)
		measurements, err := readFile(fsys, name, ReadSummary)
		if errors.Is(err, fs.ErrNotExist) {
			continue // not measured yet; a finished round is told in checkFinished
		}
		faults.take(err)
		if err == nil {
			files = append(files, summary{name, run, e.Name(), measurements})
		}
	}
	return files
}

// readFile opens a file and lets read read it.
func readFile[T any](fsys fs.FS, name string, read func(in io.Reader, name string) (T, error)) (value T, err error) {
	f, err := fsys.Open(name)
	if err != nil {
		return value, err
	}
	defer f.Close() // read only: nothing is lost
	return read(f, name)
}

// checkFiles holds the lines against the places of their files, and takes them.
func (r *Round) checkFiles(files []summary) error {
	var all Faults
	for _, file := range files {
		faults := &faultList{file: file.path}
		if r.Session == "" {
			r.Session = file.measurements[0].Session
		}
		if s := file.measurements[0].Session; s != r.Session {
			faults.at(2, "session %s, but %s has %s: two sessions wrote into one round", s, files[0].path, r.Session)
		}
		for i, m := range file.measurements {
			if m.Round != r.Number || m.Run != file.run || m.Variant != file.variant {
				faults.at(i+2, "round %d, run %d, variant %s do not belong here", m.Round, m.Run, m.Variant)
			}
		}
		all = append(all, faults.all...)
		r.Measurements = append(r.Measurements, file.measurements...)
	}
	if len(all) == 0 {
		return nil
	}
	return all
}

// readIdentity reads identity.json where there is one.
func (r *Round) readIdentity(fsys fs.FS, faults *faultList) {
	name := path.Join(r.Dir, IdentityFile)
	identity, err := readFile(fsys, name, ReadIdentity)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	faults.take(err)
	if err != nil {
		return
	}
	if identity.Round != r.Number || r.Session != "" && identity.Session != r.Session {
		faults.take(Faults{{name, 0, "session " + identity.Session + ", round " + strconv.Itoa(identity.Round) + " do not belong here"}})
	}
	r.Identity = identity
}

// readAggregate reads aggregate.csv where there is one: the round is finished then.
func (r *Round) readAggregate(fsys fs.FS, faults *faultList) []Aggregate {
	lines, err := readFile(fsys, path.Join(r.Dir, AggregateFile), ReadAggregate)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	faults.take(err)
	r.Finished = err == nil
	return lines
}

// checkFinished looks for runs that are not there, and for an aggregate of other
// measurements than these.
func (r *Round) checkFinished(files []summary, aggregate []Aggregate, faults *faultList) {
	var variants []string
	last := 0
	for _, file := range files {
		if !slices.Contains(variants, file.variant) {
			variants = append(variants, file.variant)
		}
		last = max(last, file.run)
	}
	for run := 1; run <= last; run++ {
		for _, variant := range variants {
			if !slices.ContainsFunc(files, func(f summary) bool { return f.run == run && f.variant == variant }) {
				faults.at(0, "no %s in a finished round", path.Join(RunDir(run, variant), SummaryFile))
			}
		}
	}
	have := Summarize(r.Measurements)
	if len(have) != len(aggregate) {
		faults.at(0, "%s has %d lines, but the measurements make %d", AggregateFile, len(aggregate), len(have))
		return
	}
	for i, line := range aggregate {
		j := slices.IndexFunc(have, func(a Aggregate) bool {
			return a.Mode == line.Mode && a.Scenario == line.Scenario && a.Variant == line.Variant
		})
		if j < 0 || !sameNumbers(have[j], line) {
			faults.take(Faults{{path.Join(r.Dir, AggregateFile), i + 2, "not of these measurements: they were made, or changed, after it was written"}})
		}
	}
}

// sameNumbers compares what a round's rate was; that alone shows another round's.
func sameNumbers(a, b Aggregate) bool {
	near := func(a, b Value) bool {
		x, y := a.OrNaN(), b.OrNaN()
		return a.Known() == b.Known() && (!a.Known() || math.Abs(x-y) <= 1e-9*math.Max(x, y))
	}
	return a.N == b.N && near(a.RPSMedian, b.RPSMedian) && near(a.RPSMin, b.RPSMin) && near(a.RPSMax, b.RPSMax)
}
