package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/scalws/scalbench/driver"
	"github.com/scalws/scalbench/gate"
	"github.com/scalws/scalbench/internal/record"
)

// calibrateOptions is what the flags of `scalbench calibrate` say.
type calibrateOptions struct {
	run       runOptions // of its flags those about the plan and the sitting
	scenarios []string
	base      string
	burden    string
	sameFile  bool
	resume    string
}

func newCalibrate(std streams) *cobra.Command {
	var o calibrateOptions
	cmd := &cobra.Command{
		Use:   "calibrate SUITE",
		Short: "Measure a server against itself, and under a known burden",
		Long: "Measure what the gate says on this host of a server against itself, and of one that is slower for sure.\n\n" +
			"First the base of the suite is measured against its twin: the same variant under a second name, from a copy of\n" +
			"its program at another path. How far apart the two come is the noise of this host; a gate's rows within it say\n" +
			"so, and a margin that the suite leaves open takes it into account. Then the twin is measured again with a spin\n" +
			"loop that takes a share of each of the server's CPUs: the gate has to FAIL it.\n\n" +
			"All of it stays in RESULTS/HOST-SUITE.calibration/N. For 30 days, on this host with this kernel and governor,\n" +
			"scalbench gate finds it for sessions of the suite beside it that measure as long and as often.\n\n" +
			"Exit codes: 0 the control failed and nothing else did, 4 a gate that did not fail the control, or failed a\n" +
			"server against itself, 5 measurements that stay invalid; 6, 7, 130 and 143 as of scalbench run.",
		Example: "  scalbench calibrate gate1.yaml\n" +
			"  scalbench calibrate target-ab --preset quick --scenario respond --burden 10%\n" +
			"  scalbench calibrate --resume results/xeon-gate1.calibration/1",
		Args: func(cmd *cobra.Command, suites []string) error {
			switch {
			case o.resume != "" && len(suites) > 0:
				return usagef("calibrate: --resume goes on with the suite that it began with, got %q", suites)
			case o.resume == "" && len(suites) > 1:
				return usagef("calibrate: one suite, got %d: %q", len(suites), suites)
			case o.resume == "":
				return someSuites(cmd, suites)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, suites []string) error { return o.calibrate(cmd, suites, std) },
	}
	o.register(cmd.Flags())
	return cmd
}

func (o *calibrateOptions) register(f *pflag.FlagSet) {
	o.run.registerPlan(f)
	f.StringSliceVar(&o.scenarios, "scenario", nil, "the same as --only")
	f.StringVar(&o.base, "base", "", "the `variant` that is measured against itself (default the base of the suite's first comparison)")
	f.StringVar(&o.burden, "burden", "20%", "`share` of each of the server's CPUs that the positive control takes; 0 for none")
	f.BoolVar(&o.sameFile, "same-file", false, "run the twin from the same file, for programs that must lie where they lie")
	f.StringVar(&o.resume, "resume", "", "go on with a calibration that was stopped, in its `directory`")
	o.run.sitting.register(f)
}

// calibrate is the story of the command: a session of a variant and its twin, one with a
// burden on the twin, what the two say, an exit code.
func (o *calibrateOptions) calibrate(cmd *cobra.Command, suites []string, std streams) error {
	burdenFrac, err := parseShare(o.burden)
	if err != nil {
		err = usagef("--burden: %w", err)
	}
	o.run.only = append(o.run.only, o.scenarios...)
	order, orderErr := o.run.order(cmd.Flags(), suites, time.Now())
	if err := errors.Join(err, orderErr); err != nil {
		return err
	}
	order.Twin = &driver.Twin{Of: o.base, SameFile: o.sameFile}
	c := &calibration{dir: filepath.Clean(o.resume), burdenFrac: burdenFrac, order: order, around: o.run.sitting.around(std), std: std}
	if c.around.Observer.Say == nil { // --quiet
		c.around.Observer.Say = func(string) {}
	}
	switch {
	case o.resume != "":
		err = c.resumeTwin(cmd.Context())
	case o.run.dryRun:
		return c.foresee()
	default:
		err = c.measureTwin(cmd.Context())
	}
	if err == nil {
		err = c.measureControl(cmd.Context())
	}
	if err != nil {
		return err
	}
	return c.conclude()
}

// calibration is one under way.
type calibration struct {
	dir        string // of its sessions; "" until it has one
	burdenFrac float64
	order      driver.Order
	around     driver.Surroundings
	std        streams
}

// foresee says what both sessions would measure.
func (c *calibration) foresee() error {
	if err := foresee(c.order, c.around, c.std); err != nil {
		return err
	}
	if c.burdenFrac > 0 {
		fmt.Fprintln(c.std.out, "and the same once more, as the positive control")
	}
	return nil
}

func (c *calibration) measureTwin(ctx context.Context) error {
	c.around.Observer.Say("first the base of the suite against its twin, which is itself from another file")
	outcome, err := driver.Run(ctx, c.order, c.around)
	if len(outcome.Sessions) > 0 {
		c.dir = filepath.Dir(outcome.Sessions[0].Files.Session)
	}
	return c.over(ctx, outcome, err)
}

// resumeTwin goes on with the first session, when it is not done.
func (c *calibration) resumeTwin(ctx context.Context) error {
	return c.resumeSession(ctx, driver.CalibrationSessions(c.dir)[0])
}

func (c *calibration) resumeSession(ctx context.Context, dir string) error {
	if status, err := driver.StatusOf(dir); err != nil || status.Done {
		return err
	}
	outcome, err := driver.Resume(ctx, dir, c.order, c.around)
	return c.over(ctx, outcome, err)
}

// measureControl measures the second session, or goes on with it.
func (c *calibration) measureControl(ctx context.Context) error {
	dir := driver.CalibrationSessions(c.dir)[1]
	if _, err := os.Stat(dir); err == nil {
		return c.resumeSession(ctx, dir)
	}
	if c.burdenFrac == 0 {
		return nil
	}
	order, err := driver.Control(c.dir, c.burdenFrac, c.order)
	if err != nil {
		return err
	}
	c.around.Observer.Say("now the positive control: the same with a burden on the twin")
	outcome, err := driver.Run(ctx, order, c.around)
	return c.over(ctx, outcome, err)
}

// over tells what became of a session, and why the next does not begin; nil: it does.
// Measurements that stay invalid are no reason: their rows will say so.
func (c *calibration) over(ctx context.Context, outcome driver.Outcome, err error) error {
	for _, s := range outcome.Sessions {
		printSession(c.std.err, s)
	}
	if receivedSignal(ctx) != nil && c.dir != "" {
		return fmt.Errorf("interrupted: scalbench calibrate --resume %s goes on", c.dir)
	}
	err = outcomeError(ctx, outcome, err)
	if err == nil || errors.Is(err, errInvalidRows) && onlyFrom(err, errInvalidRows) {
		return nil
	}
	if c.dir != "" {
		return hintedError{err, "scalbench calibrate --resume " + c.dir + " goes on"}
	}
	return err
}

// conclude makes the calibration of its sessions, and writes it down unless it is there.
func (c *calibration) conclude() error {
	made, err := readCalibrationSessions(c.dir)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := record.WriteCalibration(&text, made); err != nil {
		return err
	}
	file := filepath.Join(c.dir, record.CalibrationFile)
	if err := record.WriteFile(file, text.Bytes()); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if err := gate.WriteCalibration(c.std.out, made); err != nil {
		return err
	}
	fmt.Fprintf(c.std.out, "Written: %s\n", file)
	if v, sentences := gate.CalibrationVerdict(made); v != gate.Pass {
		return calibrationError{verdictError{v, strings.Join(sentences, "; ")}}
	}
	return nil
}

// readCalibrationSessions makes a calibration of the sessions in its directory.
func readCalibrationSessions(dir string) (*record.Calibration, error) {
	sessions := driver.CalibrationSessions(dir)
	aa, err := evidenceOf(sessions[0])
	if err != nil {
		return nil, err
	}
	var control *gate.Evidence
	burdenFrac := 0.0
	if _, err := os.Stat(sessions[1]); err == nil {
		if control, err = evidenceOf(sessions[1]); err != nil {
			return nil, err
		}
		if burdenFrac, err = driver.BurdenOf(sessions[1]); err != nil {
			return nil, err
		}
	}
	made, err := gate.Calibrate(*aa, control)
	if err != nil {
		return nil, err
	}
	if control != nil {
		made.BurdenFrac = record.Of(burdenFrac)
	}
	variants := aa.Sessions[0].Plan.Variants
	made.About = variants[len(variants)-1].About[driver.AboutTwin]
	return made, nil
}

// evidenceOf reads one session.
func evidenceOf(dir string) (*gate.Evidence, error) {
	found, err := readGateDirs([]string{dir})
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(found, func(r results) bool { return len(r.evidence.Rounds) > 0 })
	if i < 0 {
		return nil, fmt.Errorf("%s: no round", dir)
	}
	return &found[i].evidence, nil
}

// calibrationError is a calibration that did not show what it has to.
type calibrationError struct{ verdictError }

func (e calibrationError) Error() string {
	return fmt.Sprintf("calibration: %s: %s", e.verdict, e.sentence)
}
