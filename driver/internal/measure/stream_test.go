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
