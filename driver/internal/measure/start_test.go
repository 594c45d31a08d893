package measure

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/scalws/scalbench/internal/serverproc"
	"github.com/scalws/scalbench/internal/suite"
)

func itoa(n int) string { return strconv.Itoa(n) }

func isRunning(pid string) bool {
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	return err == nil && !strings.Contains(string(stat), ") Z ")
}

// invalidStart wants a start to fail for a reason that has a text in it.
func invalidStart(t *testing.T, b *Bench, v suite.Variant, text string) *InvalidError {
	t.Helper()
	r, err := b.StartVariant(t.Context(), v, nil)
	if err == nil {
		stop(t, r)
	}
	var invalid *InvalidError
	if !errors.As(err, &invalid) || !strings.Contains(invalid.Reason, text) || strings.Contains(invalid.Reason, "\n") {
		t.Fatalf("%v, want invalid for %q", err, text)
	}
	return invalid
}

// A program that is not the one that was meant does not become a measurement.
func TestNotTheVariant(t *testing.T) {
	s := parsed(t, plainSuite)
	plain := s.Variants[0]
	forgotExec, twoProcesses, wrongHash, wrongArgv, noFilter, silent, dead := plain, plain, plain, plain, plain, plain, plain

	forgotExec.Name, forgotExec.Command = "forgot-exec", []string{"sh", "-c", self(t) + " target 127.0.0.1:{port}; true"}
	forgotExec.Expect = suite.Identity{Exe: self(t)}
	twoProcesses.Name, twoProcesses.Expect.Processes = "two", 2
	wrongHash.Name, wrongHash.Expect.SHA256 = "hash", strings.Repeat("0", 64)
	wrongArgv.Name, wrongArgv.Expect.Argv = "argv", []string{"scalbench", "target"}
	noFilter.Name, noFilter.Expect.Seccomp = "filter", new(2)
	silent.Name, silent.Ready.URL = "silent", "http://127.0.0.1:{port}/nothing"
	silent.Ready.Timeout = 100e6
	dead.Name, dead.Command = "dead", []string{"sh", "-c", "echo no such luck >&2; exit 3"}

	for v, text := range map[*suite.Variant]string{
		&forgotExec: "the wrapper must exec", &twoProcesses: "has 1 processes", &wrongHash: "expected " + wrongHash.Expect.SHA256,
		&wrongArgv: "was started as", &noFilter: "expected 2", &silent: "not within 100ms", &dead: "no such luck",
	} {
		t.Run(v.Name, func(t *testing.T) {
			v.Expect.Grace = 50e6
			invalid := invalidStart(t, benchOf(t, s), *v, text)
			if another := errors.Is(invalid, ErrAnother); another != (v.Name != "silent" && v.Name != "dead") {
				t.Errorf("it is another: %t, %v", another, invalid)
			}
			if v.Name == "dead" && !slices.ContainsFunc(invalid.Files, func(f File) bool {
				return f.Name == "server.stderr.log" && string(f.Data) == "no such luck\n"
			}) {
				t.Errorf("files %v", invalid.Files)
			}
		})
	}
}

// A program that was replaced since the variant was first started is another one.
func TestReplacedProgram(t *testing.T) {
	exe := filepath.Join(t.TempDir(), "server")
	binary, err := os.ReadFile("/bin/sleep")
	if err != nil {
		t.Skip(err)
	}
	if err := os.WriteFile(exe, binary, 0o755); err != nil {
		t.Fatal(err)
	}
	s := parsed(t, "suite: s\nvariants:\n  - {name: v, command: ["+exe+", \"60\"], expect: {grace: 0s}}\nscenarios:\n  - {name: a, url: \"http://127.0.0.1:1/\"}\n")
	b := benchOf(t, s)
	first := start(t, b, s.Variants[0])
	stop(t, first)
	if err := os.Remove(exe); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(exe, append(binary, "more"...), 0o755); err != nil {
		t.Fatal(err)
	}
	invalidStart(t, b, s.Variants[0], "SHA-256")
}

// Nobody else may listen at a port of the variant: the kernel would share the load out.
func TestPortTaken(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	s := parsed(t, plainSuite)
	v := s.Variants[0]
	v.Ports = []suite.Port{{Name: "http", Number: l.Addr().(*net.TCPAddr).Port}}
	if _, err := benchOf(t, s).StartVariant(t.Context(), v, nil); !errors.Is(err, serverproc.ErrPortTaken) {
		t.Errorf("%v, want %v", err, serverproc.ErrPortTaken)
	}
}

// One that comes later is seen, too.
func TestNeighbour(t *testing.T) {
	s := parsed(t, `suite: shared
variants:
  - {name: shared, command: [scalbench, shared, "127.0.0.1:{port}"], ports: {http: 0}}
scenarios:
  - {name: respond, url: /, connections: 8}
`)
	b := benchOf(t, s)
	r := start(t, b, s.Variants[0])
	validRow(t, b, r, s.Scenarios[0])
	port := r.variant.Ports[0].Number
	stranger := command(t, "shared", "127.0.0.1:"+itoa(port))
	if err := stranger.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = stranger.Process.Kill() // it has not ended by itself
		_ = stranger.Wait()
	}()
	eventually(t, "both listen", func() bool {
		err := serverproc.FreePorts(b.listening(r.variant))
		return err != nil && strings.Contains(err.Error(), "["+itoa(stranger.Process.Pid)+"]")
	})
	wantInvalid(t, b, r, s.Scenarios[0], smoke(t), "is shared with")
}

// A line that tells of a bind failure makes the start invalid; a line that fails by the
// variant's own rules, in the middle, the measurement in which it was written alone.
func TestLogs(t *testing.T) {
	s := parsed(t, plainSuite)
	failing := s.Variants[0]
	failing.Name = "failing"
	failing.Command = []string{"sh", "-c", "echo bind: Address already in use >&2; exec " + self(t) + " target 127.0.0.1:{port}"}
	invalidStart(t, benchOf(t, s), failing, "server.stderr.log:1: bind: Address already in use")

	b := benchOf(t, s)
	v := s.Variants[0]
	v.Log = suite.LogRules{Fail: []string{"^panic"}, Ignore: []string{"^panic: none"}}
	r := start(t, b, v)
	say := func(text string) {
		t.Helper()
		file, err := os.OpenFile(r.instances[0].logs.streams[1].path, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := file.WriteString(text); err != nil {
			t.Fatal(err)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
	}
	say("panic: none\nan error of 12:30:01\npan")
	row, evidence, err := b.Measure(t.Context(), r, s.Scenarios[0], smoke(t))
	if err != nil || strings.Contains(row.Reason, "log") {
		t.Errorf("%v, %s", err, row.Reason)
	}
	if len(evidence.Complaints) != 1 || evidence.Complaints[0].First.Line != 2 {
		t.Errorf("complaints %+v", evidence.Complaints)
	}
	say("ic\n")
	wantInvalid(t, b, r, s.Scenarios[0], smoke(t), "server.stderr.log:1: panic")
	validRow(t, b, r, s.Scenarios[0])
}

// A server has as many files as its scenarios need, or as the variant says.
func TestNofile(t *testing.T) {
	for _, test := range []struct {
		connections      int
		soft, hard, want uint64 // 0: what there is
	}{
		{4, 1024, 1 << 20, 0},
		{4, 256, 1 << 20, 65536},           // 2 x 4 + 512 is more than there is
		{300, 1024, 1 << 20, 65536},        // 2 x 300 + 512 is more than 1024
		{100_000, 1024, 1 << 20, 200_512},  // 2 x 100 000 + 512
		{100_000, 65536, 150_000, 150_000}, // enough for what is no proxy
		{300, 20_000, 20_000, 20_000},      // as far as it goes
	} {
		if got := nofileOf(test.connections, test.soft, test.hard); got != test.want {
			t.Errorf("%d files for %d connections, want %d", got, test.connections, test.want)
		}
	}
	s := parsed(t, plainSuite)
	s.Scenarios[0].Connections = 300
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	if got := nofileFor(s); got != min(65536, limit.Max) {
		t.Errorf("%d files for 300 connections, of at most %d", got, limit.Max)
	}
	s.Scenarios[0].Connections = 4
	b := benchOf(t, s)
	v := s.Variants[0]
	v.Nofile, v.Ports, v.Ready = 700, nil, suite.Ready{} // a program in Go would raise it
	v.Command, v.Expect = []string{"sleep", "60"}, suite.Identity{}
	r := start(t, b, v)
	if !slices.ContainsFunc(r.Facts().Limits.Value, func(l serverproc.Limit) bool { return l.Name == "Max open files" && l.Soft == "700" && l.Hard != "700" }) {
		t.Errorf("limits %+v", r.Facts().Limits)
	}
}
