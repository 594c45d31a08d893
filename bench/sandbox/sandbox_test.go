package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/elastic/go-seccomp-bpf/arch"

	"github.com/scalws/scalbench/internal/leaktest"
)

// roleVariable makes this test binary another program: the sandbox, or one that makes a
// system call and says how it ended.
const roleVariable = "SANDBOX_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(roleVariable) {
	case "sandbox":
		os.Unsetenv(roleVariable)
		main()
		os.Exit(0)
	case "call":
		call(os.Args[1])
		os.Exit(0)
	}
	os.Exit(leaktest.Main(m))
}

// call makes a system call without arguments that are worth anything.
func call(name string) {
	info, err := arch.GetInfo("")
	if err != nil {
		panic(err)
	}
	const nothing = ^uintptr(0) // of no process, no descriptor, no address
	_, _, errno := syscall.Syscall6(uintptr(info.SyscallNames[name]), nothing, nothing, nothing, nothing, nothing, nothing)
	fmt.Println(errno == syscall.EPERM, errno == syscall.ENOSYS)
}

// nobody is an ordinary user that every host has.
const nobody = 65534

// place is a directory that an ordinary user can reach, with this program in it, and a
// directory of that user's own.
func place(t *testing.T) (exe, own string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "sandbox")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	exe, own = filepath.Join(dir, "sandbox"), filepath.Join(dir, "own")
	program, err := os.ReadFile("/proc/self/exe")
	if err := errors.Join(err, os.Chmod(dir, 0o755), os.WriteFile(exe, program, 0o755), os.Mkdir(own, 0o777), os.Chmod(own, 0o777)); err != nil {
		t.Fatal(err)
	}
	return exe, own
}

// sandboxed is a run of the sandbox, as an ordinary user also where root runs the tests.
func sandboxed(exe string, args ...string) *exec.Cmd {
	cmd := exec.Command(exe, args...)
	cmd.Env = append(os.Environ(), roleVariable+"=sandbox")
	cmd.Dir = "/"
	if os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	return cmd
}

// output runs it. A kernel without the means is a reason to skip.
func output(t *testing.T, cmd *exec.Cmd) (stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &err
	runErr := cmd.Run()
	for _, lacks := range []string{"missing kernel Landlock support", "landlock is not supported", "seccomp is not supported"} {
		if strings.Contains(err.String(), lacks) {
			t.Skipf("this kernel cannot sandbox: %s", err.String())
		}
	}
	var exit *exec.ExitError
	if runErr != nil && !errors.As(runErr, &exit) {
		t.Fatal(runErr)
	}
	return out.String(), err.String()
}

// What the program becomes shows the filter, in every thread that it will ever have.
func TestStatus(t *testing.T) {
	exe, own := place(t)
	stdout, stderr := output(t, sandboxed(exe, "--write", own, "--", "grep", "-E", "^(NoNewPrivs|Seccomp|Seccomp_filters):", "/proc/self/status"))
	if want := "NoNewPrivs:\t1\nSeccomp:\t2\nSeccomp_filters:\t1\n"; stdout != want || stderr != "" {
		t.Errorf("%q, %q; want %q", stdout, stderr, want)
	}
}

// Below the fence's directories everything can be done with files, elsewhere nothing that
// changes one, whoever owns it.
func TestFence(t *testing.T) {
	exe, own := place(t)
	outside := filepath.Join(filepath.Dir(exe), "outside")
	if err := errors.Join(os.Mkdir(outside, 0o777), os.Chmod(outside, 0o777), os.WriteFile(outside+"/file", []byte("kept"), 0o666), os.Chmod(outside+"/file", 0o666)); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		script  string
		allowed bool
	}{
		{"echo x >own/a && mkdir own/d && mv own/a own/d/b && : >own/d/b && rm -r own/d", true},
		{"cat outside/file >/dev/null", true},
		{": >outside/new", false},
		{": >outside/file", false}, // O_TRUNC, which needs no right to write
		{"echo x >>outside/file", false},
		{"mkdir outside/d", false},
		{"rm outside/file", false},
		{"mv outside/file own/file", false},
		{"ln -s /x outside/link", false},
	} {
		cmd := sandboxed(exe, "--write", own, "--", "sh", "-ec", "cd "+filepath.Dir(exe)+"; "+test.script)
		_, stderr := output(t, cmd)
		if allowed := cmd.ProcessState.Success(); allowed != test.allowed {
			t.Errorf("%s: allowed %t: %s", test.script, allowed, stderr)
		}
	}
	if text, err := os.ReadFile(outside + "/file"); err != nil || string(text) != "kept" {
		t.Errorf("outside/file %q, %v", text, err)
	}
	// The same without a fence can be done.
	cmd := exec.Command("sh", "-ec", ": >"+outside+"/file")
	if err := cmd.Run(); err != nil {
		t.Error(err)
	}
}

// A refused call ends with the error that was asked for, and others as ever.
func TestFilter(t *testing.T) {
	exe, own := place(t)
	for _, test := range []struct {
		args []string
		call string
		want string // EPERM, ENOSYS
	}{
		{nil, "bpf", "true false"},
		{nil, "io_uring_setup", "true false"},
		{nil, "pidfd_open", "false false"},
		{[]string{"--refuse", "pidfd_open,clone3", "--refuse-with", "ENOSYS"}, "pidfd_open", "false true"},
		{[]string{"--refuse", "pidfd_open", "--refuse", "sched_setattr"}, "sched_setattr", "true false"},
		{[]string{"--refuse", "pidfd_open"}, "sched_setattr", "false false"},
	} {
		args := append(append([]string{"--write", own}, test.args...), "env", roleVariable+"=call", exe, test.call)
		if stdout, stderr := output(t, sandboxed(exe, args...)); stdout != test.want+"\n" {
			t.Errorf("%q: %s: %q, want %q: %s", test.args, test.call, stdout, test.want, stderr)
		}
	}
}

// The reports' accident: as root nothing is applied, and the program runs all the same.
func TestRootIsNotSandboxed(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("this is not root")
	}
	exe, own := place(t)
	cmd := sandboxed(exe, "--write", own, "grep", "-E", "^(NoNewPrivs|Seccomp):", "/proc/self/status")
	cmd.SysProcAttr = nil
	stdout, stderr := output(t, cmd)
	if stdout != "NoNewPrivs:\t0\nSeccomp:\t0\n" || stderr != "sandbox: running as root: the sandbox is not applied\n" {
		t.Errorf("%q, %q", stdout, stderr)
	}
}

// What is wrong is told, all of it, and nothing is executed.
func TestFaults(t *testing.T) {
	exe, own := place(t)
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"--refuse", "pidfd_open,no_such_call", "--refuse-with", "EACCES"}, "sandbox: --refuse-with EACCES: want EPERM or ENOSYS\n  no command\n  --refuse no_such_call: not known here as a system call\n"},
		{[]string{"no-such-program"}, "sandbox: exec: \"no-such-program\": executable file not found in $PATH\n"},
		{[]string{"--wirte", own, "true"}, "sandbox: unknown flag: --wirte\n"},
	} {
		cmd := sandboxed(exe, test.args...)
		_, stderr := output(t, cmd)
		if _, last, _ := strings.Cut("\n"+stderr, "\nsandbox: "); "sandbox: "+last != test.want || cmd.ProcessState.ExitCode() != exitFailed {
			t.Errorf("%q: exit code %d, %q, want %q", test.args, cmd.ProcessState.ExitCode(), stderr, test.want)
		}
	}
	cmd := sandboxed(exe, "--write", own+"/none", "true")
	if _, stderr := output(t, cmd); cmd.ProcessState.ExitCode() != exitFailed || !strings.Contains(stderr, "sandbox: write fence: ") {
		t.Errorf("a directory that is not there: %s", stderr)
	}
	if err := run([]string{"--help"}, io.Discard); err == nil || err.Error() != "pflag: help requested" {
		t.Errorf("help: %v", err)
	}
}
