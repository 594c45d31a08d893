package perf

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// Events are tracepoints, as perf names them.
type Events string

const (
	// ByName counts each system call by its name: a tracepoint each, some 360 of them,
	// and a file descriptor for each of these and each thread.
	ByName Events = "syscalls:sys_enter_*"
	// InAll counts them all in one number, where the kernel has no tracepoint for each or
	// the process may not have as many files.
	InAll Events = "raw_syscalls:sys_enter"
)

// Unavailable says why system calls cannot be counted here, or samples not be taken.
type Unavailable struct {
	Reason string // a phrase on one line
}

// Error is the reason.
func (e *Unavailable) Error() string { return e.Reason }

func noPerf() error {
	return &Unavailable{"this host has no perf (Debian: apt-get install linux-perf)"}
}

// Program is perf, and what it can count here.
type Program struct {
	Path   string
	Events Events
}

// findMax is how long perf may take to try something.
const findMax = 20 * time.Second

// Find finds perf in PATH, and which events it may count: by name, or else in all. The
// error is an [*Unavailable], or the context's.
func Find(ctx context.Context) (Program, error) {
	path, err := exec.LookPath("perf")
	if err != nil {
		return Program{}, noPerf()
	}
	first := ""
	for _, events := range []Events{ByName, InAll} {
		reason, err := try(ctx, Program{path, trialOf(events)})
		if err != nil || reason == "" {
			return Program{path, events}, err
		}
		if first == "" {
			first = reason
		}
	}
	return Program{}, &Unavailable{"perf cannot count system calls: " + first}
}

// trialOf is one event that is permitted when all are. To close hundreds takes seconds.
func trialOf(events Events) Events {
	if events == ByName {
		return "syscalls:sys_enter_read"
	}
	return events
}

// try counts the calls of a program that does nothing; reason says why that cannot be.
func try(ctx context.Context, p Program) (reason string, err error) {
	within, cancel := context.WithTimeout(ctx, findMax)
	defer cancel()
	cmd := exec.CommandContext(within, p.Path, p.arguments("--", "true")...)
	var counts, complaints bytes.Buffer
	cmd.Env, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = environment(), &counts, &complaints, time.Second
	err = cmd.Run()
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if err != nil {
		return refusal(complaints.Bytes(), err), nil
	}
	if _, err := parseStat(counts.Bytes()); err != nil {
		return err.Error(), nil
	}
	return "", nil
}

// arguments are those of counting, with what is counted on standard output and apart
// from what perf has to say.
func (p Program) arguments(more ...string) []string {
	return append([]string{"stat", "-x", separator, "--log-fd", "1", "-e", string(p.Events)}, more...)
}

// environment is ours, with the language of what is parsed.
func environment() []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "LC_") || strings.HasPrefix(v, "LANG") })
	return append(env, "LC_ALL=C")
}

// refusal makes one line of what perf says when it refuses: the error that it names, or
// else its first line, and its first hint; err when it says nothing.
func refusal(complaints []byte, err error) string {
	var first, named, hint string
	wanted := false // "Error:" stood alone on the line before
	for line := range bytes.Lines(complaints) {
		text := strings.TrimSpace(string(line))
		after, isError := strings.CutPrefix(text, "Error:")
		switch {
		case text == "":
		case wanted:
			named, wanted = text, false
		case isError:
			named, wanted = strings.TrimSpace(after), after == ""
		case strings.HasPrefix(text, "Hint:"):
			if hint == "" {
				hint = "; " + strings.TrimSpace(strings.TrimPrefix(text, "Hint:"))
			}
		case first == "":
			first = text
		}
	}
	switch {
	case named != "":
		return named + hint
	case first != "":
		return first + hint
	}
	return fmt.Sprintf("it ended without a word (%v)", err)
}
