package host

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/internal/mono"
)

// machine is a recorded host in a directory of its own, with a clock whose seconds
// are over at once.
type machine struct {
	t   *testing.T
	dir string
	now mono.Time
	// pass is called for every sleep, before time moves on; it may change files.
	pass func()
}

// machineOf unpacks a host. "cpu{0-3}" in the name of a file stands for a file of
// each of these CPUs.
func machineOf(t *testing.T, name string) *machine {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	m := &machine{t: t, dir: t.TempDir(), now: mono.Time(time.Hour)}
	made := map[string]bool{}
	for _, file := range archive.Files {
		before, rest, ranged := strings.Cut(file.Name, "{")
		if !ranged {
			m.unpack(file.Name, file.Data, made)
			continue
		}
		list, after, _ := strings.Cut(rest, "}")
		for _, cpu := range cpus(t, list).CPUs() {
			m.unpack(fmt.Sprintf("%s%d%s", before, cpu, after), file.Data, made)
		}
	}
	return m
}

// unpack writes a file of an archive, in directories that are made once.
func (m *machine) unpack(name string, data []byte, made map[string]bool) {
	m.t.Helper()
	path := filepath.Join(m.dir, filepath.FromSlash(name))
	if dir := filepath.Dir(path); !made[dir] {
		made[dir] = true
		if err := os.MkdirAll(dir, 0o755); err != nil {
			m.t.Fatal(err)
		}
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) fs() FS { return NewFS(m.dir) }

func (m *machine) clock() Clock {
	return Clock{
		Now: func() mono.Time { return m.now },
		Sleep: func(ctx context.Context, d time.Duration) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			if m.pass != nil {
				m.pass()
			}
			m.now = m.now.Add(d)
			return nil
		},
	}
}

func (m *machine) write(name, text string) {
	m.t.Helper()
	path := filepath.Join(m.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		m.t.Fatal(err)
	}
	// By another name first: a sampler must not see half of a file.
	if err := os.WriteFile(path+".new", []byte(text), 0o644); err != nil {
		m.t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		m.t.Fatal(err)
	}
}

// add writes at the end of a file, which stays the same one.
func (m *machine) add(name, text string) {
	m.t.Helper()
	f, err := os.OpenFile(filepath.Join(m.dir, filepath.FromSlash(name)), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		m.t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) link(to, path string) {
	m.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		m.t.Fatal(err)
	}
	if err := os.Symlink(to, path); err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) read(name string) string {
	m.t.Helper()
	data, err := os.ReadFile(filepath.Join(m.dir, filepath.FromSlash(name)))
	if err != nil {
		m.t.Fatal(err)
	}
	return string(data)
}

func (m *machine) remove(name string) {
	m.t.Helper()
	if err := os.RemoveAll(filepath.Join(m.dir, filepath.FromSlash(name))); err != nil {
		m.t.Fatal(err)
	}
}

// Words of a line of /proc/stat, the CPU's name being word 0, and of /proc/PID/stat
// behind the name of the process, the state being word 0.
const (
	user, idle, softirq, steal  = 1, 4, 7, 8
	userTime, reapedTime, onCPU = 14 - 3, 16 - 3, 39 - 3
)

// work lets CPUs of a list spend ticks of 10 ms, each of them.
func (m *machine) work(list string, field, ticks int) {
	m.t.Helper()
	set := cpus(m.t, list)
	var out strings.Builder
	for line := range strings.Lines(m.read("proc/stat")) {
		var cpu int
		if _, err := fmt.Sscanf(line, "cpu%d ", &cpu); err == nil && set.Contains(cpu) {
			line = added(m.t, line, field, ticks)
		}
		out.WriteString(line)
	}
	m.write("proc/stat", out.String())
}

// run lets a process spend ticks, in its own time or in that of reaped children.
func (m *machine) run(pid, field, ticks int) {
	m.t.Helper()
	name := fmt.Sprintf("proc/%d/stat", pid)
	head, tail, _ := strings.Cut(m.read(name), ") ")
	m.write(name, head+") "+added(m.t, tail, field, ticks))
}

// added adds to a number of a line, whose words count from 0.
func added(t *testing.T, line string, field, n int) string {
	t.Helper()
	words := strings.Fields(line)
	var old int
	if _, err := fmt.Sscan(words[field], &old); err != nil {
		t.Fatal(err)
	}
	words[field] = fmt.Sprint(old + n)
	return strings.Join(words, " ") + "\n"
}

func cpus(t *testing.T, list string) cpuset.Set {
	t.Helper()
	s, err := cpuset.Parse(list)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// check compares values of any type.
func check(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b cpuset.Set) bool { return a == b })); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}
