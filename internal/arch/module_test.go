package arch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// root is the module's directory, two above this one.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil || !strings.HasPrefix(string(text), "module "+modulePath+"\n") {
		t.Fatalf("%s is not the root of %s: %v", dir, modulePath, err)
	}
	return dir
}

// The rules hold for the module as it is.
func TestModule(t *testing.T) {
	files, err := ReadModule(root(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range Check(files) {
		t.Error(fault)
	}
	// A walk that misses the module would find no fault either.
	for _, want := range []string{"cmd/scalbench/main.go", "loadgen/run.go", "loadgen/internal/h1/conn.go", "internal/cpuset/affinity_other.go", "internal/arch/module_test.go"} {
		if !strings.Contains(strings.Join(paths(files), "\n")+"\n", want+"\n") {
			t.Errorf("%s was not read", want)
		}
	}
}

func paths(files []File) []string {
	var all []string
	for _, f := range files {
		all = append(all, f.Path)
	}
	return all
}

// What the go command leaves out is left out here.
func TestReadModule(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a/a.go": "package a", "a/a_test.go": "package a", "a/b_windows.go": "//go:build ignore\n\npackage a", "a/a.txt": "no Go",
		"a/testdata/x.go": "no Go", "_old/x.go": "no Go", ".git/x.go": "no Go", "a/_x.go": "no Go", "a/.x.go": "no Go",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	files, err := ReadModule(dir)
	if got := strings.Join(paths(files), " "); err != nil || got != "a/a.go a/a_test.go a/b_windows.go" {
		t.Errorf("read %q, %v", got, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a/broken.go"), []byte("package"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadModule(dir); err == nil || !strings.Contains(err.Error(), "a/broken.go") {
		t.Errorf("a file that does not parse: %v", err)
	}
}
