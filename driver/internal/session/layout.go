package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/scalws/scalbench/internal/record"
)

// What the names of directories are made of. None of these signs can be in the name
// of a mode or of a scenario.
const (
	modeSign    = "+"         // multi+static-small
	attemptSign = "~attempt-" // static-small~attempt-1: superseded
	partSuffix  = ".part"     // static-small~attempt-1.part: under way, or cut
	abortedMark = ".aborted"  // xeon-gate1-2.aborted, then xeon-gate1-2.2.aborted

	sessionSuffix = ".session" // as record.SessionDir has it
)

// RowFile is the file with a committed attempt's line of summary.csv, in that form.
const RowFile = "measurement.csv"

// Layout says where the files of one session are. It is a value.
type Layout struct {
	Results string // directory of all sessions
	Table   string // HOST-SUITE, or the name that was given; what its directories begin with
}

// NewLayout is that of a new session: name, or HOST-SUITE of the plan when it is "".
func NewLayout(results string, plan *record.Plan, name string) (Layout, error) {
	if name == "" {
		name = plan.Host + "-" + plan.Suite
	}
	if !record.IsName(name) {
		return Layout{}, fmt.Errorf("%q cannot be the name of results, expected letters, digits and ._- and no dot in front", name)
	}
	return Layout{Results: results, Table: name}, nil
}

// LayoutOf is that of a session's directory, xeon-gate1.session.
func LayoutOf(sessionDir string) (Layout, error) {
	sessionDir = filepath.Clean(sessionDir)
	table, is := strings.CutSuffix(filepath.Base(sessionDir), sessionSuffix)
	if !is || table == "" {
		return Layout{}, fmt.Errorf("%s is no directory of a session, expected NAME%s", sessionDir, sessionSuffix)
	}
	return Layout{Results: filepath.Dir(sessionDir), Table: table}, nil
}

// SessionDir is the session's own directory.
func (l Layout) SessionDir() string { return filepath.Join(l.Results, l.Table+sessionSuffix) }

// RoundDir is the directory of a round.
func (l Layout) RoundDir(round int) string {
	return filepath.Join(l.Results, l.Table+"-"+strconv.Itoa(round))
}

// RunDir is the directory of one variant in one run.
func (l Layout) RunDir(round, run int, variant string) string {
	return filepath.Join(l.RoundDir(round), filepath.FromSlash(record.RunDir(run, variant)))
}

// SummaryPath is the file of the measurements of one variant in one run.
func (l Layout) SummaryPath(round, run int, variant string) string {
	return filepath.Join(l.RunDir(round, run, variant), record.SummaryFile)
}

// MeasurementDir is the directory of a committed measurement: its last attempt.
func (l Layout) MeasurementDir(k Key) string {
	return filepath.Join(l.RunDir(k.Round, k.Run, k.Variant), rowName(k.Mode, k.Scenario))
}

// rowName is what the directory of a scenario in a mode is called.
func rowName(mode, scenario string) string {
	if mode == "" {
		return scenario
	}
	return mode + modeSign + scenario
}

// SupersededDir is where a committed attempt is moved when the next begins.
func (l Layout) SupersededDir(k Key, attempt int) string {
	return l.MeasurementDir(k) + attemptSign + strconv.Itoa(attempt)
}

// partDir is where an attempt is made.
func (l Layout) partDir(k Key, attempt int) string { return l.SupersededDir(k, attempt) + partSuffix }

// abortedDir is a free name for a round's directory that is no evidence.
func (l Layout) abortedDir(round int) (string, error) {
	for n := 1; ; n++ {
		dir := l.RoundDir(round) + abortedMark
		if n > 1 {
			dir = l.RoundDir(round) + "." + strconv.Itoa(n) + abortedMark
		}
		_, err := os.Lstat(dir)
		if errors.Is(err, fs.ErrNotExist) {
			return dir, nil
		}
		if err != nil {
			return "", err
		}
	}
}
