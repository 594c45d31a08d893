package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"

	"github.com/scalws/scalbench/gate"
	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/loadgen"
)

// secondsMin is the number of seconds from which the gate's tests say anything.
const secondsMin = 6

// readSeconds reads the completions per second of the measurements of a round out of
// the results that lie beside them, where they do.
func readSeconds(seconds map[gate.MeasurementKey][]float64, round *record.Round) error {
	var faults []error
	for i := range round.Measurements {
		m := &round.Measurements[i]
		if m.State != record.Valid {
			continue
		}
		name := path.Join(round.Dir, record.RunDir(m.Run, m.Variant), measurementDir(m), measuredFile)
		if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		perSecond, err := readSecondsOf(name)
		faults = append(faults, asBroken(err))
		if len(perSecond) >= secondsMin {
			seconds[gate.KeyOf(m)] = perSecond
		}
	}
	return errors.Join(faults...)
}

// measuredFile is the generator's result of a measurement, in its directory.
const measuredFile = "result.json"

// measurementDir is the directory of a measurement, in that of its run.
func measurementDir(m *record.Measurement) string {
	if m.Mode == "" {
		return m.Scenario
	}
	return m.Mode + "+" + m.Scenario
}

func readSecondsOf(name string) ([]float64, error) {
	text, err := readWhole(name)
	if err != nil {
		return nil, err
	}
	return secondsOf(name, text)
}

// secondsOf takes the windows of a result of scalbench load, when they are seconds. The
// error is a [record.Faults].
func secondsOf(file string, text []byte) ([]float64, error) {
	var result struct {
		Schema  string `json:"schema"`
		Windows []struct {
			StartS *float64 `json:"t_s"`
			OK     *uint64  `json:"ok"`
		} `json:"windows"`
	}
	if err := json.Unmarshal(text, &result); err != nil {
		return nil, record.Faults{{File: file, Line: jsonLine(text, err), Text: "no result of scalbench load: " + jsonText(err)}}
	}
	// Lines are looked for only where something is wrong: there are hundreds of results.
	wrong := func(at func(root *jsonNode) *jsonNode, format string, args ...any) error {
		root, err := readJSONTree(file, text)
		if err != nil {
			return err
		}
		return record.Faults{{File: file, Line: at(root).line, Text: fmt.Sprintf(format, args...)}}
	}
	if result.Schema != loadgen.Schema {
		top := func(root *jsonNode) *jsonNode { return root }
		return nil, wrong(top, "no result of scalbench load: schema %q, expected %q", result.Schema, loadgen.Schema)
	}
	var perSecond []float64
	seconds := true
	for i, w := range result.Windows {
		window := func(root *jsonNode) *jsonNode { return root.windowAt(i) }
		switch {
		case w.StartS == nil || w.OK == nil:
			return nil, wrong(window, "window %d: no t_s or no ok", i+1)
		case *w.StartS < 0 || i > 0 && *w.StartS <= *result.Windows[i-1].StartS:
			return nil, wrong(window, "window %d: t_s %v, want windows in the order of time, from 0 on", i+1, *w.StartS)
		}
		seconds = seconds && *w.StartS == float64(i)
		perSecond = append(perSecond, float64(*w.OK))
	}
	if !seconds {
		return nil, nil
	}
	return perSecond, nil
}

// windowAt is a window of a result; where it stands under a name in other letters, which
// encoding/json takes as well, the result itself.
func (n *jsonNode) windowAt(i int) *jsonNode {
	if windows := n.member("windows"); windows != nil && i < len(windows.elements) {
		return windows.elements[i]
	}
	return n
}
