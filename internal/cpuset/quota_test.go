package cpuset

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// unpack writes a fixture host of testdata and returns the view of it.
func unpack(t *testing.T, name string) FS {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := txtar.Write(archive, dir); err != nil {
		t.Fatal(err)
	}
	return NewFS(dir)
}

func TestQuota(t *testing.T) {
	tests := []struct {
		host string
		want float64
	}{
		// /a/b/c allows 300000/100000 = 3, its parent 150000/100000 = 1.5, and /a "max".
		{"v2-nested.txtar", 1.5},
		// Mounted at its own group /docker/1f, which allows 50000/100000 = 0.5.
		{"v2-container.txtar", 0.5},
		// The version 1 group /jobs/batch has 250000/100000 = 2.5 and its parent -1; the
		// version 2 hierarchy beside it carries no cpu controller.
		{"v1-hybrid.txtar", 2.5},
		{"unlimited.txtar", 0},
	}
	for _, tt := range tests {
		got, err := unpack(t, tt.host).Quota()
		if err != nil || got != tt.want {
			t.Errorf("%s: Quota() = %v, %v, want %v", tt.host, got, err, tt.want)
		}
	}
	if got, err := NewFS(t.TempDir()).Quota(); err != nil || got != 0 {
		t.Errorf("no files: Quota() = %v, %v, want 0 and no error", got, err)
	}
}

func TestQuotaOfGarbage(t *testing.T) {
	_, err := unpack(t, "garbage.txtar").Quota()
	if err == nil || !strings.Contains(err.Error(), "/sys/fs/cgroup/cpu.max") || !strings.Contains(err.Error(), `"lots"`) {
		t.Errorf("error = %v, want one with the file and the text", err)
	}
}

func TestParseCPUMax(t *testing.T) {
	tests := []struct {
		text string
		want float64
		ok   bool
	}{
		{"max 100000\n", 0, true},
		{"max", 0, true},
		{"", 0, true},
		{"150000 100000\n", 1.5, true},
		{"150000", 0, false},
		{"0 100000", 0, false},
		{"100000 0", 0, false},
		{"-5 100000", 0, false},
	}
	for _, tt := range tests {
		got, err := parseCPUMax(tt.text)
		if got != tt.want || (err == nil) != tt.ok {
			t.Errorf("parseCPUMax(%q) = %v, %v, want %v, ok %v", tt.text, got, err, tt.want, tt.ok)
		}
	}
}

func TestRelativeGroup(t *testing.T) {
	tests := []struct{ root, group, want string }{
		{"/", "/a/b", "/a/b"},
		{"/", "/", "/"},
		{"/docker/1f", "/docker/1f", "/"},
		{"/docker/1f", "/docker/1f/job", "/job"},
		{"/docker/1f", "/docker/1fabc", "/"}, // a sibling with the same beginning
		{"/docker/1f", "/", "/"},             // outside of what is mounted
		{"/", "/../other", "/"},              // outside of the cgroup namespace
	}
	for _, tt := range tests {
		if got := (cgroupMount{root: tt.root}).relative(tt.group); got != tt.want {
			t.Errorf("mount of %s: relative(%s) = %s, want %s", tt.root, tt.group, got, tt.want)
		}
	}
}

func TestHeterogeneous(t *testing.T) {
	tests := []struct {
		host string
		cpus string
		want bool
	}{
		{"capacity.txtar", "0-3", true},   // 1024 and 446
		{"capacity.txtar", "0-1", false},  // 1024 and 1024
		{"frequency.txtar", "0-1", false}, // 6.0 and 5.6 GHz: 5.6 >= 0.9 x 6.0 = 5.4
		{"frequency.txtar", "0-2", true},  // 4.4 GHz < 5.4
		{"frequency.txtar", "2-3", false}, // nothing is known of CPU 3
		{"unlimited.txtar", "0-3", false}, // nothing is known at all
	}
	for _, tt := range tests {
		if got := unpack(t, tt.host).Heterogeneous(mustParse(t, tt.cpus)); got != tt.want {
			t.Errorf("%s: Heterogeneous(%s) = %v, want %v", tt.host, tt.cpus, got, tt.want)
		}
	}
}
