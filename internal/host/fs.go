package host

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/internal/procfs"
	"github.com/scalws/scalbench/internal/units"
)

// FS is a host, seen through its files. The zero value is not usable.
type FS struct {
	root string
	proc procfs.FS
	cpus cpuset.FS
}

// NewFS returns the host whose proc, sys and etc directories are in root; "/" is
// this host.
func NewFS(root string) FS {
	root = filepath.Clean(root)
	return FS{root: root, proc: procfs.NewFS(filepath.Join(root, "proc")), cpus: cpuset.NewFS(root)}
}

// text returns a file without the white space around it; false when it is not there
// or cannot be read. It is read in one go, for files of proc and sys are as they are
// at the moment of the read.
func (f FS) text(name string) (string, bool) {
	data, err := os.ReadFile(filepath.Join(f.root, name))
	if err != nil {
		return "", false
	}
	return strings.TrimSpace(string(data)), true
}

// number returns a file that holds a whole number.
func (f FS) number(name string) (int64, bool) {
	text, ok := f.text(name)
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil
}

// exists reports whether there is such a file or directory.
func (f FS) exists(name string) bool {
	_, err := os.Stat(filepath.Join(f.root, name))
	return err == nil
}

// names lists a directory, in order; nil when it is not there.
func (f FS) names(dir string) []string {
	entries, err := os.ReadDir(filepath.Join(f.root, dir))
	if err != nil {
		return nil
	}
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// fact is a file as a fact: its words with single spaces between them, "none" for
// an empty one (of which nohz_full is written as "(null)"), "n/a" for one that cannot
// be read.
func (f FS) fact(name string) string {
	text, ok := f.text(name)
	switch {
	case !ok:
		return units.NotAvailable
	case text == "", text == "(null)":
		return none
	}
	return strings.Join(strings.Fields(text), " ")
}

// none is the fact that there is nothing of a kind.
const none = "none"

// keyed finds the value of a key in lines such as "MemTotal:  123 kB" or
// "pswpin 12", without the separator and the white space around it.
func keyed(text, key, separator string) (string, bool) {
	for line := range strings.Lines(text) {
		k, value, found := strings.Cut(line, separator)
		if found && strings.TrimSpace(k) == key {
			return strings.TrimSpace(value), true
		}
	}
	return "", false
}

// chosen returns the bracketed word of a list of choices, "always [madvise] never",
// or the text as it is when none is.
func chosen(text string) string {
	_, rest, found := strings.Cut(text, "[")
	word, _, closed := strings.Cut(rest, "]")
	if !found || !closed {
		return text
	}
	return word
}
