package measure

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/scalws/scalbench/internal/suite"
)

// Everything works for an ordinary user without capabilities: what looks at processes, once
// more as one.
func TestAsOrdinaryUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("this is one")
	}
	if raceDetector {
		t.Skip("the same goroutines as before, and processes that start slowly")
	}
	uid, gid := nobody(t)
	dir, exe := copySelf(t)
	if err := os.Chown(dir, uid, gid); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "-test.count=1", "-test.run=^Test(Measure|IdentityIsKept|Multi|ParentKilled|Attach|Neighbour|Nginx|Certificate)$")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "TMPDIR="+dir, "HOME="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	out, err := cmd.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("PASS")) {
		t.Errorf("as user %d: %v\n%s", uid, err, out)
	}
}

// As root a variant runs as the user that it wants, who may read its configuration and
// its key and write into its directory, and no more.
func TestAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can")
	}
	uid, _ := nobody(t)
	_, exe := copySelf(t)
	s := parsed(t, `suite: other
variants:
  - name: other
    command: [sh, -ec, 'test ! -w "$2/.." && echo of >"$2/file" && cat "$1" && exec scalbench target "127.0.0.1:$0" "" "$1" "$3"', "{port}", "{cert}", "{dir}", "{key}"]
    user: nobody
    ports: {https: 0}
    ready: {url: "https://127.0.0.1:{port}/respond"}
    expect: {uid: nonroot}
scenarios:
  - {name: respond, url: /respond, http: 2, tls: {}, connections: 4}
`)
	b := benchOf(t, s)
	b.config.Exe = exe // where every user can execute it
	v := s.Variants[0]
	v.Command[2] = strings.Replace(v.Command[2], "scalbench", exe, 1)
	r := start(t, b, v)
	row, _ := validRow(t, b, r, s.Scenarios[0])
	if got := r.Facts().UID; got.Value != uid {
		t.Errorf("user %v, want %d", got, uid)
	}
	if !row.CPUMicros.Known() || !row.RSSKiB.Known() {
		t.Errorf("cpu_us %v, rss %v", row.CPUMicros, row.RSSKiB)
	}
	v.Name, v.Expect = "not-root", suite.Identity{UID: suite.UIDRule{Kind: suite.RootUID}}
	invalidStart(t, b, v, "expected 0")
	// The other way round: a variant that must not be root, and is.
	v.Name, v.User, v.Expect = "as-root", "", suite.Identity{UID: suite.UIDRule{Kind: suite.NonRootUID}}
	v.Command[2] = strings.Replace(v.Command[2], `test ! -w "$2/.." && `, "", 1)
	invalidStart(t, b, v, "expected nonroot")
}

func nobody(t *testing.T) (uid, gid int) {
	t.Helper()
	entry, err := user.Lookup("nobody")
	if err != nil {
		t.Skip(err)
	}
	uid, err = strconv.Atoi(entry.Uid)
	if err != nil {
		t.Fatal(err)
	}
	if gid, err = strconv.Atoi(entry.Gid); err != nil {
		t.Fatal(err)
	}
	return uid, gid
}

// copySelf puts this test binary where every user can execute it.
func copySelf(t *testing.T) (dir, exe string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "measure")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) }) // what is left of it is the host's to clean
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	exe = filepath.Join(dir, "copied.test")
	in, err := os.Open(self(t))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.OpenFile(exe, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	return dir, exe
}
