package bench_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/scalws/scalbench/bench"
	"github.com/scalws/scalbench/driver"
	"github.com/scalws/scalbench/internal/suite"
)

var yamlBlock = regexp.MustCompile("(?ms)^```yaml\n(.*?)^```$")

// The example of docs/SWEEPS.md is a suite: its variant has at most 15 lines, and with a
// base and a configuration beside it it is read without a fault.
func TestSweepsExample(t *testing.T) {
	text, err := os.ReadFile("../docs/SWEEPS.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := yamlBlock.FindAllStringSubmatch(string(text), -1)
	if len(blocks) != 2 {
		t.Fatalf("%d blocks of YAML, want a variant and a suite", len(blocks))
	}
	variant, mine := blocks[0][1], blocks[1][1]
	if lines := strings.Count(variant, "\n"); lines > 15 {
		t.Errorf("the variant has %d lines", lines)
	}
	files := fstest.MapFS{
		"mine.yaml":            {Data: []byte(mine)},
		"variants/new.yaml":    {Data: []byte(variant)},
		"variants/old.yaml":    {Data: []byte(strings.ReplaceAll(variant, "new", "old"))},
		"variants/server.conf": {Data: []byte("listen 8080\n")},
	}
	s, err := suite.Parser{FS: files}.Load("mine.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range s.Variants {
		v.Ports[0].Number = 18080
		started, err := v.Expand(suite.Values{Config: "c"})
		if err != nil {
			t.Fatal(err)
		}
		source, _ := s.Source(v.Config.From)
		if text, err := started.Config.Effective(source); err != nil || string(text) != "listen 18080\n" {
			t.Errorf("%s: configuration %q, %v", v.Name, text, err)
		}
	}
}

// sweepsRow is a row of a table of docs/SWEEPS.md: the suite's name, and what follows.
var sweepsRow = regexp.MustCompile("(?m)^\\| `([a-z0-9-]+)` \\|(.*)\\|$")

// What docs/SWEEPS.md says of suites is what a dry run says: how many measurements, and for
// how long.
func TestSweepsTables(t *testing.T) {
	text, err := os.ReadFile("../docs/SWEEPS.md")
	if err != nil {
		t.Fatal(err)
	}
	programs := hasPrograms(t, "nginx", "scalbench-sandbox", "plain", "unoptimised", "guided")
	rows := sweepsRow.FindAllStringSubmatch(string(text), -1)
	if len(rows) < 15 {
		t.Fatalf("%d rows", len(rows))
	}
	for _, row := range rows {
		name, cells := row[1], strings.Split(row[2], "|")
		var said []string
		var orders []driver.Order
		if of := "suites/reports/" + name + ".yaml"; fileExists(of) {
			said, orders = []string{cells[1] + "," + cells[2]}, []driver.Order{{Suites: []string{of}}}
		} else {
			said = cells[1:3]
			orders = []driver.Order{{Suites: []string{name}, Preset: "quick"}, {Suites: []string{name}, Preset: "release"}}
		}
		for i, order := range orders {
			if name == "build" {
				order.Params = map[string]string{"builds": programs}
			}
			previews, err := driver.Foresee(order, driver.Surroundings{Files: bench.Files})
			if err != nil {
				t.Fatal(err)
			}
			count, takes := saidIn(t, said[i])
			p := previews[0]
			if off := (p.Takes - takes).Abs(); count != len(p.Keys) || off > p.Takes/25 && off > time.Minute/2 {
				t.Errorf("%s: %q, but it is %d measurements for %v", name, said[i], len(p.Keys), p.Takes)
			}
		}
	}
	for _, r := range reportSuites {
		if !strings.Contains(string(text), "`"+r.name+"`") {
			t.Errorf("%s is in no table", r.name)
		}
	}
}

// saidIn reads "132 measurements, 14 min", "660, 7 h 48 min" and "36, 26 min".
func saidIn(t *testing.T, text string) (count int, takes time.Duration) {
	t.Helper()
	number, length, _ := strings.Cut(strings.ReplaceAll(text, "measurements", ""), ",")
	count, err := strconv.Atoi(strings.TrimSpace(number))
	if err == nil {
		takes, err = time.ParseDuration(strings.NewReplacer(" ", "", "min", "m").Replace(length))
	}
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return count, takes
}

func fileExists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// hasPrograms gives this host programs that do nothing, and returns where they are.
func hasPrograms(t *testing.T, names ...string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	return dir
}
