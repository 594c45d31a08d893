package driver

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
)

// The shell becomes the server: exec stands before the program alone.
func TestInShell(t *testing.T) {
	for _, test := range []struct{ command, want string }{
		{"./srv -p {port}", "exec ./srv -p {port}"},
		{"  ./srv", "exec ./srv"},
		{"FOO=1 BAR='a b' ./srv", "exec env FOO=1 BAR='a b' ./srv"},
		{"cd x && ./srv", "cd x && exec ./srv"},
		{"cd x && FOO=1 ./srv", "cd x && exec env FOO=1 ./srv"},
		{"ulimit -n 9; ./srv 'a;b' \"c && d\" e\\;f >log 2>&1", "ulimit -n 9; exec ./srv 'a;b' \"c && d\" e\\;f >log 2>&1"},
		{"exec ./srv", "exec ./srv"},
		{"if x; then y; fi; ./srv", "if x; then y; fi; exec ./srv"},
		// What is more than that stays.
		{"while :; do ./srv; done", "while :; do ./srv; done"},
		{"{ ./srv; }", "{ ./srv; }"},
		{"./srv | tee log", "./srv | tee log"},
		{"(cd x; ./srv)", "(cd x; ./srv)"},
		{"./helper & ./srv", "./helper & ./srv"},
		{"./srv \"$(cat \"a;b\")\"", "./srv \"$(cat \"a;b\")\""},
		{"./srv # now; then", "./srv # now; then"},
		{"./srv 'open", "./srv 'open"},
		{"./srv;", "./srv;"},
	} {
		if got := strings.Join(strings.Fields(inShell(test.command)), " "); got != strings.Join(strings.Fields(test.want), " ") {
			t.Errorf("%q: %q, want %q", test.command, got, test.want)
		}
	}
}

// So it is for a shell: the process that it was is the one that the command names.
func TestInShellExecs(t *testing.T) {
	for command, want := range map[string]string{
		`sh -c 'echo $$ $PWD $FOO'`:                          " %s",
		`FOO=1 sh -c 'echo $$ $PWD $FOO'`:                    " %s 1",
		`cd / && FOO=2 sh -c 'echo $$ $PWD $FOO'`:            " / 2",
		`FOO=3; export FOO; cd /; sh -c 'echo $$ $PWD $FOO'`: " / 3",
	} {
		cmd := exec.Command("sh", "-c", inShell(command))
		cmd.Dir = t.TempDir()
		out, err := cmd.Output()
		if err != nil {
			t.Errorf("%s: %v", command, err)
			continue
		}
		if strings.Contains(want, "%s") {
			want = fmt.Sprintf(want, cmd.Dir)
		}
		if got := strings.TrimSpace(string(out)); got != fmt.Sprint(cmd.Process.Pid)+want {
			t.Errorf("%s: %q, want pid %d and %q", command, got, cmd.Process.Pid, want)
		}
	}
}
