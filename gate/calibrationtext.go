package gate

import (
	"bytes"
	"fmt"
	"io"
	"math"

	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/units"
)

// WriteCalibration writes a calibration for a terminal: the noise of each scenario, what
// policies make of it, the positive control, and what it is worth.
func WriteCalibration(out io.Writer, c *record.Calibration) error {
	var page bytes.Buffer
	line := func(format string, args ...any) { fmt.Fprintln(&page, oneLine(fmt.Sprintf(format, args...))) }
	grid := func(g Grid) {
		page.WriteByte('\n')
		g.Text(&page) // a buffer takes everything
		page.WriteByte('\n')
	}
	m := c.Method
	line("Calibration of %s on %s: %s against itself, %d x %d runs of %v s + %v s", c.Suite, c.Host.Name, c.Base, m.Rounds, m.Runs, m.WarmupSeconds, m.MeasureSeconds)
	if c.About != "" {
		line("Twin: %s", c.About)
	}
	grid(noiseGrid(c))
	line("Shares of %d gates drawn from these pairs, FAIL / PASS:", c.PseudoGates)
	grid(alarmGrid(c))
	if c.Control != "" {
		line("Positive control: a spin loop takes %s of each of the server's CPUs from the twin, and policy %s has to FAIL it:", percentText(c.BurdenFrac.OrNaN()), c.Policy)
		grid(controlGrid(c))
	}
	for i := range c.Rows {
		r := &c.Rows[i]
		if r.Interfered > 0 {
			line("%s: others used the CPUs during %d of %d measurements, and their noise is in these numbers", cell{r.Mode, r.Scenario}, r.Interfered, 2*c.Method.Rounds*c.Method.Runs)
		}
		if r.Pairs > 0 && r.Pairs < fewPairs {
			line("%s: of %s floor and shares say little", cell{r.Mode, r.Scenario}, plural(r.Pairs, "pair"))
		}
	}
	verdict, sentences := CalibrationVerdict(c)
	for _, sentence := range sentences {
		line("%s", sentence)
	}
	line("Verdict: %s", verdict)
	if _, err := out.Write(page.Bytes()); err != nil {
		return fmt.Errorf("write calibration: %w", err)
	}
	return nil
}

// calibrationGrid has the names of the rows.
func calibrationGrid(c *record.Calibration, cells func(r *record.CalibrationRow) []string, columns ...Column) Grid {
	g := Grid{Columns: append([]Column{{Title: "scenario"}}, columns...)}
	for i := range c.Rows {
		r := &c.Rows[i]
		g.Rows = append(g.Rows, append([]string{cell{r.Mode, r.Scenario}.String()}, cells(r)...))
	}
	return g
}

// noiseGrid is what the variant and its twin show.
func noiseGrid(c *record.Calibration) Grid {
	return calibrationGrid(c, func(r *record.CalibrationRow) []string {
		speeds := "one"
		switch {
		case r.Missing != "":
			speeds = absent
		case r.Speeds.Known() && r.HostSpeeds:
			speeds = "two, of the host"
		case r.Speeds.Known():
			speeds = "two"
		}
		position := absent
		if effect, known := r.Position.Get(); known {
			position = units.SignedPercent(math.Expm1(effect))
		}
		return []string{fmt.Sprint(r.Pairs), ratioText(r.Ratio.OrNaN()), recordedBounds(r.Lo, r.Hi), percentText(r.Sigma.OrNaN()), percentText(r.P99Sigma.OrNaN()),
			position, speeds, lossText(r.Floor.OrNaN()), r.Verdict}
	}, Column{"pairs", true}, Column{"ratio", true}, Column{"bounds", true}, Column{"sigma", true}, Column{"sigma of p99", true},
		Column{"position", true}, Column{"speeds", false}, Column{"noise floor", true}, Column{"gate", false})
}

// lossText writes a distance on the ln scale as the loss that it is, with two decimals:
// 0.42 %.
func lossText(distance float64) string {
	if math.IsNaN(distance) {
		return absent
	}
	return decimals(-100*math.Expm1(-distance), 2) + " %"
}

// alarmGrid is what each policy makes of it.
func alarmGrid(c *record.Calibration) Grid {
	var columns []Column
	for _, policy := range policyWords {
		columns = append(columns, Column{policy, true})
	}
	return calibrationGrid(c, func(r *record.CalibrationRow) []string {
		cells := make([]string, len(policyWords))
		for i, policy := range policyWords {
			cells[i] = absent
			for _, f := range r.FalseAlarms {
				if f.Policy == policy {
					cells[i] = percentText(f.Fail) + " / " + percentText(f.Pass)
				}
			}
		}
		return cells
	}, columns...)
}

// controlGrid is what became of the twin under the burden.
func controlGrid(c *record.Calibration) Grid {
	return calibrationGrid(c, func(r *record.CalibrationRow) []string {
		if r.Control == nil {
			return []string{absent, absent, absent, "not measured"}
		}
		verdict := r.Control.Verdict
		if r.Control.Exempt != "" {
			verdict += ", and need not FAIL: " + r.Control.Exempt
		}
		return []string{percentText(r.Control.Taken.OrNaN()), ratioText(r.Control.Ratio.OrNaN()), recordedBounds(r.Control.Lo, r.Control.Hi), verdict}
	}, Column{"taken", true}, Column{"ratio", true}, Column{"bounds", true}, Column{"gate", false})
}
