package integration

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/scalws/scalbench/internal/record"
)

// suitesMax is how long all suites may take together: on a quiet host it is some four
// minutes. Where others use the CPUs, what they disturb is measured up to three times, and
// what then does not fit is left out. The rest of `make test-servers` takes two minutes, of
// the ten that it has.
const suitesMax = 6*time.Minute + 30*time.Second

// quickSuites are the suites of real servers, and of the embedded one, as they are measured
// here: the ten scenarios first. One run of each is enough to see that every cell is measured.
func quickSuites() []string { return []string{"nginx", "caddy", "haproxy", "nginx-cache", "target-ab"} }

// Every suite that comes with the program for servers that anyone can install, measured by
// the preset quick and judged: every cell is measured with answers of 2xx alone, or says
// what has to be installed.
func TestSuites(t *testing.T) {
	if os.Getenv(kindsVariable) == "" {
		t.Skip("takes minutes: make test-servers")
	}
	w := newWorkshop(t)
	until := time.Now().Add(suitesMax)
	for _, name := range quickSuites() {
		t.Run(name, func(t *testing.T) {
			w.begin(name)
			w.sweep(t, until)
		})
	}
}

// sweep measures the suite of that name, as far as there is time, and has the gate read it.
func (w *workshop) sweep(t *testing.T, until time.Time) {
	args := []string{"run", w.name, "--preset", "quick", "--runs", "1", "--name", w.name, "--quiet", "--lock", filepath.Join(w.dir, "lock"), "--lock-socket", w.dir}
	if w.name == "nginx" {
		args = append(args, "--param", "php_fpm="+phpFPM())
	}
	c := w.command(args...)
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	began := time.Now()
	if !began.Before(until) {
		t.Skipf("no time is left of %v", suitesMax)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	stop := time.AfterFunc(until.Sub(began), func() { _ = c.Process.Signal(syscall.SIGTERM) }) // it may have ended
	code := exitCode(t, c.Wait())
	stop.Stop()
	w.wantNothingRuns(t)
	switch {
	case code == exitTerminated, code < 0 && time.Now().After(until): // also before it had a handler
		t.Skipf("no time is left after %v for what others disturb: %s", suitesMax, &stdout)
	case code == exitNoVerdict:
		if !strings.Contains(stderr.String(), ": apt-get install ") {
			t.Errorf("nothing says what to install: %s", &stderr)
		}
		t.Skipf("%s", &stderr)
	case code != 0 && code != exitInvalid:
		t.Fatalf("%v: exit code %d\n%s", c, code, &stderr)
	}
	w.wantMeasured(t)
	text, _ := w.command("gate", w.session()).CombinedOutput() // its code is that of the verdict
	if !strings.Contains(string(text), "\nVerdict: ") {
		t.Errorf("the gate says no verdict")
	}
	t.Logf("%s took %v\n%s%s", w.name, time.Since(began).Round(time.Second), &stdout, text)
}

// exitTerminated is how a session ends on SIGTERM, which can go on later.
const exitTerminated = 143

// wantMeasured wants every cell of a session to be valid, but for those that this host
// lacks something for, or had no CPU for.
func (w *workshop) wantMeasured(t *testing.T) {
	t.Helper()
	r, err := record.ReadRound(os.DirFS(w.results()), w.name+"-1")
	if err != nil {
		t.Fatal(err)
	}
	valid := 0
	for _, m := range r.Measurements {
		cell := fmt.Sprintf("run %d, %s, %s: %s: %s", m.Run, m.Variant, m.Scenario, m.State, m.Reason)
		switch m.State {
		case record.Valid:
			valid++
			if m.StatusOther != 0 || m.Errors != 0 || m.Status2xx == 0 || m.IdentityOK != m.IdentityN || m.IdentityN == 0 {
				t.Errorf("%s%+v", cell, m)
			}
		case record.NotRun:
			t.Log(cell)
			if !strings.Contains(m.Reason, ": apt-get install ") {
				t.Errorf("%s: nothing says what to install", cell)
			}
		case record.NotApplicable: // HTTP/3 without HTTP/3
			if w.name != "caddy" || m.Scenario != "h3-static-small" || m.Variant != "tcp" {
				t.Error(cell)
			}
		default:
			if !isHostsFault(m.Reason) {
				t.Error(cell)
			}
			t.Logf("others used the CPUs: %s", cell)
		}
	}
	if valid == 0 {
		t.Error("nothing is valid")
	}
}

// phpFPM is what this host's php-fpm is called: Debian has its version in the name.
func phpFPM() string {
	for _, dir := range filepath.SplitList(os.Getenv("PATH") + ":/usr/sbin") {
		found, _ := filepath.Glob(filepath.Join(dir, "php-fpm*")) // the pattern is right
		if len(found) > 0 {
			return filepath.Base(found[len(found)-1])
		}
	}
	return "php-fpm"
}
