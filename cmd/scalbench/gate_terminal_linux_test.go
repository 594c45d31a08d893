package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// aTerminal opens a pseudo terminal; shown returns what was written to it, and ends it.
func aTerminal(t *testing.T) (terminal *os.File, shown func() string) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no pseudo terminals here: %v", err)
	}
	t.Cleanup(func() { master.Close() })
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Skipf("no pseudo terminals here: unlock: %v", err)
	}
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Skipf("no pseudo terminals here: number: %v", err)
	}
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo terminals here: %v", err)
	}
	text := make(chan string, 1)
	go func() {
		all, _ := io.ReadAll(master) // ends with EIO when nobody has the terminal open
		text <- string(all)
	}()
	return terminal, func() string {
		terminal.Close()
		return <-text
	}
}

// Verdicts have colours on a terminal that understands them, for who wants them, and
// nowhere else.
func TestColourOnATerminal(t *testing.T) {
	s := sessionMade{rounds: 3, runs: 2, noise: 0.003, day: "2026-11-06", preset: "release", kernel: "6.12", differs: "binary", compare: true,
		host: "xeon", suite: "gate1", id: "xeon-gate1-id", rates: map[string]float64{"b/php": 900}, base: filepath.Join(t.TempDir(), "xeon-gate1")}
	if err := s.write(); err != nil {
		t.Fatal(err)
	}
	const pass, fail = "\x1b[32mPASS\x1b[0m", "\x1b[31mFAIL\x1b[0m"
	for _, tt := range []struct {
		name, term, noColour string
		flags                []string
		coloured             bool
	}{
		{"a terminal", "xterm", "", nil, true},
		{"one that is dumb", "dumb", "", nil, false},
		{"of somebody who wants none", "xterm", "1", nil, false},
		{"Markdown on a terminal", "xterm", "", []string{"--format", "md"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("TERM", tt.term)
			t.Setenv("NO_COLOR", tt.noColour)
			terminal, shown := aTerminal(t)
			root := newRoot(streams{out: terminal, err: io.Discard})
			root.SetArgs(append([]string{"gate", s.base + ".session"}, tt.flags...))
			err := root.Execute()
			text := shown()
			if exitCode(err, nil) != exitBroken || !strings.Contains(text, "PASS") || !strings.Contains(text, "FAIL") {
				t.Fatalf("%v\n%s", err, text)
			}
			if have := strings.Contains(text, pass) && strings.Contains(text, fail); have != tt.coloured || have != strings.Contains(text, "\x1b") {
				t.Errorf("coloured %v, want %v:\n%q", have, tt.coloured, text)
			}
		})
	}
}
