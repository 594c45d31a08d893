package serverproc

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLogScan(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	one := write("one.log", "started 4 workers\n"+
		"2026/11/30 20:52:27 [error] 4121#0: *17 certificate of 10.0.0.1:443 in "+dir+"/x has expired\n"+
		"2026/11/30 20:52:28 [error] 4121#0: *18 certificate of 10.0.0.2:443 in "+dir+"/x has expired\n"+
		"thread panicked\r\n"+
		"bind() to 0.0.0.0:8080 failed (98: Address already in use)")
	two := write("two.log", "error: harmless, bind failed\n"+strings.Repeat("y", 3000)+" fatal\n")
	patterns := LogPatterns{Fail: []string{"panic"}, Ignore: []string{"harmless"}}
	got, err := patterns.Scan([]string{one, one, two, filepath.Join(dir, "none.log")}, Places{dir: "{dir}"})
	if err != nil {
		t.Fatal(err)
	}
	// 5 lines and 2; the first file is read once, though standard output and error are both in it.
	if got.Lines != 7 || got.FailedLines != 2 || len(got.Failures) != 2 || len(got.Complaints) != 2 {
		t.Fatalf("%+v", got)
	}
	if want := one + ":4: thread panicked"; got.Failures[0].String() != want {
		t.Errorf("first failure %q, want %q", got.Failures[0], want)
	}
	if got.Failures[1].Line != 5 || !strings.Contains(got.Failures[1].Text, "bind()") {
		t.Errorf("second failure %v: a taken port fails without a pattern, and without a line feed", got.Failures[1])
	}
	expired := got.Complaints[0]
	if want := "# # [error] ###: *# certificate of # in {dir}/x has expired"; expired.Normal != want || expired.Count != 2 || expired.First.Line != 2 {
		t.Errorf("complaint %+v, want %q twice, first in line 2", expired, want)
	}
	if long := got.Complaints[1]; len(long.First.Text) != lineMaxBytes || long.First.File != two || long.First.Line != 2 {
		t.Errorf("a long line: %d bytes of %s:%d", len(long.First.Text), long.First.File, long.First.Line)
	}
	if err := (LogPatterns{Fail: []string{"("}, Ignore: []string{"["}}).Validate(); err == nil || !strings.Contains(err.Error(), "log: fail") || !strings.Contains(err.Error(), "log: ignore") {
		t.Errorf("got %v", err)
	}
}

// However long a log is, what is kept of it is not.
func TestLogScanKeepsLittle(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	var text strings.Builder
	for i := range 1000 {
		text.WriteString("panic\nerror of " + strings.Repeat("z", i) + "\n")
	}
	if err := os.WriteFile(path, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	got, err := LogPatterns{Fail: []string{"panic"}}.Scan([]string{path}, nil)
	if err != nil || got.FailedLines != 1000 || len(got.Failures) != failuresMax || len(got.Complaints) != complaintsMax {
		t.Errorf("%d failed lines, %d kept, %d complaints, %v", got.FailedLines, len(got.Failures), len(got.Complaints), err)
	}
}

func TestNormal(t *testing.T) {
	n := newNormaliser(Places{"/tmp/a": "{dir}", "/tmp/a/conf": "{config}"})
	tests := []struct{ text, want string }{
		{"2026-11-30T20:52:27.123Z  worker 17 died", "# worker # died"},
		{"read /tmp/a/conf: at 0xc000123abc", "read {config}: at #"},
		{"id 0123456789abcdef0123 and 5d1f8a7e-1c2b-4d3e-8f90-a1b2c3d4e5f6", "id # and #"},
		{"no numbers", "no numbers"},
	}
	for _, test := range tests {
		if got := n.normal(test.text); got != test.want {
			t.Errorf("%q is %q, want %q", test.text, got, test.want)
		}
	}
}
