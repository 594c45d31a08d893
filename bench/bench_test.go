package bench_test

import (
	"bufio"
	"context"
	"io"
	"io/fs"
	"net/http"
	"strings"
	"testing"

	"github.com/scalws/scalbench/bench"
	"github.com/scalws/scalbench/internal/suite"
	"github.com/scalws/scalbench/internal/target"
)

// readSuites parses every embedded suite; one with a fault fails the test.
func readSuites(t *testing.T) map[string]*suite.Suite {
	t.Helper()
	files, err := fs.Glob(bench.Suites, "suites/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("suites %q, %v", files, err)
	}
	suites := make(map[string]*suite.Suite)
	for _, file := range files {
		data, err := bench.Suites.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s, err := suite.Parse(file, data)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		if want := strings.TrimSuffix(strings.TrimPrefix(file, "suites/"), ".yaml"); s.Name != want {
			t.Errorf("%s: suite %q, want the file's name %q", file, s.Name, want)
		}
		suites[s.Name] = s
	}
	return suites
}

func TestSuitesHaveNoFaults(t *testing.T) {
	for _, s := range readSuites(t) {
		for _, sc := range s.Scenarios {
			if sc.About == "" || !strings.HasSuffix(sc.About, ".") {
				t.Errorf("%s/%s: about %q, want one sentence", s.Name, sc.Name, sc.About)
			}
			if sc.Expect.Status == 0 || sc.Expect.Bytes == nil {
				t.Errorf("%s/%s: no expected status and bytes", s.Name, sc.Name)
			}
		}
	}
}

// What the scenarios of the embedded server expect is what it answers.
func TestTargetAnswersAsExpected(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	stdout, stdoutWriter := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- target.Run(ctx, target.Config{}, nil, stdoutWriter) }()
	defer func() {
		http.DefaultClient.CloseIdleConnections()
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	base := strings.TrimPrefix(strings.TrimSpace(line), "listening ")

	for _, s := range readSuites(t) {
		for _, sc := range s.Scenarios {
			if !sc.UsesTarget() {
				continue
			}
			resp, err := http.Get(base + sc.URL)
			if err != nil {
				t.Fatal(err)
			}
			n, err := io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
			if err != nil || resp.StatusCode != sc.Expect.Status || n != *sc.Expect.Bytes {
				t.Errorf("%s/%s: status %d, %d bytes, %v; want %d, %d", s.Name, sc.Name, resp.StatusCode, n, err,
					sc.Expect.Status, *sc.Expect.Bytes)
			}
		}
	}
}
