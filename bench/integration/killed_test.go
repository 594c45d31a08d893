package integration

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/scalws/scalbench/internal/record"
)

// kills is how often sessions are killed, of which there are so many at least: each is
// let go on to its end when it had its share. momentMax is when the last of these moments
// is, which bounds how long that takes on a host with other work.
const (
	kills         = 50
	leastSessions = 4
	momentMax     = 700 * time.Millisecond
)

// The program itself, killed at 50 random moments and resumed each time: nothing of it
// runs on, no file is half-written, and no measurement that was finished is lost or
// changed; in the end every session is whole.
func TestKilledAtRandomMoments(t *testing.T) {
	if raceDetector {
		t.Skip("what is killed has no race detector")
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	w := newWorkshop(t)
	// What the first line of a sitting took lately, and each one after it: a moment of
	// their sum reaches all that happens before, in and after a measurement.
	first, next := 500*time.Millisecond, 300*time.Millisecond
	killed, sessions := 0, 0
	for done := true; killed < kills || !done; {
		if done {
			sessions++
			w.begin(fmt.Sprint("s", sessions))
		}
		moment := time.Duration(1 + random.Int64N(int64(min(first+next, momentMax))))
		if killed >= sessions*kills/leastSessions {
			moment = 0 // never
		}
		sat := w.sit(t, moment)
		first, next = cmp.Or(sat.first, first), cmp.Or(sat.next, next)
		w.wantNothingRuns(t)
		w.wantNothingLost(t, sat.measured)
		if done = sat.ended; done {
			w.wantWhole(t)
		} else {
			killed++
		}
		if t.Failed() {
			t.Fatalf("after %d kills, the last %v after its sitting began", killed, moment)
		}
	}
	t.Logf("%d kills, %d sessions, %d measurements", killed, sessions, len(w.kept))
}

// workshop is a directory in which the program measures sessions.
type workshop struct {
	dir     string
	program string            // a name of the program that nobody else runs
	fake    string            // the test binary as a server with a fault; "": none is wanted
	name    string            // of the session that is under way
	tmp     string            // $TMPDIR; short, for the names of sockets are
	kept    map[string]string // what was finished, of all sessions: where it is from, its digest
}

func newWorkshop(t *testing.T) *workshop {
	t.Helper()
	w := &workshop{dir: t.TempDir(), kept: map[string]string{}}
	w.program = filepath.Join(w.dir, "scalbench")
	if err := os.Link(program(t), w.program); err != nil {
		t.Skipf("no second name for the program: %v", err)
	}
	var err error
	if w.tmp, err = os.MkdirTemp("", "sb"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		w.wantNothingRuns(t)
		os.RemoveAll(w.tmp)
	})
	return w
}

func (w *workshop) begin(name string) { w.name = name }
func (w *workshop) results() string   { return filepath.Join(w.dir, "results") }
func (w *workshop) session() string   { return filepath.Join(w.results(), w.name+".session") }

// command is the program in the workshop, with a lock of its own.
func (w *workshop) command(args ...string) *exec.Cmd {
	c := exec.Command(w.program, args...)
	c.Dir = w.dir
	c.Env = append(os.Environ(), "TMPDIR="+w.tmp)
	return c
}

// sat is what a sitting has said before its end.
type sat struct {
	measured    []string // measurements, as found names them
	first, next time.Duration
	ended       bool // by itself
}

// measuredLine is what the program says of a measurement.
var measuredLine = regexp.MustCompile(`^\[\d+/\d+\] round (\d+), run (\d+), ([^,]+), ([^,:]+)(?:, attempt (\d+))?:`)

// sit begins the session, or goes on with it, and kills the program at a moment; 0: it
// comes to its end.
func (w *workshop) sit(t *testing.T, moment time.Duration) sat {
	t.Helper()
	args := []string{"run", "target-ab", "--preset", "smoke", "--only", "respond", "--name", w.name}
	if _, err := os.Stat(w.session()); err == nil {
		args = []string{"resume", w.session()}
	}
	c := w.command(append(args, "--lock", filepath.Join(w.dir, "lock"), "--lock-socket", w.dir)...)
	stderr, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	last := time.Now()
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if moment > 0 {
		timer := time.AfterFunc(moment, func() { _ = c.Process.Kill() }) // it may have ended
		defer timer.Stop()
	}
	var s sat
	var text strings.Builder
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		text.WriteString(lines.Text() + "\n")
		m := measuredLine.FindStringSubmatch(lines.Text())
		if m == nil {
			continue
		}
		s.measured = append(s.measured, fmt.Sprintf("%s-%s/run-%s/%s/%s attempt %s", w.name, m[1], m[2], m[3], m[4], cmp.Or(m[5], "1")))
		now := time.Now()
		if len(s.measured) == 1 {
			s.first = now.Sub(last)
		} else {
			s.next = now.Sub(last)
		}
		last = now
	}
	err = c.Wait()
	s.ended = c.ProcessState.Exited()
	if s.ended && c.ProcessState.ExitCode() != exitInvalid && err != nil {
		t.Fatalf("%v: %v\n%s", c, err, &text)
	}
	return s
}

// wantNothingRuns waits until no process of the program is there.
func (w *workshop) wantNothingRuns(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		running := w.running()
		if len(running) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Errorf("after %v there still runs %q", patience, running)
			return
		}
	}
}

// running are the processes of the program, by their command lines.
func (w *workshop) running() (all []string) {
	links, _ := filepath.Glob("/proc/[0-9]*/exe") // the pattern is right
	for _, link := range links {
		if exe, err := os.Readlink(link); err != nil || strings.TrimSuffix(exe, " (deleted)") != w.program {
			continue // another's, or gone
		}
		line, _ := os.ReadFile(filepath.Join(filepath.Dir(link), "cmdline"))
		all = append(all, strings.ReplaceAll(string(line), "\x00", " "))
	}
	return all
}

// wantNothingLost reads every file that is in its place, and wants what was ever seen
// finished, or said to be, to be there unchanged.
func (w *workshop) wantNothingLost(t *testing.T, said []string) {
	t.Helper()
	found := w.found(t)
	for _, name := range said {
		if found[name] == "" {
			t.Errorf("%s was measured, and is not there", name)
		}
	}
	for name, digest := range w.kept {
		if found[name] != digest {
			t.Errorf("%s was finished as %.8s, and is %.8s", name, digest, found[name])
		}
	}
	w.kept = found
}

// attemptMark is in the name of the directory of an attempt that is not the last.
var attemptMark = regexp.MustCompile(`~attempt-\d+$`)

// found are all finished attempts, in their place or beside it, with the digest of their
// files.
func (w *workshop) found(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	rows, err := filepath.Glob(filepath.Join(w.results(), "*", "run-*", "*", "*", "measurement.csv"))
	if err != nil {
		t.Fatal(err)
	}
	wantWholeFiles(t, w.results())
	for _, path := range rows {
		dir := filepath.Dir(path)
		if strings.HasSuffix(dir, ".part") {
			continue // not finished, and says so
		}
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		lines, err := record.ReadSummary(file, path)
		file.Close()
		if err != nil || len(lines) != 1 {
			t.Errorf("%s: %d lines, %v", path, len(lines), err)
			continue
		}
		place, err := filepath.Rel(w.results(), attemptMark.ReplaceAllString(dir, ""))
		if err != nil {
			t.Fatal(err)
		}
		found[fmt.Sprintf("%s attempt %d", filepath.ToSlash(place), lines[0].Attempt)] = digestOf(t, dir)
	}
	return found
}

// digestOf is that of a directory's files.
func digestOf(t *testing.T, dir string) string {
	t.Helper()
	all := sha256.New()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(all, "%q %x\n", e.Name(), sha256.Sum256(text))
	}
	return fmt.Sprintf("%x", all.Sum(nil))
}

// wantWhole reads a session that came to its end as a gate would, and asks the gate.
func (w *workshop) wantWhole(t *testing.T) {
	t.Helper()
	files := os.DirFS(w.results())
	on, err := record.ReadSession(files, w.name+".session")
	if err != nil {
		t.Fatal(err)
	}
	if on.Journal.Torn || len(on.Journal.Of(record.SessionDone)) != 1 {
		t.Errorf("%s: torn %v, done %d times", w.name, on.Journal.Torn, len(on.Journal.Of(record.SessionDone)))
	}
	r, err := record.ReadRound(files, w.name+"-1")
	if err != nil {
		t.Fatal(err)
	}
	// 2 runs of 2 variants; a row without CPU for its generator stays invalid.
	if !r.Finished || len(r.Measurements) != 4 || slices.ContainsFunc(r.Measurements, func(m record.Measurement) bool {
		return m.State != record.Valid && m.State != record.Invalid
	}) {
		t.Errorf("%s: finished %v, %+v", w.name, r.Finished, r.Measurements)
	}
	verdict, err := w.command("gate", w.session()).Output()
	if code := exitCode(t, err); code != exitNoVerdict && code != exitInvalid || !strings.Contains(string(verdict), "\nVerdict: ") {
		t.Errorf("%s: the gate ends with %d and says %s", w.name, code, verdict)
	}
	// Who was killed before it had a session has left the directory for servers, empty.
	left, err := filepath.Glob(filepath.Join(w.tmp, "*", "*"))
	if err != nil || len(left) > 0 {
		t.Errorf("%s: left of it: %v, %v", w.name, left, err)
	}
}

// wantWholeFiles reads all files below a directory, each as what it is, but for those that
// say that they are under way.
func wantWholeFiles(t *testing.T, results string) {
	t.Helper()
	err := filepath.WalkDir(results, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		switch name := d.Name(); {
		case d.IsDir() && (strings.HasSuffix(name, ".part") || strings.HasPrefix(name, ".")):
			return fs.SkipDir
		case d.IsDir() || strings.HasPrefix(name, "."):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := readAs(d.Name(), path, text); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		return nil
	})
	if err != nil && !os.IsNotExist(err) { // killed before there was anything
		t.Error(err)
	}
}
