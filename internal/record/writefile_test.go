package record

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "summary.csv")
	// What a crash left is replaced.
	if err := os.WriteFile(filepath.Join(dir, ".summary.csv.tmp"), []byte("half of something longer"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(name, []byte("first\n")); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(name, []byte("second\n")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a file was written again: %v", err)
	}
	if data, err := os.ReadFile(name); err != nil || string(data) != "first\n" {
		t.Errorf("it has %q, %v", data, err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("the directory has %v, %v", entries, err)
	}
	if err := WriteFile(filepath.Join(dir, "none", "x"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("in a directory that is not there: %v", err)
	}
}
