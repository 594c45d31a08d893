package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
)

// sink is the server of sink.c, compiled when it is wanted.
type sink struct{}

const sinkSource = "sink.c"

func (sink) name() string      { return "sink" }
func (sink) program() string   { return "gcc" }
func (sink) install() string   { return "apt-get install gcc libc6-dev" }
func (sink) recipes() []recipe { return nil } // two packages of the host's compiler
func (sink) version() string   { return "sink.c, -O2, " + firstLine("gcc", "--version") }

func (sink) start(ctx context.Context, at site) (*instance, error) {
	binary := filepath.Join(at.scratchDir, "sink")
	source := filepath.Join(at.scratchDir, sinkSource)
	if out, err := exec.CommandContext(ctx, "gcc", "-O2", "-o", binary, source).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("compile %s: %w\n%s", sinkSource, err, out)
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, binary, strconv.Itoa(port), strconv.Itoa(at.cpu))
	cmd.Stderr = os.Stderr
	if err := startPinned(cmd, at.cpu); err != nil {
		return nil, err
	}
	return &instance{cmd: cmd, site: at, baseURL: at.url(port)}, nil
}
