package record

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func aCalibration() *Calibration {
	return &Calibration{
		CreatedUTC: time.Date(2026, 11, 6, 12, 0, 0, 0, time.UTC), Suite: "gate1", Base: "el8", About: "a copy of /opt/x at another path",
		Host:    CalibrationHost{Name: "xeon", Fixed: map[string]string{"kernel": "7.0.0-38", "governor": "performance"}},
		Method:  CalibrationPlan{Preset: "release", Rounds: 3, Runs: 5, WarmupSeconds: 10, MeasureSeconds: 30},
		Session: "s1", Control: "s2", BurdenFrac: Of(0.2), Policy: "parity", PseudoGates: 2000,
		Rows: []CalibrationRow{
			{Scenario: "static", Metric: "rps", Verdict: "PASS", Pairs: 15, Ratio: Of(0.999), Lo: Of(0.996), Hi: Of(1.002), Level: Of(0.05), Sigma: Of(0.005),
				Position: Of(-0.001), PositionP: Of(0.4), Floor: Of(0.003), Floors: []float64{0.005, 0.004, 0.003},
				FalseAlarms: []FalseAlarm{{"parity", 0.015, 0.985}},
				Control:     &CalibrationControl{Verdict: "FAIL", Ratio: Of(0.8), Taken: Of(0.199)}},
			{Mode: "multi", Scenario: "static", Metric: "cpu_us", Verdict: "INVALID", Missing: "3 errors"},
		},
	}
}

func TestReadCalibration(t *testing.T) {
	var out bytes.Buffer
	c := aCalibration()
	if err := WriteCalibration(&out, c); err != nil {
		t.Fatal(err)
	}
	got, err := ReadCalibration(&out, CalibrationFile)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(c, got, cmp.AllowUnexported(Value{})); diff != "" {
		t.Error(diff)
	}
	if r := got.Row("multi", "static"); r == nil || r.Verdict != "INVALID" {
		t.Errorf("row %+v", r)
	}
	if r := got.Row("", "php"); r != nil {
		t.Errorf("row %+v of no scenario", r)
	}
	for rounds, want := range map[int]float64{1: 0.005, 2: 0.004, 3: 0.003, 7: 0.003} {
		if floor, ok := got.Rows[0].FloorOf(rounds); !ok || floor != want {
			t.Errorf("floor of %d rounds: %v, %v, want %v", rounds, floor, ok, want)
		}
	}
	if _, ok := got.Rows[0].FloorOf(0); ok {
		t.Error("a floor of no rounds")
	}
	if _, ok := got.Rows[1].FloorOf(3); ok {
		t.Error("a floor of a row without numbers")
	}
	other := &Host{Name: "xeon", Fixed: map[string]string{"kernel": "7.1", "governor": "performance"}}
	if d := got.Host.Differences(other); len(d) != 1 || d[0] != (Difference{"kernel", "7.0.0-38", "7.1"}) {
		t.Errorf("hosts differ in %v", d)
	}
}

func TestCalibrationFaults(t *testing.T) {
	for want, change := range map[string]func(c *Calibration){
		"suite":                   func(c *Calibration) { c.Suite = "../x" },
		"session":                 func(c *Calibration) { c.Session = "" },
		"control":                 func(c *Calibration) { c.Control = "a b" },
		"created_utc":             func(c *Calibration) { c.CreatedUTC = time.Time{} },
		"host: expected":          func(c *Calibration) { c.Host.Fixed = nil },
		"rounds 0":                func(c *Calibration) { c.Method.Rounds = 0 },
		"measure_s 0":             func(c *Calibration) { c.Method.MeasureSeconds = 0 },
		"burden 20":               func(c *Calibration) { c.BurdenFrac = Of(20) },
		"there twice":             func(c *Calibration) { c.Rows[1] = c.Rows[0] },
		"scenario":                func(c *Calibration) { c.Rows[0].Scenario = "%d/x" },
		`metric "watts"`:          func(c *Calibration) { c.Rows[0].Metric = "watts" },
		"row static: ratio 0":     func(c *Calibration) { c.Rows[0].Ratio = Of(0) },
		"ratio -1":                func(c *Calibration) { c.Rows[0].Control.Ratio = Of(-1) },
		"row static: -0.001":      func(c *Calibration) { c.Rows[0].Floors[1] = -0.001 },
		"row multi/static: -0.5,": func(c *Calibration) { c.Rows[1].Sigma = Of(-0.5) },
		"probability 1.5":         func(c *Calibration) { c.Rows[0].PositionP = Of(1.5) },
		"false alarms of parity":  func(c *Calibration) { c.Rows[0].FalseAlarms[0].Fail = 2 },
	} {
		c := aCalibration()
		change(c)
		if err := WriteCalibration(&bytes.Buffer{}, c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	for text, want := range map[string]string{
		"{}": `x: schema "", expected "scalbench.calibration/v1"`, "{\n": "no JSON as expected: the file was cut", "": "the file is empty",
	} {
		if _, err := ReadCalibration(strings.NewReader(text), "x"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
