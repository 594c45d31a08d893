package driver

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scalws/scalbench/internal/record"
)

// What the servers of a sitting wrote that was killed is kept, each time, and what wrote
// nothing leaves nothing.
func TestCutLogsAreKept(t *testing.T) {
	l := interrupted(t, ab)
	on, err := record.ReadSession(os.DirFS(l.results), "lab-ab.session")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", t.TempDir())
	work := filepath.Join(os.TempDir(), workPrefix(on.Plan.Session)+"123")
	if err := os.MkdirAll(filepath.Join(work, "new-2", "server"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"stderr.log": "out of memory\n", "stdout.log": "", "no-log": "x"} {
		if err := os.WriteFile(filepath.Join(work, "new-2", "server", name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if err := keepCutLogs(l.sessionDir(), on.Plan.Session); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := l.resume(t.Context(), Order{}); err != nil {
		t.Fatal(err)
	}
	kept, err := filepath.Glob(filepath.Join(l.sessionDir(), "cut-*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, path := range kept {
		name, err := filepath.Rel(l.sessionDir(), path)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	if got := strings.Join(names, " "); got != "cut-1/new-2.server.stderr.log cut-2/new-2.server.stderr.log cut-3/new-2.server.stderr.log" {
		t.Errorf("kept %s", got)
	}
	if text, err := os.ReadFile(kept[0]); err != nil || string(text) != "out of memory\n" {
		t.Errorf("%q, %v", text, err)
	}
	dir, err := makeWork(on.Plan.Session)
	if err != nil {
		t.Fatal(err)
	}
	if left, err := workDirs(on.Plan.Session); err != nil || len(left) != 1 || left[0] != dir {
		t.Errorf("left %q, %v", left, err)
	}
}
