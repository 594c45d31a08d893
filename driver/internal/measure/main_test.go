package measure

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/scalws/scalbench/internal/burden"
	"github.com/scalws/scalbench/internal/leaktest"
	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/serverproc"
	"github.com/scalws/scalbench/internal/suite"
	"github.com/scalws/scalbench/internal/target"
	"github.com/scalws/scalbench/loadgen"
)

// patience bounds every wait for another process.
const patience = 10 * time.Second

// This test binary stands for the program: it is what a suite calls scalbench.
func TestMain(m *testing.M) {
	os.Setenv("GORACE", "atexit_sleep_ms=0") // for the processes that are started
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-test.") {
		if err := play(os.Args[1], os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(leaktest.Main(m, "os/signal.loop", "os/signal.signal_recv"))
}

// play is one of the program's commands, as far as they are wanted here.
func play(command string, args []string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	switch command {
	case "supervise":
		return serverproc.Supervise(os.Stdin, os.Stdout)
	case "load":
		return load(ctx)
	case "target":
		if len(args) == 0 {
			args = []string{"127.0.0.1:0"}
		}
		c := target.Config{Listen: args[0]}
		if len(args) > 1 {
			c.Upstream = args[1]
		}
		if len(args) > 3 {
			c.Cert, c.Key = args[2], args[3]
		}
		var stdin io.Reader
		if info, err := os.Stdin.Stat(); err == nil && info.Mode()&os.ModeNamedPipe != 0 {
			stdin = os.Stdin // it ends with it
		}
		return target.Run(ctx, c, stdin, os.Stdout)
	case "shared": // ADDR: a server that shares its port
		return serveShared(ctx, args[0])
	case "burden": // --share X
		runtime.GOMAXPROCS(runtime.NumCPU() + 2)
		share, err := strconv.ParseFloat(args[1], 64)
		if err != nil {
			return err
		}
		return burden.Run(ctx, share)
	case "drive": // DIR: measures for a minute
		return drive(args[0])
	}
	return fmt.Errorf("no command %q", command)
}

// load is the generator.
func load(ctx context.Context) error {
	var plan loadgen.Plan
	if err := json.NewDecoder(os.Stdin).Decode(&plan); err != nil {
		return err
	}
	runtime.GOMAXPROCS(max(runtime.GOMAXPROCS(0), plan.CPUs.Count()+2))
	announce := func(t loadgen.Timeline) { _ = json.NewEncoder(os.Stderr).Encode(t) }
	if plan.Slices.On() {
		pairs, err := loadgen.RunPairs(ctx, plan, loadgen.PairObserver{Timeline: announce})
		if err != nil {
			return err
		}
		return json.NewEncoder(os.Stdout).Encode(pairs)
	}
	result, err := loadgen.Run(ctx, plan, loadgen.Observer{Timeline: announce})
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(result)
}

// serveShared answers "ok" until it is told to end.
func serveShared(ctx context.Context, addr string) error {
	shared := net.ListenConfig{Control: func(_, _ string, raw syscall.RawConn) error {
		var err error
		controlErr := raw.Control(func(fd uintptr) { err = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEPORT, 1) })
		return errors.Join(controlErr, err)
	}}
	l, err := shared.Listen(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	server := http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "ok") })}
	context.AfterFunc(ctx, func() { server.Close() })
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// drive starts a variant and measures it for longer than any test waits.
func drive(dir string) error {
	s, err := suite.Parse("drive.yaml", []byte(plainSuite))
	if err != nil {
		return err
	}
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	b, err := NewBench(Config{Session: "driven", Suite: s, Exe: exe, Work: dir, Environ: os.Environ(), Twins: map[string]Twin{"plain": {BurdenFrac: 0.05}}})
	if err != nil {
		return err
	}
	r, err := b.StartVariant(context.Background(), s.Variants[0], nil)
	if err != nil {
		return err
	}
	fmt.Println("started")
	_, _, err = b.Measure(context.Background(), r, s.Scenarios[0], suite.Plan{Measure: time.Minute})
	return err
}

// plainSuite has the embedded target for a variant.
const plainSuite = `suite: plain
variants:
  - name: plain
    command: [scalbench, target, "127.0.0.1:{port}"]
    ports: {http: 0}
    ready: {url: "http://127.0.0.1:{port}/respond", status: 200, body: ok}
    expect: {processes: 1}
    provides: [http]
scenarios:
  - {name: respond, url: /respond, connections: 8, expect: {status: 200, bytes: 2}, needs: [http]}
`

// smoke are the times of the preset.
func smoke(t *testing.T) suite.Plan {
	t.Helper()
	preset, err := suite.FindPreset("smoke")
	if err != nil {
		t.Fatal(err)
	}
	return suite.DefaultPlan().With(preset)
}

func parsed(t *testing.T, text string) *suite.Suite {
	t.Helper()
	s, err := suite.Parse(filepath.Join(t.TempDir(), "suite.yaml"), []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func self(t *testing.T) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return exe
}

// benchOf makes a bench, and looks at the end whether anything of the session still runs.
func benchOf(t *testing.T, s *suite.Suite) *Bench {
	t.Helper()
	return benchOfTwins(t, s, nil)
}

// benchOfTwins is that of variants some of which are twins. Their programs stay as long
// as the bench.
func benchOfTwins(t *testing.T, s *suite.Suite, twins map[string]Twin) *Bench {
	t.Helper()
	work, err := os.MkdirTemp("", "measure")
	if err != nil {
		t.Fatal(err)
	}
	session := filepath.Base(work)
	b, err := NewBench(Config{
		Session: session, Suite: s, Seed: uint64(time.Now().UnixNano()), Exe: self(t), Work: work, Environ: os.Environ(), Twins: twins,
		Say: func(line string) { t.Log(line) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if left := ofSession(t, session); len(left) > 0 {
			t.Errorf("still running: %q", left)
		}
		entries, err := os.ReadDir(work)
		entries = slices.DeleteFunc(entries, func(e os.DirEntry) bool { return strings.HasPrefix(e.Name(), "program-of-") })
		if err != nil || len(entries) > 0 {
			t.Errorf("left in %s: %v, %v", work, entries, err)
		}
		if err := os.RemoveAll(work); err != nil {
			t.Error(err)
		}
	})
	return b
}

// ofSession names the processes that carry a session's token.
func ofSession(t *testing.T, session string) []string {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, file := range files {
		env, err := os.ReadFile(file)
		if err == nil && strings.Contains(string(env)+"\x00", serverproc.SessionVariable+"="+session+"\x00") {
			name, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "comm"))
			found = append(found, filepath.Base(filepath.Dir(file))+" "+strings.TrimSpace(string(name)))
		}
	}
	return found
}

func start(t *testing.T, b *Bench, v suite.Variant, helpers ...suite.Helper) *Running {
	t.Helper()
	r, err := b.StartVariant(t.Context(), v, helpers)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(t, r) })
	return r
}

func stop(t *testing.T, r *Running) {
	t.Helper()
	if _, err := r.Stop(context.Background()); err != nil {
		t.Error(err)
	}
}

// validRow measures and wants a row that a summary takes. That the generator had no CPU, on a
// host that others use, is no fault of what is tested: it tries again, as long as it has
// patience.
func validRow(t *testing.T, b *Bench, r *Running, sc suite.Scenario) (record.Measurement, Evidence) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; {
		row, evidence, err := b.Measure(t.Context(), r, sc, smoke(t))
		if err != nil {
			t.Fatal(err)
		}
		if late := slices.Contains(row.Flags, "late-sends"); late || row.Reason == notOne {
			switch {
			case time.Now().Before(deadline):
				continue
			case late: // the generator says itself that it measured nothing that may be used
				t.Skipf("the generator had no CPU in any measurement of %v: %s", patience, row.Reason)
			}
		}
		if row.State != record.Valid {
			t.Errorf("%s: %s", row.State, row.Reason)
		}
		row.Session, row.Round, row.Run, row.Variant, row.Scenario = "s", 1, 1, r.variant.Name, sc.Name
		if err := record.WriteSummary(io.Discard, []record.Measurement{row}); err != nil {
			t.Error(err)
		}
		return row, evidence
	}
}

// wantInvalid measures and wants a reason that has a text in it.
func wantInvalid(t *testing.T, b *Bench, r *Running, sc suite.Scenario, plan suite.Plan, text string) (record.Measurement, Evidence) {
	t.Helper()
	row, evidence, err := b.Measure(t.Context(), r, sc, plan)
	if err != nil {
		t.Fatal(err)
	}
	if row.State != record.Invalid || !strings.Contains(row.Reason, text) {
		t.Errorf("%s, %q, want invalid for %q", row.State, row.Reason, text)
	}
	return row, evidence
}

// eventually polls until it holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within %s: %s", patience, what)
		}
	}
}

func clock(t *testing.T) mono.Clock {
	t.Helper()
	c, err := mono.NewClock()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// command is this test binary as a child.
func command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(self(t), args...)
	cmd.Stderr = os.Stderr
	return cmd
}
