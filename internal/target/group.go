package target

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/scalws/scalbench/internal/cpuset"
)

// Command says how one process is started that ends up in [Run], or keeps to
// what Run does: it writes `listening URL` as its first line, and ends with its
// standard input.
type Command struct {
	Name string     // what messages and placeholders call it, such as "upstream"
	Exe  string     // path of the program
	Args []string   // its arguments; {NAME} stands for the URL of an earlier process of its group
	CPUs cpuset.Set // where it may run, from its first instruction
}

// Group is a server and what it needs, as processes in the order they were
// started. nil is an empty group.
type Group []*Process

// StartGroup starts the commands one after the other, each when the one before
// it listens, so that a later one can be told the URLs of the earlier: helpers
// first, the server last. When one does not start, those before it are stopped.
// What they log goes to log, one write at a time.
func StartGroup(ctx context.Context, commands []Command, log io.Writer) (Group, error) {
	if _, isFile := log.(*os.File); !isFile { // a file is theirs, without us between
		log = &lockedWriter{to: log}
	}
	var group Group
	for _, command := range commands {
		command.Args = group.fillIn(command.Args)
		p, err := startCommand(ctx, command, log)
		if err != nil {
			return nil, errors.Join(err, group.Stop())
		}
		group = append(group, p)
	}
	return group, nil
}

// fillIn returns args with the placeholders of the group's processes replaced.
func (g Group) fillIn(args []string) []string {
	var pairs []string
	for _, p := range g {
		pairs = append(pairs, "{"+p.Name+"}", p.URL)
	}
	placeholders := strings.NewReplacer(pairs...)
	filled := make([]string, len(args))
	for i, arg := range args {
		filled[i] = placeholders.Replace(arg)
	}
	return filled
}

// Named returns the process of that name, nil when there is none.
func (g Group) Named(name string) *Process {
	for _, p := range g {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// Stop ends the processes in the reverse order, so that none loses what it
// still asks, and waits for each. It goes on after an error.
func (g Group) Stop() error {
	var errs []error
	for i := len(g) - 1; i >= 0; i-- {
		errs = append(errs, g[i].Stop())
	}
	return errors.Join(errs...)
}

// lockedWriter takes what several processes write.
type lockedWriter struct {
	mu sync.Mutex
	to io.Writer // guarded by mu
}

func (w *lockedWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.to.Write(p)
}
