package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/scalws/scalbench/internal/record"
)

// writeRounds writes the measurements as rounds: all of them or none. They are written
// beside their place and read back as the gate will, before the first gets its name.
func (o *importOptions) writeRounds(all []imported, out io.Writer) error {
	byRound := map[int][]imported{}
	for _, m := range all {
		byRound[m.Round] = append(byRound[m.Round], m)
	}
	rounds := slices.Sorted(maps.Keys(byRound))
	if err := o.refuseExisting(rounds); err != nil {
		return err
	}
	parent := filepath.Dir(o.into)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return fmt.Errorf("--into %s: %w", o.into, cause(err))
	}
	stage, err := os.MkdirTemp(parent, ".import-*")
	if err != nil {
		return fmt.Errorf("--into %s: %w", o.into, cause(err))
	}
	defer os.RemoveAll(stage) // empty, or of an import that failed
	var faults []error
	for _, round := range rounds {
		faults = append(faults, o.stageRound(stage, round, byRound[round]))
	}
	if err := errors.Join(faults...); err != nil {
		return err
	}
	for _, round := range rounds {
		if err := os.Rename(path.Join(stage, o.roundName(round)), o.roundDir(round)); err != nil {
			return fmt.Errorf("--into %s: %w", o.into, cause(err))
		}
		fmt.Fprintf(out, "%s  %d measurements\n", o.roundDir(round), len(byRound[round]))
	}
	return nil
}

func (o *importOptions) roundName(round int) string {
	return fmt.Sprintf("%s-%d", path.Base(o.into), round)
}
func (o *importOptions) roundDir(round int) string { return fmt.Sprintf("%s-%d", o.into, round) }

// refuseExisting tells of rounds that are there: nothing measured is overwritten.
func (o *importOptions) refuseExisting(rounds []int) error {
	var faults []error
	for _, round := range rounds {
		if _, err := os.Lstat(o.roundDir(round)); err == nil {
			faults = append(faults, usagef("--into %s: %s: %w", o.into, o.roundDir(round), fs.ErrExist))
		}
	}
	return errors.Join(faults...)
}

// stageRound writes one round, and reads it back.
func (o *importOptions) stageRound(stage string, round int, all []imported) error {
	dir := path.Join(stage, o.roundName(round))
	slices.SortStableFunc(all, func(a, b imported) int {
		return cmp.Or(cmp.Compare(a.Run, b.Run), cmp.Compare(a.Variant, b.Variant))
	})
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].Run == all[0].Run && all[n].Variant == all[0].Variant {
			n++
		}
		var summary bytes.Buffer
		if err := writeSummary(&summary, all[:n]); err != nil {
			return err
		}
		if err := writeNew(path.Join(dir, record.RunDir(all[0].Run, all[0].Variant), record.SummaryFile), summary.Bytes()); err != nil {
			return err
		}
		all = all[n:]
	}
	r, err := record.ReadRound(hostFiles{}, dir)
	if err != nil {
		return o.named(err, stage)
	}
	return o.named(finishRound(dir, r.Measurements), stage)
}

// writeSummary writes measurements as a summary.csv. What that may not have is told at
// the places that it came from.
func writeSummary(out io.Writer, all []imported) error {
	lines := make([]record.Measurement, len(all))
	for i := range all {
		lines[i] = all[i].Measurement
	}
	err := record.WriteSummary(out, lines)
	var faults record.Faults
	if !errors.As(err, &faults) {
		return err
	}
	for i, f := range faults {
		if f.Line >= 2 && f.Line-2 < len(all) {
			faults[i].File, faults[i].Line = all[f.Line-2].from, 0
		}
	}
	return usageError{faults}
}

// finishRound writes what makes a round a finished one, and looks whether it holds.
func finishRound(dir string, all []record.Measurement) error {
	var aggregate, text bytes.Buffer
	lines := record.Summarize(all)
	if err := errors.Join(record.WriteAggregate(&aggregate, lines), record.WriteAggregateText(&text, lines)); err != nil {
		return err
	}
	if err := errors.Join(writeNew(path.Join(dir, record.AggregateTextFile), text.Bytes()), writeNew(path.Join(dir, record.AggregateFile), aggregate.Bytes())); err != nil {
		return err
	}
	_, err := record.ReadRound(hostFiles{}, dir)
	return err
}

// writeNew writes a file into a directory that may not be there yet.
func writeNew(name string, data []byte) error {
	if err := os.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	return record.WriteFile(name, data)
}

// named calls files by the names that they would have had.
func (o *importOptions) named(err error, stage string) error {
	var faults record.Faults
	if !errors.As(err, &faults) {
		return err
	}
	for i, f := range faults {
		if rest, err := filepath.Rel(stage, f.File); err == nil {
			faults[i].File = path.Join(path.Dir(o.into), filepath.ToSlash(rest))
		}
	}
	return usageError{faults}
}
