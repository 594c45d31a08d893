package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"syscall"
	"time"

	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/internal/procfs"
)

// sample is what one peer did in one round.
type sample struct {
	requests            int64
	rps                 float64
	p50, p99            time.Duration // 0: the peer does not tell
	cpuMicrosPerRequest float64       // user and system time of its whole life, by its requests
	peakRSSBytes        int64
	threads             int     // most at a time
	peerBusyFrac        float64 // its CPU time by the elapsed time
	serverBusyFrac      float64 // likewise
	// underLoadFrac is the server's CPU time by the time that the peer says it
	// was measuring. A peer that sorts a million latencies after its last
	// request lowers serverBusyFrac, and not this.
	underLoadFrac float64
	errors        int64 // of its requests
}

// runSlack is how much longer than its load a peer may live: 30 s for oha's end of
// HTTP/3, and 10 s for the others'.
const runSlack = 40 * time.Second

// runner measures peers; it holds what all runs have in common.
type runner struct {
	fs    procfs.FS
	clock mono.Clock
}

// run lets one peer load one server, and reads both.
func (r runner) run(ctx context.Context, p peer, l load, serverPID int) (sample, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(l.seconds)*time.Second+runSlack)
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, p.program(), p.loadArgs(l)...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr

	before, err := r.serverUsage(serverPID)
	if err != nil {
		return sample{}, err
	}
	if err := startPinned(cmd, l.cpu); err != nil {
		return sample{}, err
	}
	watched := r.watch(cmd.Process.Pid)
	waitErr := cmd.Wait()
	after, usageErr := r.serverUsage(serverPID)
	most := watched()
	if waitErr != nil {
		return sample{}, withStderr(waitErr, stderr.Bytes())
	}
	if usageErr != nil {
		return sample{}, usageErr
	}
	reported, err := p.parseReport(l, stdout.Bytes())
	if err != nil {
		return sample{}, err
	}
	return newSample(reported, peerCPU(cmd), most, procfs.Between(before, after))
}

// stderrLines of a failed peer are repeated: the complaint is in the first of
// them, and the stack of a crash would bury the tables.
const stderrLines = 4

// withStderr adds to an exit status what the program said about it.
func withStderr(err error, stderr []byte) error {
	said := bytes.TrimSpace(stderr)
	if len(said) == 0 {
		return err
	}
	if lines := bytes.SplitN(said, []byte("\n"), stderrLines+1); len(lines) > stderrLines {
		said = append(bytes.Join(lines[:stderrLines], []byte("\n")), "\n..."...)
	}
	return fmt.Errorf("%w\n%s", err, said)
}

// newSample divides. The time that the peer lingered is no part of it: neither the
// peer nor the server did anything in it.
func newSample(r report, cpu time.Duration, most peaks, server procfs.Spent) (sample, error) {
	if r.requests <= 0 || r.rps <= 0 {
		return sample{}, errors.New("not one request was completed")
	}
	if len(server.Ended) > 0 {
		return sample{}, fmt.Errorf("server processes %v ended during the run", server.Ended)
	}
	server.Elapsed -= r.lingered
	underLoad := seconds(float64(r.requests) / r.rps)
	return sample{
		requests:            r.requests,
		rps:                 r.rps,
		p50:                 r.p50,
		p99:                 r.p99,
		cpuMicrosPerRequest: float64(cpu) / float64(time.Microsecond) / float64(r.requests),
		peakRSSBytes:        most.rssBytes,
		threads:             most.threads,
		peerBusyFrac:        procfs.Spent{Elapsed: server.Elapsed, CPU: cpu}.Cores(),
		serverBusyFrac:      server.Cores(),
		underLoadFrac:       procfs.Spent{Elapsed: underLoad, CPU: server.CPU}.Cores(),
		errors:              r.errors,
	}, nil
}

// serverUsage reads the server's processes.
func (r runner) serverUsage(pid int) (procfs.Usage, error) {
	tree, err := r.fs.Tree(pid)
	if err != nil {
		return procfs.Usage{}, err
	}
	return r.fs.Usage(r.clock.Now(), tree)
}

// peerCPU is the CPU time the kernel charged a process that was waited for, its
// own waited-for children included (wait4).
func peerCPU(cmd *exec.Cmd) time.Duration {
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
