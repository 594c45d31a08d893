package saved

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestFolder(t *testing.T) {
	for _, tt := range []struct {
		environ []string
		want    string
	}{
		{[]string{"HOME=/home/u"}, "/home/u/.local/state/scalbench/loads"},
		{[]string{"HOME=/home/u", "XDG_STATE_HOME=/s"}, "/s/scalbench/loads"},
		{[]string{"XDG_STATE_HOME=relative", "HOME=/home/u"}, "/home/u/.local/state/scalbench/loads"}, // paths must be absolute
		{[]string{"HOME="}, ""},
		{nil, ""},
	} {
		if got := Folder(tt.environ); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.environ, got, tt.want)
		}
	}
}

// Numbers are counted on, found by what people call them, and the oldest go.
func TestStore(t *testing.T) {
	s := Store{filepath.Join(t.TempDir(), "loads")}
	at := time.Date(2026, 11, 30, 14, 2, 0, 0, time.UTC)
	if _, err := s.Find("last"); !errors.Is(err, ErrNone) {
		t.Errorf("an empty store: %v", err)
	}
	for n := 1; n <= Kept+3; n++ {
		plan := "even"
		if n%2 == 1 {
			plan = "odd"
		}
		got, err := s.Add(at.Add(time.Duration(n)*time.Minute), plan, map[string]int{"n": n})
		if err != nil || got != n {
			t.Fatalf("entry %d: number %d, %v", n, got, err)
		}
	}
	for word, want := range map[string]int{"last": 103, "#103": 103, "4": 4, "#50": 50} { // 100 of 103 are kept: 4 to 103
		if e, err := s.Find(word); err != nil || e.Number != want || !e.At.Equal(at.Add(time.Duration(want)*time.Minute)) {
			t.Errorf("%s: %+v, %v", word, e, err)
		}
	}
	if _, err := s.Find("#3"); !errors.Is(err, ErrNone) || !strings.Contains(err.Error(), "there are #4 to #103") {
		t.Errorf("one that is gone: %v", err)
	}
	if e, err := s.Before(103, "odd"); err != nil || e.Number != 101 || string(e.Result) != `{"n":101}` {
		t.Errorf("before 103: %+v, %v", e, err)
	}
	if _, err := s.Before(5, "odd"); !errors.Is(err, ErrNone) { // 4 is even
		t.Errorf("before 5: %v", err)
	}
	info, err := os.Stat(s.Dir)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("folder: %v, %v", info, err)
	}
	left, err := filepath.Glob(filepath.Join(s.Dir, ".entry-*"))
	if err != nil || len(left) != 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
}

// The zero value keeps nothing.
func TestNoStore(t *testing.T) {
	n, err := Store{}.Add(time.Now(), "p", 1)
	if n != 0 || err != nil {
		t.Errorf("number %d, %v", n, err)
	}
	if _, err := (Store{}).Before(10, "p"); !errors.Is(err, ErrNone) {
		t.Errorf("before: %v", err)
	}
	// Nor does it have the files that lie where it is asked.
	t.Chdir(t.TempDir())
	if _, err := (Store{"."}).Add(time.Now(), "p", 1); err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"1", "#1", "last"} {
		if e, err := (Store{}).Find(word); !errors.Is(err, ErrNone) {
			t.Errorf("%s: %+v, %v", word, e, err)
		}
	}
}

// Programs that save at the same time get numbers of their own.
func TestAddAtOnce(t *testing.T) {
	s := Store{t.TempDir()}
	const n = 20
	var done sync.WaitGroup
	var mu sync.Mutex
	seen := map[int]bool{}
	for range n {
		done.Go(func() {
			number, err := s.Add(time.Now(), "p", "r")
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			seen[number] = true
			mu.Unlock()
		})
	}
	done.Wait()
	if len(seen) != n || !seen[1] || !seen[n] {
		t.Errorf("numbers %v", seen)
	}
}

// Entries that were copied, emptied or given a number that nobody can ask for.
func TestDamaged(t *testing.T) {
	s := Store{t.TempDir()}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(s.Dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("1.json", `{"schema":"scalbench.saved/v1","number":7,"plan":"p","result":1}`)
	write("2.json", `{"schema":"scalbench.saved/v1","number":2,"plan":"p"}`)
	write("3.json", `{"schema":"scalbench.saved/v1","number":3,"plan":"p","result":null}`)
	write("9223372036854775807.json", "{}")
	for word, want := range map[string]string{"1": "it says that it is #7", "2": "no result in it", "3": "no result in it", "last": "#3"} {
		if _, err := s.Find(word); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", word, err, want)
		}
	}
	if _, err := s.Before(4, "p"); !errors.Is(err, ErrNone) {
		t.Errorf("before: %v", err)
	}
	if n, err := s.Add(time.Now(), "p", 1); n != 4 || err != nil { // 2⁶³ − 1 is no number of an entry
		t.Errorf("the next is %d, %v", n, err)
	}
	write("2147483647.json", "{}") // the last that IsReference takes
	if n, err := s.Add(time.Now(), "p", 1); n != 0 || err == nil {
		t.Errorf("after the last: %d, %v", n, err)
	}
}

// What is no entry is not taken for one.
func TestForeignFiles(t *testing.T) {
	s := Store{t.TempDir()}
	for name, text := range map[string]string{"7.json": `{"schema":"other/v1"}`, "8.json": `{`, "07.json": "", "x.json": "", "9.txt": ""} {
		if err := os.WriteFile(filepath.Join(s.Dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for word, want := range map[string]string{"7": `schema "other/v1"`, "8": "8.json", "9": "there are #7 to #8"} {
		if _, err := s.Find(word); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", word, err, want)
		}
	}
	if _, err := s.Before(9, ""); !errors.Is(err, ErrNone) {
		t.Errorf("before: %v", err)
	}
	if n, err := s.Add(time.Now(), "p", 1); n != 9 || err != nil {
		t.Errorf("the next is %d, %v", n, err)
	}
	for word, want := range map[string]bool{"16": true, "#16": true, "last": true, "a.json": false, "#": false, "-1": false, "": false, "99999999999": false} {
		if IsReference(word) != want {
			t.Errorf("%q: %v", word, !want)
		}
	}
}
