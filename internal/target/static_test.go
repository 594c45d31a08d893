package target

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	if err := os.WriteFile(path, []byte("12345"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, path string
		buf        int
		want       string
		fault      string
	}{
		{"fits", path, 5, "12345", ""},
		{"room left", path, 9, "12345", ""},
		{"grown", path, 4, "", "5 bytes, expected 4"},
		{"gone", path + "x", 5, "", "no such file"},
		{"directory", dir, 1 << 20, "", "is a directory"},
	} {
		t.Run(test.name, func(t *testing.T) {
			buf := make([]byte, test.buf)
			n, err := readFile(test.path, buf)
			if string(buf[:n]) != test.want || (err == nil) != (test.fault == "") || !strings.Contains(errorText(err), test.fault) {
				t.Errorf("read %q, %v; want %q, %q", buf[:n], err, test.want, test.fault)
			}
		})
	}
}

// static-1m must reach the socket by sendfile(2), and static-small must not be
// cached: strace sees both from outside.
func TestSystemCalls(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not installed: apt-get install strace")
	}
	trace := filepath.Join(t.TempDir(), "trace")
	if exec.Command(strace, "-o", trace, "true").Run() != nil {
		t.Skip("strace may not trace here: it needs ptrace(2), which this container or user has not")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(strace, "-f", "-o", trace, "-e", "trace=openat,sendfile", self)
	cmd.Env = append(os.Environ(), serveEnv+"=1")
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err == nil {
		base := strings.TrimPrefix(strings.TrimSpace(line), "listening ")
		for range 3 {
			get(t, "GET", base+"/static-small", nil)
		}
		get(t, "GET", base+"/static-1m", nil)
	}
	stdin.Close()
	if waitErr := cmd.Wait(); err != nil || waitErr != nil {
		t.Fatalf("read line: %v; end: %v", err, waitErr)
	}

	text, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	// O_CREAT opens made the file; the others served it, once a request.
	opens := 0
	for l := range strings.Lines(string(text)) {
		if strings.Contains(l, `/static-small", O_RDONLY`) {
			opens++
		}
	}
	if opens != 3 {
		t.Errorf("%d opens of static-small for 3 requests", opens)
	}
	// At least once: a full socket buffer splits it.
	if !strings.Contains(string(text), "sendfile(") {
		t.Errorf("no sendfile in:\n%s", text)
	}
}
