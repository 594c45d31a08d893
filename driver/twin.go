package driver

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/scalws/scalbench/driver/internal/measure"
	"github.com/scalws/scalbench/driver/internal/session"
	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/serverproc"
	"github.com/scalws/scalbench/internal/suite"
)

// Names of a calibration.
const (
	twinSession    = "aa"      // of the session of a variant against itself
	controlSession = "control" // of the positive control

	twinSuffix     = "-twin" // of variants
	burdenedSuffix = "-burdened"
)

// AboutTwin is the key under which the plan of a session says how a twin differs from
// its variant.
const AboutTwin = "twin"

// twin makes a variant and its twin the only variants of a suite, and their comparison the
// only one. Nothing may differ between the two but what the order wants.
func twin(s *suite.Suite, o Twin) (map[string]measure.Twin, error) {
	base, err := twinOf(s, o.Of)
	if err != nil {
		return nil, err
	}
	made, about := measure.Twin{}, "the same file, as was asked for"
	if !o.SameFile {
		made, about = copyOf(base)
	}
	second := base
	second.Name = base.Name + twinSuffix
	if o.BurdenFrac > 0 {
		made.BurdenFrac, second.Name = o.BurdenFrac, base.Name+burdenedSuffix
		about += "; a spin loop takes " + strconv.FormatFloat(100*o.BurdenFrac, 'g', 4, 64) + " % of each of its CPUs"
	}
	second.About = map[string]string{AboutTwin: about}
	for key, text := range base.About {
		second.About[key] = text
	}
	s.Variants = []suite.Variant{base, second}
	s.Compare = []suite.Comparison{{Base: base.Name, New: second.Name, SameOK: "calibration"}}
	s.Varies = []string{serverproc.DiffersHelpers} // none is listed: then anything might
	for i := range s.Scenarios {
		s.Scenarios[i].Varies = nil
	}
	return map[string]measure.Twin{second.Name: made}, nil
}

// twinOf is the variant of which there will be two.
func twinOf(s *suite.Suite, name string) (suite.Variant, error) {
	if name == "" && len(s.Compare) > 0 {
		name = s.Compare[0].Base
	}
	var names []string
	for _, v := range s.Variants {
		if v.Name == name || name == "" {
			return v, nil
		}
		names = append(names, v.Name)
	}
	return suite.Variant{}, faultf("suite %s: no variant %q; there are %q", s.Name, name, names)
}

// copyOf says of which file a twin can run a copy, and in words what it runs. Behind a
// wrapper that is the program that the variant is expected to be, if the command has its
// path, or if it is expected by a name, which the wrapper then looks up too: what a script
// executes by a path of its own cannot be exchanged. Programs that are not there are told
// when the plan is made.
func copyOf(v suite.Variant) (made measure.Twin, about string) {
	command, err := resolve(v.Command[0])
	if v.Command[0] == ownProgram {
		command, err = os.Executable()
	}
	program := command
	if err == nil && v.Expect.Exe != "" {
		program, err = resolve(v.Expect.Exe)
	}
	if err != nil {
		return made, "the same file: " + err.Error()
	}
	if program != command {
		if !strings.Contains(v.Expect.Exe, "/") {
			made.Name = v.Expect.Exe
		} else if made.Argument = slices.Index(v.Command, v.Expect.Exe); made.Argument < 1 {
			return measure.Twin{}, fmt.Sprintf("the same file: %s starts %s by itself, so that a copy of it would not run", v.Command[0], program)
		}
	}
	if isScript(program) || v.Expect.Exe == "" && serverproc.IsWrapper(v.Command[0]) {
		return measure.Twin{}, fmt.Sprintf("the same file: %s starts another program, and a copy of it would start the same; expect.exe would tell which", v.Command[0])
	}
	made.Program = program
	return made, "a copy of " + program + " at another path"
}

// resolve finds a program as a server's start does, without symbolic links.
func resolve(program string) (string, error) {
	path, err := exec.LookPath(program)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	return path, err
}

// isScript tells whether a program is a text that another program reads.
func isScript(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false // the copy will tell
	}
	defer file.Close()
	head := make([]byte, 2)
	_, err = io.ReadFull(file, head)
	return err == nil && bytes.Equal(head, []byte("#!"))
}

// freshCalibration is the directory of a new calibration: results/xeon-gate1.calibration/1,
// and so on.
func freshCalibration(results string, plan *record.Plan) (string, error) {
	for n := 1; ; n++ {
		dir := filepath.Join(results, plan.Host+"-"+plan.Suite+record.CalibrationDir, strconv.Itoa(n))
		_, err := os.Lstat(dir)
		if os.IsNotExist(err) {
			return dir, nil
		}
		if err != nil {
			return "", err
		}
	}
}

// Control is the order of the positive control of a calibration: what its session aa has
// measured, with a burden on the twin, beside it. Of o it takes what [Resume] takes.
func Control(dir string, burdenFrac float64, o Order) (Order, error) {
	layout, err := layoutOf(CalibrationSessions(dir)[0])
	if err != nil {
		return Order{}, err
	}
	kept, err := twinOrder(layout)
	if err != nil {
		return Order{}, err
	}
	on, _, err := session.Read(layout)
	if err != nil {
		return Order{}, err
	}
	control := kept.sitting(o, layout)
	if err := control.takeRates(layout, on.Plan.Session); err != nil {
		return Order{}, err
	}
	burdened := *kept.Twin
	burdened.BurdenFrac = burdenFrac
	control.Twin, control.Name = &burdened, controlSession
	return control, nil
}

// twinOrder reads the order of a session of a calibration.
func twinOrder(l session.Layout) (Order, error) {
	if _, _, err := session.Read(l); err != nil {
		return Order{}, err
	}
	kept, err := keptOrder(l)
	if err == nil && kept.Twin == nil {
		err = faultf("%s is no session of a calibration", l.SessionDir())
	}
	return kept, err
}

// CalibrationSessions are the directories of the two sessions of a calibration: of the
// variant against its twin, and of the positive control.
func CalibrationSessions(dir string) [2]string {
	return [2]string{filepath.Join(dir, twinSession+".session"), filepath.Join(dir, controlSession+".session")}
}

// BurdenOf is the share of each CPU that the session of a calibration takes from its twin.
func BurdenOf(sessionDir string) (frac float64, err error) {
	layout, err := layoutOf(sessionDir)
	if err != nil {
		return 0, err
	}
	kept, err := twinOrder(layout)
	if err != nil {
		return 0, err
	}
	return kept.Twin.BurdenFrac, nil
}
