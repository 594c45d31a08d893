package record

import (
	"fmt"
	"io"
	"math"
	"time"
)

// CalibrationFile is the file of a calibration, in HOST-SUITE.calibration/N;
// CalibrationSchema its format.
const (
	CalibrationFile   = "calibration.json"
	CalibrationDir    = ".calibration" // how the directory of a suite's calibrations ends
	CalibrationSchema = "scalbench.calibration/v1"
)

// Calibration is what a suite shows on a host between a variant and itself. It is made of
// two sessions, which lie beside it: aa and control.
type Calibration struct {
	Schema     string          `json:"schema"`
	CreatedUTC time.Time       `json:"created_utc"` // of the plan of aa
	Suite      string          `json:"suite"`
	Host       CalibrationHost `json:"host"`
	Base       string          `json:"base"`            // the variant
	About      string          `json:"about,omitempty"` // what ran as its twin
	Method     CalibrationPlan `json:"plan"`

	Session string `json:"session"`           // id of aa
	Control string `json:"control,omitempty"` // of the positive control; "": there was none
	// BurdenFrac is the share of each of the server's CPUs that was taken in the control.
	BurdenFrac Value `json:"burden,omitzero"`
	// Policy is that of the suite, by which the control had to fail.
	Policy string `json:"policy"`
	// PseudoGates is how many gates were drawn from the pairs for each number that comes of
	// drawing.
	PseudoGates int `json:"pseudo_gates"`

	Rows []CalibrationRow `json:"rows"`
}

// CalibrationHost is the host of a calibration: as [Host], without what is of the moment.
type CalibrationHost struct {
	Name  string            `json:"name"`
	Fixed map[string]string `json:"fixed"` // kernel and governor among them
}

// Differences names the facts in which another host differs, with both values.
func (h CalibrationHost) Differences(other *Host) []Difference {
	return (&Host{Name: h.Name, Fixed: h.Fixed}).Differences(other)
}

// CalibrationPlan is how it was measured. Sessions that measure otherwise have other
// noise.
type CalibrationPlan struct {
	Preset         string            `json:"preset,omitempty"`
	Rounds         int               `json:"rounds"`
	Runs           int               `json:"runs"` // in a round, of each variant
	WarmupSeconds  float64           `json:"warmup_s"`
	MeasureSeconds float64           `json:"measure_s"`
	Order          string            `json:"order,omitempty"`
	Interleave     string            `json:"interleave,omitempty"`
	Restart        string            `json:"restart,omitempty"`
	Params         map[string]string `json:"params,omitempty"`
}

// CalibrationRow is one scenario. What is on the ln scale is a shift of ln new - ln base:
// for small values a fraction.
type CalibrationRow struct {
	Mode     string `json:"mode,omitempty"`
	Scenario string `json:"scenario"`
	Metric   string `json:"metric"`            // rps, or cpu_us: what rows are judged by
	Verdict  string `json:"verdict"`           // what the suite's gate says of the two
	Text     string `json:"text,omitempty"`    // half a sentence about it
	Missing  string `json:"missing,omitempty"` // why there are no numbers; "": there are

	Pairs      int   `json:"pairs"`
	Interfered int   `json:"interfered,omitempty"` // measurements during which others used the CPUs
	Ratio      Value `json:"ratio,omitzero"`       // Hodges-Lehmann
	Lo         Value `json:"lo,omitzero"`          // bounds, each wrong with probability Level at most
	Hi         Value `json:"hi,omitzero"`
	Level      Value `json:"level,omitzero"`
	Sigma      Value `json:"sigma,omitzero"`           // of a pair, on the ln scale
	P99Sigma   Value `json:"p99_sigma,omitzero"`       // the same of p99
	Position   Value `json:"position_effect,omitzero"` // how much better the twin is where it runs first, ln scale
	PositionP  Value `json:"position_p,omitzero"`      // of "the place in the order does not matter"
	Speeds     Value `json:"speeds_apart,omitzero"`    // upper / lower - 1, where the runs have two speeds; none: they have one
	HostSpeeds bool  `json:"speeds_of_host,omitempty"` // both have both, alike

	// Floor is what 95 of 100 tables of so many rounds and runs stay below, of |ln ratio|
	// between a program and itself. Floors are those of tables of 1, 2, 3 rounds and so on.
	Floor  Value     `json:"floor,omitzero"`
	Floors []float64 `json:"floors,omitempty"`

	FalseAlarms []FalseAlarm        `json:"false_alarms,omitempty"`
	Control     *CalibrationControl `json:"control,omitempty"` // nil: it was not measured
}

// FalseAlarm is how often a policy says what of a program against itself: shares of the
// pseudo gates.
type FalseAlarm struct {
	Policy string  `json:"policy"`
	Fail   float64 `json:"fail"`
	Pass   float64 `json:"pass"`
}

// CalibrationControl is what became of a scenario under the burden.
type CalibrationControl struct {
	Verdict string `json:"verdict"`
	Ratio   Value  `json:"ratio,omitzero"` // burdened / plain, by pairs of runs, with its bounds
	Lo      Value  `json:"lo,omitzero"`
	Hi      Value  `json:"hi,omitzero"`
	// Taken is the share of the server's CPUs that the burden, and other helpers, had.
	Taken Value  `json:"taken,omitzero"`
	Text  string `json:"text,omitempty"` // half a sentence about the verdict
	// Exempt says why it need not fail: it is judged by what a burden beside the server
	// does not change. "": it must.
	Exempt string `json:"exempt,omitempty"`
}

// Row returns the row of a scenario in a mode; nil when there is none.
func (c *Calibration) Row(mode, scenario string) *CalibrationRow {
	for i := range c.Rows {
		if r := &c.Rows[i]; r.Mode == mode && r.Scenario == scenario {
			return r
		}
	}
	return nil
}

// FloorOf is the noise floor of tables of so many rounds, on the ln scale; false when it is
// not known. Of more rounds than were reckoned with it is that of the most.
func (r *CalibrationRow) FloorOf(rounds int) (float64, bool) {
	if rounds < 1 || len(r.Floors) == 0 {
		return 0, false
	}
	return r.Floors[min(rounds, len(r.Floors))-1], true
}

// ReadCalibration reads a calibration.json; name is the file's, for faults. The error is
// a [Faults] with everything that is wrong.
func ReadCalibration(in io.Reader, name string) (*Calibration, error) {
	faults := &faultList{file: name}
	c, ok := readJSON[Calibration](in, faults)
	if ok {
		c.check(faults)
	}
	if err := faults.err(); err != nil {
		return nil, err
	}
	return &c, nil
}

// WriteCalibration writes a calibration with its schema, which it sets.
func WriteCalibration(out io.Writer, c *Calibration) error {
	c.Schema = CalibrationSchema
	faults := &faultList{file: CalibrationFile}
	c.check(faults)
	if err := faults.err(); err != nil {
		return fmt.Errorf("write a calibration that cannot be read back: %w", err)
	}
	return writeJSON(out, c)
}

func (c *Calibration) check(faults *faultList) {
	if c.Schema != CalibrationSchema {
		faults.at(0, "schema %q, expected %q", c.Schema, CalibrationSchema)
		return
	}
	checkNames(faults, map[string]string{"suite": c.Suite, "base": c.Base, "session": c.Session})
	if c.Control != "" {
		checkNames(faults, map[string]string{"control": c.Control})
	}
	wrong := func(is bool, format string, args ...any) {
		if is {
			faults.at(0, format, args...)
		}
	}
	wrong(c.CreatedUTC.IsZero(), "created_utc: nothing, expected the time")
	wrong(c.Host.Name == "" || len(c.Host.Fixed) == 0, "host: expected its name and its fixed facts")
	wrong(c.Method.Rounds < 1 || c.Method.Runs < 1, "rounds %d, runs %d, expected 1 or more", c.Method.Rounds, c.Method.Runs)
	wrong(!(c.Method.WarmupSeconds >= 0 && c.Method.MeasureSeconds > 0), "warmup_s %v, measure_s %v, expected times", c.Method.WarmupSeconds, c.Method.MeasureSeconds)
	wrong(c.PseudoGates < 0, "pseudo_gates %d, expected 0 or more", c.PseudoGates)
	wrong(c.BurdenFrac.Known() && !isShare(c.BurdenFrac.OrNaN()), "burden %v, expected a share of 1", c.BurdenFrac)
	seen := map[[2]string]bool{}
	for i := range c.Rows {
		r := &c.Rows[i]
		key := [2]string{r.Mode, r.Scenario}
		wrong(seen[key], "row %s is there twice", scenarioText(r.Mode, r.Scenario))
		seen[key] = true
		r.check(faults)
	}
}

// check looks at one row: a number that cannot be would make a margin that is none.
func (r *CalibrationRow) check(faults *faultList) {
	row := scenarioText(r.Mode, r.Scenario)
	checkNames(faults, map[string]string{"row " + row + ": scenario": r.Scenario})
	wrong := func(is bool, format string, args ...any) {
		if is {
			faults.at(0, "row %s: %s", row, fmt.Sprintf(format, args...))
		}
	}
	wrong(r.Metric != "rps" && r.Metric != "cpu_us", "metric %q, expected rps or cpu_us", r.Metric)
	wrong(r.Pairs < 0 || r.Interfered < 0, "%d pairs, %d interfered, expected 0 or more", r.Pairs, r.Interfered)
	control := CalibrationControl{}
	if r.Control != nil {
		control = *r.Control
	}
	for _, ratio := range []Value{r.Ratio, r.Lo, r.Hi, control.Ratio, control.Lo, control.Hi} {
		wrong(ratio.Known() && !(ratio.OrNaN() > 0 && ratio.OrNaN() < valueMax), "ratio %v, expected one above 0", ratio)
	}
	for _, size := range append([]float64{known(r.Sigma), known(r.P99Sigma), known(r.Floor), known(r.Speeds), known(control.Taken)}, r.Floors...) {
		wrong(!(size >= 0 && size < valueMax), "%v, expected 0 or more", size)
	}
	for _, p := range []Value{r.Level, r.PositionP} {
		wrong(!isShare(known(p)), "probability %v, expected 0 to 1", p)
	}
	wrong(math.Abs(known(r.Position)) >= valueMax, "position_effect %v", r.Position)
	for _, f := range r.FalseAlarms {
		wrong(!isShare(f.Fail) || !isShare(f.Pass), "false alarms of %s: %v and %v, expected shares of 1", f.Policy, f.Fail, f.Pass)
	}
}

// known is a number, and 0 where there is none, which is always right.
func known(v Value) float64 {
	x, _ := v.Get()
	return x
}

func isShare(x float64) bool { return x >= 0 && x <= 1 }
