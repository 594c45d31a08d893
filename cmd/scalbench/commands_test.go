package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// script is what the commands of one script share.
type script struct {
	tb      testing.TB
	servers map[string]*server
}

type scriptKey struct{}

func scriptOf(ts *testscript.TestScript) *script { return ts.Value(scriptKey{}).(*script) }

// patience is how long a script waits for something to happen.
const patience = 20 * time.Second

// exits CODE PROGRAM ARGS... runs a program and wants its exit code, or one of several
// as in 0,4, where the host decides. Like exec, it takes the input of stdin and leaves the output to stdout and stderr.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARGS...")
	}
	err := ts.Exec(args[1], args[2:]...)
	for n := 0; n < hostRepeats && args[0] == "0" && hostHadNoCPU(ts, err); n++ {
		err = ts.Exec(args[1], args[2:]...)
	}
	wantCode(ts, args[0], err)
}

// hostRepeats is how often a run is tried again that the host spoilt.
const hostRepeats = 4

// hostHadNoCPU reports whether a run is invalid because this host took the
// generator's CPU away: it says so, rightly, and says nothing of the program.
func hostHadNoCPU(ts *testscript.TestScript, err error) bool {
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != exitInvalid {
		return false
	}
	said := ts.ReadFile("stderr")
	return strings.Contains(said, "had no CPU for") || strings.Contains(said, "the generator's own fault")
}

// says CODE ARGS... runs scalbench inside the test, which is much faster than a
// process, for what is answered without a run: questions and wrong usage. The
// directory is not that of the script.
func says(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: says CODE ARGS...")
	}
	code := run(args[1:], streams{in: strings.NewReader(""), out: ts.Stdout(), err: ts.Stderr()})
	if args[0] != strconv.Itoa(code) {
		ts.Fatalf("exit code %d, want %s", code, args[0])
	}
}

func wantCode(ts *testscript.TestScript, want string, err error) {
	code := 0
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		code = exit.ExitCode() // -1: ended by a signal
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if !slices.Contains(strings.Split(want, ","), strconv.Itoa(code)) {
		ts.Fatalf("exit code %d, want %s", code, want)
	}
}

// interrupts CODE HOW WHEN PROGRAM ARGS... runs a program, ends it and wants
// its exit code. HOW is INT, TERM, or EOF for the end of its standard input,
// which is /dev/null otherwise. WHEN is said=TEXT (in its output) or
// NAME=N (the server NAME has read N requests of it).
func interrupts(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 4 {
		ts.Fatalf("usage: interrupts CODE INT|TERM|EOF said=TEXT|NAME=N PROGRAM ARGS...")
	}
	code, how, when, program := args[0], args[1], args[2], args[3:]
	cmd := exec.Command(program[0], program[1:]...)
	cmd.Dir = ts.Getenv("WORK")
	cmd.Env = append(os.Environ(), "TMPDIR="+ts.Getenv("TMPDIR"), "XDG_STATE_HOME="+ts.Getenv("XDG_STATE_HOME"))
	var stdout, stderr output
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	var end func()
	switch how {
	case "INT":
		end = func() { cmd.Process.Signal(syscall.SIGINT) }
	case "TERM":
		end = func() { cmd.Process.Signal(syscall.SIGTERM) }
	case "EOF":
		stdin, err := cmd.StdinPipe()
		ts.Check(err)
		end = func() { stdin.Close() }
	}
	what, value, _ := strings.Cut(when, "=")
	happened := func() bool { return strings.Contains(stdout.String()+stderr.String(), value) }
	if what != "said" {
		n, err := strconv.ParseInt(value, 10, 64)
		ts.Check(err)
		s := scriptOf(ts).servers[what]
		n += s.requests.Load()
		happened = func() bool { return s.requests.Load() >= n }
	}
	ts.Check(cmd.Start())
	kill := time.AfterFunc(patience, func() { cmd.Process.Signal(syscall.SIGQUIT) }) // with a dump of its goroutines
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()

	err := endWhen(happened, end, ended)
	kill.Stop()
	ts.Stdout().Write([]byte(stdout.String()))
	ts.Stderr().Write([]byte(stderr.String()))
	wantCode(ts, code, err)
}

// endWhen polls until something has happened, ends the process once, and
// returns how it ended.
func endWhen(happened func() bool, end func(), ended <-chan error) error {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	asked := false
	for {
		select {
		case err := <-ended:
			return err
		case <-tick.C:
			if !asked && happened() {
				asked = true
				end()
			}
		}
	}
}

// output is written by a process and read meanwhile.
type output struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buffer.Write(b)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buffer.String()
}
