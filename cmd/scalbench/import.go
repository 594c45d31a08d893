package main

import (
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/scalws/scalbench/internal/record"
)

// importOptions is what the flags of `scalbench import` say.
type importOptions struct {
	into, session string
	mapFile       string
	separator     string
	names         string
	place         place // of what neither the names of files nor their columns say
}

func newImport(std streams) *cobra.Command {
	var o importOptions
	cmd := &cobra.Command{
		Use:   "import FILE...",
		Short: "Make rounds of results of other tools, for scalbench gate",
		Long: "Make rounds of results of other tools, for scalbench gate.\n\n" +
			"A .json is what oha prints with --output-format json: one measurement. Which one its name says, by a pattern\n" +
			"such as '{variant}/{scenario}-{run}.json', or the flags do. A .csv is a table with a measurement a line; a map\n" +
			"in YAML says which of our columns each of its columns is, and in which unit:\n\n" +
			"  variant: build\n" +
			"  scenario: test\n" +
			"  run: iteration\n" +
			"  rps: Requests/sec\n" +
			"  duration_s: {value: 30}\n" +
			"  p99_ms: {column: p99, unit: us}\n" +
			"  rss_kib: {column: rss, unit: MiB}\n\n" +
			"Our columns are those of summary.csv (docs/RECORD.md). Columns that the map does not name are not read. Nothing\n" +
			"is guessed: what a file does not say, such as CPU time, the gate has not. Rounds that exist are not written to.",
		Example: "  scalbench import old/*.json --names '{variant}-{scenario}-{run}.json' --into results/xeon-old\n" +
			"  scalbench import old/summary.csv --map old/map.yaml --into results/xeon-old\n" +
			"  scalbench gate results/xeon-old-* --base rc1-11 --new el8",
		Args: func(_ *cobra.Command, files []string) error {
			if len(files) == 0 {
				return usagef("import: no file")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, files []string) error { return o.run(files, std.out) },
	}
	o.register(cmd.Flags())
	return cmd
}

func (o *importOptions) register(f *pflag.FlagSet) {
	f.SortFlags = false
	f.StringVar(&o.into, "into", "", "what the directories of the rounds begin with, such as `results/HOST-SUITE`")
	f.StringVar(&o.session, "session", "", "`id` of the session that the rounds form (default the last part of --into)")
	f.StringVar(&o.names, "names", "", "`pattern` of the ends of the paths of .json files, with {variant} {scenario} {mode} {run} {round}")
	f.StringVar(&o.mapFile, "map", "", "`file` that says which columns of a .csv are ours")
	f.StringVar(&o.separator, "separator", ",", "between the cells of a .csv")
	f.StringVar(&o.place.variant, "variant", "", "where the files do not say it")
	f.StringVar(&o.place.scenario, "scenario", "", "likewise")
	f.StringVar(&o.place.mode, "mode", "", "likewise")
	f.IntVar(&o.place.round, "round", 1, "likewise")
	f.IntVar(&o.place.run, "run", 1, "likewise")
}

// place is where a measurement belongs.
type place struct {
	round, run              int
	variant, mode, scenario string
}

func (p place) text() string {
	scenario := p.scenario
	if p.mode != "" {
		scenario = p.mode + "/" + scenario
	}
	return fmt.Sprintf("round %d, run %d of %s, %s", p.round, p.run, p.variant, scenario)
}

// imported is a measurement and the place it came from, for messages.
type imported struct {
	record.Measurement
	from string
}

func (m *imported) place() place { return place{m.Round, m.Run, m.Variant, m.Mode, m.Scenario} }

// flagImported is on every measurement that was not made here.
const flagImported = "imported"

// run is the story of the command: files to measurements, measurements to rounds.
func (o *importOptions) run(files []string, out io.Writer) error {
	names, columns, err := o.check(files)
	if err != nil {
		return err
	}
	var all []imported
	var faults []error
	for _, file := range files {
		var some []imported
		var err error
		if isCSV(file) {
			some, err = o.readForeign(file, columns)
		} else {
			some, err = o.readOha(file, names)
		}
		all, faults = append(all, some...), append(faults, err)
	}
	if err := errors.Join(append(faults, repeated(all))...); err != nil {
		return err
	}
	if err := incomplete(all); err != nil {
		return err
	}
	return o.writeRounds(all, out)
}

func isCSV(file string) bool { return strings.EqualFold(filepath.Ext(file), ".csv") }

// check tells everything that is wrong with the flags and the map.
func (o *importOptions) check(files []string) (names *namePattern, columns *columnMap, err error) {
	var faults []error
	wrong := func(is bool, format string, args ...any) {
		if is {
			faults = append(faults, usagef(format, args...))
		}
	}
	o.into = filepath.ToSlash(filepath.Clean(o.into))
	base := path.Base(o.into)
	wrong(!record.IsName(base), "--into %q: want what the directories of the rounds begin with, such as results/xeon-old", o.into)
	if o.session == "" {
		o.session = base
	}
	wrong(!record.IsName(o.session), "--session %q: want letters, digits and ._-", o.session)
	wrong(len(o.separator) != 1 || strings.ContainsAny(o.separator, "\"\r\n"), "--separator %q: want one sign", o.separator)
	wrong(o.place.round < 1, "--round %d: want 1 or more", o.place.round)
	wrong(o.place.run < 1, "--run %d: want 1 or more", o.place.run)
	csv, json := false, false
	for _, file := range files {
		csv, json = csv || isCSV(file), json || strings.EqualFold(filepath.Ext(file), ".json")
		wrong(!isCSV(file) && !strings.EqualFold(filepath.Ext(file), ".json"), "%s: want a .json of oha, or a .csv", file)
	}
	wrong(csv && o.mapFile == "", "--map: a .csv needs one, which says what its columns are")
	wrong(o.mapFile != "" && !csv, "--map: there is no .csv")
	wrong(o.names != "" && !json, "--names: there is no .json")
	if o.mapFile != "" {
		var err error
		columns, err = readColumnMap(o.mapFile)
		faults = append(faults, err)
	}
	names, err = parseNames(o.names)
	return names, columns, errors.Join(append(faults, err)...)
}

// repeated tells of measurements that are there twice.
func repeated(all []imported) error {
	first := map[place]string{}
	var faults []error
	for i := range all {
		p := all[i].place()
		if from, twice := first[p]; twice {
			faults = append(faults, usagef("%s: %s is there already, from %s", all[i].from, p.text(), from))
			continue
		}
		first[p] = all[i].from
	}
	return errors.Join(faults...)
}

// incomplete tells which runs a round lacks: those of every variant, from 1 to the last
// one of any. A round with a hole is none that may be judged.
func incomplete(all []imported) error {
	type runOf struct {
		round, run int
		variant    string
	}
	there := map[runOf]bool{}
	last := map[int]*imported{} // of each round a measurement of its last run
	var firsts []*imported      // one of each variant of each round
	for i := range all {
		m := &all[i]
		there[runOf{m.Round, m.Run, m.Variant}] = true
		if last[m.Round] == nil || m.Run > last[m.Round].Run {
			last[m.Round] = m
		}
		if !slices.ContainsFunc(firsts, func(f *imported) bool { return f.Round == m.Round && f.Variant == m.Variant }) {
			firsts = append(firsts, m)
		}
	}
	var faults []error
	for _, m := range firsts {
		end := last[m.Round]
		for run := 1; run <= end.Run && len(faults) < incompleteTold; run++ {
			if !there[runOf{m.Round, run, m.Variant}] {
				faults = append(faults, usagef("%s: round %d has no run %d of %s, but run %d of %s at %s", m.from, m.Round, run, m.Variant, end.Run, end.Variant, end.from))
			}
		}
	}
	return errors.Join(faults...)
}

// incompleteTold is how many missing runs are told: a run with a wild number lacks all
// before it.
const incompleteTold = 10

// readGiven reads a file that was given to be read; its error names it.
func readGiven(name string) ([]byte, error) {
	text, err := readWhole(name)
	var faults record.Faults
	if errors.As(err, &faults) {
		return nil, usageError{err}
	}
	return text, err
}
