package perf

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/scalws/scalbench/internal/profile"
)

// Sampler is perf, and how it takes samples here of what CPUs do.
type Sampler struct {
	Path   string
	Stacks bool // with callers, by frame pointers
	Hz     int  // on each CPU
}

// cycles is what is sampled: a CPU's cycles, where it counts them. Where it does not, as on
// many virtual machines, perf takes its clock (cpu-clock) by itself; samples say which.
const cycles = "cycles"

// FindSampler finds perf in PATH, and whether it may sample a list of CPUs, as cpuset.Set
// writes it. The error is an [*Unavailable], or the context's.
func FindSampler(ctx context.Context, cpus string, hz int) (Sampler, error) {
	path, err := exec.LookPath("perf")
	if err != nil {
		return Sampler{}, noPerf()
	}
	first := ""
	for _, stacks := range []bool{true, false} {
		s := Sampler{path, stacks, hz}
		reason, err := s.try(ctx, cpus)
		if err != nil || reason == "" {
			return s, err
		}
		if first == "" {
			first = reason
		}
	}
	return Sampler{}, &Unavailable{"perf cannot sample CPUs: " + first}
}

// try samples for as long as a program that does nothing takes; reason says why that cannot
// be.
func (s Sampler) try(ctx context.Context, cpus string) (reason string, err error) {
	dir, err := os.MkdirTemp("", "scalbench-perf-")
	if err != nil {
		return "", fmt.Errorf("try perf: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	within, cancel := context.WithTimeout(ctx, findMax)
	defer cancel()
	cmd := exec.CommandContext(within, s.Path, s.arguments(cpus, filepath.Join(dir, "perf.data"), "--", "true")...)
	var complaints bytes.Buffer
	cmd.Env, cmd.Stderr, cmd.WaitDelay = environment(), &complaints, time.Second
	err = cmd.Run()
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if err != nil {
		return refusal(complaints.Bytes(), err), nil
	}
	return "", nil
}

// arguments are those of sampling, without what perf would keep of each program in the
// user's home (-B, -N).
func (s Sampler) arguments(cpus, file string, more ...string) []string {
	args := []string{"record", "-B", "-N", "-e", cycles, "-F", strconv.Itoa(s.Hz), "-C", cpus, "-o", file}
	if s.Stacks {
		args = append(args, "-g")
	}
	return append(args, more...)
}

// Recording is perf at taking samples, once it is enabled. One goroutine uses it, and must
// call End or Kill.
type Recording struct {
	*controller
	sampler Sampler
	file    string
}

// Record makes perf ready to sample CPUs into a file, and returns when it is. Nothing is
// sampled yet. The error is an [*Unavailable] with perf's reason when it refuses.
func (s Sampler) Record(ctx context.Context, cpus, file string) (*Recording, error) {
	c, err := control(ctx, s.Path, s.arguments(cpus, file, controlled()...), nil)
	if err != nil {
		return nil, err
	}
	return &Recording{c, s, file}, nil
}

// Enable begins to sample, and returns when perf does.
func (r *Recording) Enable(ctx context.Context) error { return r.tell(ctx, "enable", answerMax) }

// Disable ends sampling, and returns when perf has ended it.
func (r *Recording) Disable(ctx context.Context) error { return r.tell(ctx, "disable", answerMax) }

// scriptMax is how long perf may take to write samples as text: some 30 000 a second.
const scriptMax = 5 * time.Minute

// End ends perf and gives each sample to add. event is what was sampled, "" when no sample
// was taken; note says what perf had to complain of, such as samples that it lost.
func (r *Recording) End(ctx context.Context, add func(profile.Sample)) (event, note string, err error) {
	if err := r.interrupt(); err != nil {
		return "", "", err
	}
	if info, statErr := os.Stat(r.file); statErr != nil || info.Size() == 0 {
		return "", "", errors.New("perf has written no samples: " + refusal(r.complaints.Bytes(), statErr))
	}
	within, cancel := context.WithTimeout(ctx, scriptMax)
	defer cancel()
	// Without inlined functions, which it would ask a program for at each address.
	cmd := exec.CommandContext(within, r.sampler.Path, "script", "--no-inline", "-i", r.file, "-F", "comm,pid,tid,event,ip,sym,dso")
	var complaints bytes.Buffer
	cmd.Env, cmd.Stderr, cmd.WaitDelay = environment(), &complaints, time.Second
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return "", "", fmt.Errorf("read samples: %w", err)
	}
	event, parseErr := parseScript(out, add)
	if parseErr != nil {
		_, _ = io.Copy(io.Discard, out) // so that it ends
	}
	err = cmd.Wait()
	switch {
	case ctx.Err() != nil:
		return "", "", context.Cause(ctx)
	case parseErr != nil:
		return "", "", fmt.Errorf("read samples: %w", parseErr)
	case err != nil:
		return "", "", fmt.Errorf("read samples: %s", refusal(complaints.Bytes(), err))
	}
	return event, lost(append(r.complaints.Bytes(), complaints.Bytes()...)), nil
}

// lost is the line in which perf says that samples are missing; "": it says nothing.
func lost(complaints []byte) string {
	for line := range bytes.Lines(complaints) {
		if bytes.Contains(line, []byte(" lost ")) {
			return string(bytes.TrimSpace(line))
		}
	}
	return ""
}
