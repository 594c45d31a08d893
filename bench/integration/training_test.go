package integration

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"debug/elf"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/loadgen"
)

// newerCalls are system calls that the filters of containers refuse when the kernel is
// newer than they are, or that they refuse for good.
var newerCalls = []string{
	"io_uring_setup", "io_uring_enter", "io_uring_register", "pidfd_open", "pidfd_send_signal", "pidfd_getfd", "clone3", "sched_setattr",
	"sched_getattr", "sched_setscheduler", "rseq", "statx", "openat2", "faccessat2", "epoll_pwait2", "close_range", "futex_waitv", "memfd_create",
	"copy_file_range", "membarrier", "userfaultfd", "perf_event_open", "process_vm_readv", "ptrace", "bpf", "setns", "unshare",
	"landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self", "name_to_handle_at", "kcmp",
}

// The program needs no library and no loader.
func TestProgramIsStatic(t *testing.T) {
	file, err := elf.Open(program(t))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, p := range file.Progs {
		if p.Type == elf.PT_INTERP {
			t.Error("it names a loader")
		}
	}
	if libraries, err := file.ImportedLibraries(); err != nil || len(libraries) > 0 {
		t.Errorf("libraries %q, %v", libraries, err)
	}
}

// A load that trains a compiler works in a container that refuses newer system calls,
// whichever error it gives, and what it trains is a whole profile of the server.
func TestTrainingInContainer(t *testing.T) {
	if raceDetector {
		t.Skip("what runs has no race detector")
	}
	wrapper := sandboxWrapper(t)
	profile := filepath.Join(t.TempDir(), "target.pgo")
	url, stop := startProfiled(t, profile)
	for _, refused := range []string{"EPERM", "ENOSYS"} {
		args := []string{"--refuse", strings.Join(newerCalls, ","), "--refuse-with", refused, "--", program(t),
			"load", "--scenario", "respond,static-small,respond-churn", "-n", "10k", "-c", "8", "--attach", url, "--output-format", "json", "--quiet"}
		cmd := asOrdinaryUser(t, wrapper, args...)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		text, err := cmd.Output()
		if code := exitCode(t, err); code != 0 {
			t.Errorf("%s: exit code %d\n%s", refused, code, &stderr)
			continue
		}
		var mix struct {
			Schema string
			Parts  []struct {
				Scenario string
				Result   loadgen.Result
			}
		}
		if err := json.Unmarshal(text, &mix); err != nil || mix.Schema != "scalbench.mix/v1" || len(mix.Parts) != 3 {
			t.Fatalf("%s: %v in %s", refused, err, text)
		}
		for _, part := range mix.Parts {
			if l := part.Result.Ledger; l.OK != 10000 || l.Scheduled != 10000 || part.Result.AllPhases.Sent != 10000 {
				t.Errorf("%s: %s: %+v, %d sent", refused, part.Scenario, l, part.Result.AllPhases.Sent)
			}
		}
	}
	stop()
	file, err := os.Open(profile)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	whole, err := gzip.NewReader(file) // its checksum is at the end
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(whole); err != nil || !bytes.Contains(text, []byte("valyala/fasthttp")) {
		t.Errorf("profile of %d bytes, %v: nothing of its server in it", len(text), err)
	}
}

// startProfiled starts an embedded server that writes a profile of itself when it is
// stopped.
func startProfiled(t *testing.T, profile string) (url string, stop func()) {
	t.Helper()
	cmd := exec.Command(program(t), "target", "--cpu-profile", profile)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait() // it ends with the code of the signal
	}
	t.Cleanup(stop)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(strings.TrimPrefix(line, "listening ")), stop
}

// The suite of builds runs with whatever builds lie in its directory.
func TestBuildSuite(t *testing.T) {
	if raceDetector {
		t.Skip("what runs has no race detector")
	}
	builds, dir := t.TempDir(), t.TempDir()
	for _, name := range []string{"plain", "unoptimised", "guided"} {
		if err := os.Symlink(program(t), filepath.Join(builds, name)); err != nil {
			t.Fatal(err)
		}
	}
	run := exec.Command(program(t), "run", "build", "--param", "builds="+builds, "--preset", "smoke", "--runs", "1", "--only", "proxy", "--name", "build",
		"--results", dir, "--lock", filepath.Join(dir, "lock"), "--lock-socket", fmt.Sprintf("build-%d", os.Getpid()), "--quiet")
	text, err := run.CombinedOutput()
	if code := exitCode(t, err); code != 0 && code != exitInvalid {
		t.Fatalf("exit code %d\n%s", code, text)
	}
	round, err := record.ReadRound(os.DirFS(dir), "build-1")
	if err != nil || len(round.Measurements) != 3 {
		t.Fatalf("%+v, %v\n%s", round, err, text)
	}
	for _, m := range round.Measurements {
		if m.State != record.Valid && !isHostsFault(m.Reason) {
			t.Errorf("%s: %s", m.Variant, m.Reason)
		}
	}
}
