package serverproc

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// Everything works for an ordinary user, too: all tests once more as one.
func TestAsOrdinaryUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("an ordinary user runs all the others already")
	}
	id, err := lookUpIdentity("nobody")
	if err != nil {
		t.Skipf("this host has no user nobody: %v", err)
	}
	dir, exe := copySelf(t)
	if err := os.Chown(dir, id.UID, id.GID); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "-test.count=1", "-test.short")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "TMPDIR="+dir, "HOME="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: credentialOf(id)}
	out, err := cmd.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("PASS")) {
		t.Errorf("as user %d: %v\n%s", id.UID, err, out)
	}
}

// copySelf puts this test binary where every user can execute it.
func copySelf(t *testing.T) (dir, exe string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "serverproc")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	exe = filepath.Join(dir, "copied.test")
	copyFile(t, self(t), exe)
	return dir, exe
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}

// As root a server runs as somebody else, with that one's rights alone.
func TestAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root may start a process as another user")
	}
	id, err := lookUpIdentity("nobody")
	if err != nil {
		t.Skipf("this host has no user nobody: %v", err)
	}
	_, exe := copySelf(t)
	port := freePort(t)
	spec := testSpec(t, roleServe, port.Addr.String())
	spec.Command[0], spec.User, spec.Ports = exe, "nobody", []Port{port}
	s := start(t, spec)
	await(t, s, port)
	seen, err := NewObserver(procDir).Observe(subjectOf(t, s, port))
	if err != nil {
		t.Fatal(err)
	}
	if wrong := Check(Expect{Exe: exe, UID: UIDRule{Kind: UIDNonRoot}, Ports: []Port{port}}, seen); len(wrong) > 0 {
		t.Errorf("violations %v", wrong)
	}
	if wrong := Check(Expect{UID: UIDRule{UIDExactly, id.UID}}, seen); len(wrong) > 0 {
		t.Errorf("violations %v", wrong)
	}
	if got := seen.Server.Security.CapEff; got.Value != "0000000000000000" {
		t.Errorf("capabilities %v, want none", got)
	}
	info, err := os.Stat(spec.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	if owner := info.Sys().(*syscall.Stat_t).Uid; int(owner) != id.UID {
		t.Errorf("its log is of user %d, want %d", owner, id.UID)
	}
	if stopped, err := s.Stop(t.Context(), patience); err != nil || len(stopped.Killed) > 0 {
		t.Errorf("stopped %+v, %v", stopped, err)
	}
}
