package driver

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/scalws/scalbench/driver/internal/session"
	"github.com/scalws/scalbench/internal/record"
)

// What the servers of a sitting wrote that was killed is kept, each time, and what wrote
// nothing leaves nothing.
func TestCutLogsAreKept(t *testing.T) {
	l := interrupted(t, strings.Replace(ab, "command: [sh, new]", `command: [sh, new], log: {files: [own.txt, "{dir}/sub/access-{port}", /elsewhere.log]}`, 1))
	on, err := record.ReadSession(os.DirFS(l.results), "lab-ab.session")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", t.TempDir())
	work := filepath.Join(os.TempDir(), workPrefix(on.Plan.Session)+"123")
	if err := os.MkdirAll(filepath.Join(work, "new-2", "server", "run", "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"stderr.log": "out of memory\n", "stdout.log": "", "no-log": "x",
		"run/own.txt": "own\n", "run/sub/access-8080": "GET\n", "run/data": "x"} {
		if err := os.WriteFile(filepath.Join(work, "new-2", "server", name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	layout := session.Layout{Results: l.results, Table: "lab-ab"}
	tasks, err := l.order("ab").read(l.files)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := keepCutLogs(layout, tasks[0].suite, on.Plan.Session); err != nil {
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
	var want []string
	for _, pass := range []string{"cut-1", "cut-2", "cut-3"} {
		for _, name := range []string{"run.own.txt", "run.sub.access-8080", "stderr.log"} {
			want = append(want, pass+"/new-2.server."+name)
		}
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("kept, want -, got +:\n%s", diff)
	}
	if text, err := os.ReadFile(kept[2]); err != nil || string(text) != "out of memory\n" {
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
