package servers

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A port that somebody else has is told from other failures, which come with
// what the server has said.
func TestStartProcessFails(t *testing.T) {
	for _, test := range []struct {
		name, script string
		taken        bool
		says         string
	}{
		{"port taken", "echo 'bind: Address already in use' >&2; exit 1", true, ""},
		{"port taken, in its own log", "echo 'bind() failed (98: Address already in use)' >error.log; exit 1", true, ""},
		{"bad configuration", "echo 'line 3: what?' >&2; exit 7", false, "exit status 7\nline 3: what?"},
		{"ends well before it listens", "exit 0", false, "has ended"},
	} {
		t.Run(test.name, func(t *testing.T) {
			free, err := FreePorts(1)
			if err != nil {
				t.Fatal(err)
			}
			command := exec.Command("sh", "-c", test.script)
			command.Dir = t.TempDir()
			_, err = StartProcess(command, command.Dir, free...)
			if err == nil || errors.Is(err, ErrPortTaken) != test.taken || !strings.Contains(err.Error(), test.says) {
				t.Errorf("%v, want port taken %v, %q", err, test.taken, test.says)
			}
		})
	}
}

// A server that does not end well is an error, with what it has said; one that
// was ended is not ended again.
func TestProcessFinish(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0") // listens in the place of the script
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	for _, test := range []struct {
		name, script string
		says         []string
	}{
		{"well", "trap 'exit 0' USR1", nil},
		{"not well", "trap 'echo too bad >&2; exit 3' USR1", []string{"exit status 3\n", "too bad\n"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			ready := filepath.Join(dir, "ready")
			if err := syscall.Mkfifo(ready, 0o600); err != nil {
				t.Fatal(err)
			}
			command := exec.Command("sh", "-c", test.script+"; echo >ready; while :; do read x <ready; done")
			command.Dir = dir
			process, err := StartProcess(command, dir, listener.Addr().(*net.TCPAddr).Port)
			if err != nil {
				t.Fatal(err)
			}
			defer process.Stop()
			if _, err := os.ReadFile(ready); err != nil { // the trap is set
				t.Fatal(err)
			}
			err = process.Finish(syscall.SIGUSR1)
			if (err != nil) != (test.says != nil) {
				t.Errorf("%v, want %q", err, test.says)
			}
			for _, text := range test.says {
				if err != nil && !strings.Contains(err.Error(), text) {
					t.Errorf("%v, want %q", err, text)
				}
			}
		})
	}
}
