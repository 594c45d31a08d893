package measure

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/internal/suite"
)

func clockAt(ns int64) mono.Time { return mono.Time(ns) }

// A log is told of in parts that end with a line.
func TestNextEntries(t *testing.T) {
	dir := t.TempDir()
	l := newLogs("server", processDir{path: dir}, suite.LogRules{Fail: []string{"bad"}}, nil)
	write := func(text string) {
		t.Helper()
		for _, s := range l.streams {
			file, err := os.OpenFile(s.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := file.WriteString(text); err != nil {
				t.Fatal(err)
			}
			if err := file.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, step := range []struct {
		write string
		rest  bool
		want  string // of each stream
		lines int    // of both
		fails int
	}{
		{"", false, "", 0, 0},
		{"one\ntwo", false, "one\n", 2, 0},
		{"", false, "", 0, 0},
		{" is bad\nthree", false, "two is bad\n", 2, 2},
		{"", true, "three", 2, 0},
	} {
		write(step.write)
		part, err := l.next(step.rest)
		if err != nil {
			t.Fatal(err)
		}
		if part.report.Lines != step.lines || part.report.FailedLines != step.fails {
			t.Errorf("%q: %d lines, %d fail, want %d and %d", step.write, part.report.Lines, part.report.FailedLines, step.lines, step.fails)
		}
		if (part.failure() != "") != (step.fails > 0) {
			t.Errorf("failure %q", part.failure())
		}
		for _, f := range part.files {
			if string(f.Data) != step.want {
				t.Errorf("%s: %q, want %q", f.Name, f.Data, step.want)
			}
		}
		if (step.want == "") != (len(part.files) == 0) {
			t.Errorf("%q: %d files", step.want, len(part.files))
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "server.*")); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// The end of the last line is found beyond one block of 64 KiB.
func TestLineEnd(t *testing.T) {
	long := strings.Repeat("x", 100<<10)
	for _, test := range []struct {
		text       string
		from, want int64
	}{
		{"", 0, 0}, {"a", 0, 0}, {"a\n", 0, 2}, {"a\nb", 0, 2}, {"a\nb", 2, 2}, {"a\n" + long, 0, 2}, {long + "\n", 0, 100<<10 + 1}, {"a\n" + long, 1, 2},
	} {
		got, err := lineEnd(bytes.NewReader([]byte(test.text)), test.from, int64(len(test.text)))
		if err != nil || got != test.want {
			t.Errorf("%.10q from %d: %d, %v, want %d", test.text, test.from, got, err, test.want)
		}
	}
}

// Of a long log the middle is left out, and it says how much.
func TestExcerpt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	text := strings.Repeat("a", excerptMax) + "middle" + strings.Repeat("b", excerptMax-1) + "\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := stream{path: path}
	got, err := s.copyNext(path+".part", false)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Repeat("a", excerptMax) + "\n[... 6 bytes left out ...]\n" + strings.Repeat("b", excerptMax-1) + "\n"
	if string(got) != want {
		t.Errorf("%d bytes, want %d", len(got), len(want))
	}
	if whole, err := os.ReadFile(path + ".part"); err != nil || string(whole) != text {
		t.Errorf("the part to scan has %d bytes, %v, want %d", len(whole), err, len(text))
	}
}

// The line with the timeline is found wherever the stream is cut, and is no complaint.
func TestAnnouncement(t *testing.T) {
	const line = `{"start_ns":1,"from_ns":2,"to_ns":3,"drain_to_ns":4}`
	text := "first\n" + line + "\n" + line + "\nlast"
	for cut := range len(text) {
		a := newAnnouncement()
		for _, part := range []string{text[:cut], text[cut:]} {
			if n, err := a.Write([]byte(part)); n != len(part) || err != nil {
				t.Fatalf("%d, %v", n, err)
			}
		}
		if got := <-a.timeline; got.Start != 1 || got.From != 2 || got.To != 3 || got.DrainTo != 4 {
			t.Errorf("cut at %d: %+v", cut, got)
		}
		if got := string(a.complaints()); got != "first\nlast" {
			t.Errorf("cut at %d: complaints %q", cut, got)
		}
	}
}

// A generator that complains for ever does not fill the memory.
func TestComplaintsAreBounded(t *testing.T) {
	a := newAnnouncement()
	for range othersMax {
		if _, err := a.Write([]byte("again\n")); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := a.Write(bytes.Repeat([]byte("x"), 2*othersMax)); err != nil {
		t.Fatal(err)
	}
	if got := len(a.complaints()); got > othersMax+lineMax {
		t.Errorf("%d bytes", got)
	}
}

// Files that a process writes itself are kept and looked at, from wherever they begin
// anew; one that is not there is empty.
func TestLogFiles(t *testing.T) {
	dir := t.TempDir()
	d := processDir{path: dir, run: filepath.Join(dir, "run")}
	if err := os.MkdirAll(filepath.Join(d.run, "logs"), 0o755); err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(d.run, "logs", "error.log")
	before := filepath.Join(dir, "before.log")
	if err := os.WriteFile(before, []byte("bad, and of another process\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	l := newLogs("server", d, suite.LogRules{Files: []string{before, "logs/error.log", filepath.Join(dir, "elsewhere", "error.log"), "stderr.log"}, Fail: []string{"bad"}}, nil)
	var names []string
	for _, s := range l.streams {
		names = append(names, s.name)
	}
	if got := strings.Join(names, " "); got != "server.stdout.log server.stderr.log server.before.log server.error.log server.error.log-2 server.stderr.log-2" {
		t.Errorf("names %s", got)
	}
	for _, step := range []struct {
		text    string
		appends bool
		want    string // that is kept
		failed  int
	}{
		{"", false, "", 0},
		{"one\nbad\ncut", false, "one\nbad\n", 1},
		{" here\nbad\n", true, "cut here\nbad\n", 1},
		{"anew\n", false, "anew\n", 0},
	} {
		if step.text != "" {
			flags := os.O_CREATE | os.O_WRONLY | os.O_TRUNC
			if step.appends {
				flags = os.O_WRONLY | os.O_APPEND
			}
			file, err := os.OpenFile(own, flags, 0o644)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := file.WriteString(step.text); err != nil {
				t.Fatal(err)
			}
			file.Close()
		}
		part, err := l.next(false)
		if err != nil || part.report.FailedLines != step.failed {
			t.Fatalf("%q: %+v, %v", step.text, part.report, err)
		}
		kept := ""
		for _, f := range part.files {
			kept += string(f.Data)
		}
		if kept != step.want {
			t.Errorf("%q: kept %q, want %q", step.text, kept, step.want)
		}
	}
}
