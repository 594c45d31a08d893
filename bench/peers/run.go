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
	rps                 float64
	cpuMicrosPerRequest float64 // user and system time of its whole life, by its requests
	peakRSSBytes        int64
	peerBusyFrac        float64 // its CPU time by the elapsed time
	serverBusyFrac      float64 // likewise
	errors              int64   // of its requests
}

// runSlack is how much longer than its load a peer may live.
const runSlack = 20 * time.Second

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
	peakRSS := r.watchPeakRSS(cmd.Process.Pid)
	waitErr := cmd.Wait()
	after, usageErr := r.serverUsage(serverPID)
	peakRSSBytes := peakRSS()
	if waitErr != nil {
		return sample{}, fmt.Errorf("%w\n%s", waitErr, stderr.Bytes())
	}
	if usageErr != nil {
		return sample{}, usageErr
	}
	reported, err := p.parseReport(stdout.Bytes())
	if err != nil {
		return sample{}, err
	}
	return newSample(reported, peerCPU(cmd), peakRSSBytes, procfs.Between(before, after))
}

// newSample divides.
func newSample(r report, cpu time.Duration, peakRSSBytes int64, server procfs.Spent) (sample, error) {
	if r.requests <= 0 {
		return sample{}, errors.New("not one request was completed")
	}
	if len(server.Ended) > 0 {
		return sample{}, fmt.Errorf("server processes %v ended during the run", server.Ended)
	}
	return sample{
		rps:                 r.rps,
		cpuMicrosPerRequest: float64(cpu) / float64(time.Microsecond) / float64(r.requests),
		peakRSSBytes:        peakRSSBytes,
		peerBusyFrac:        procfs.Spent{Elapsed: server.Elapsed, CPU: cpu}.Cores(),
		serverBusyFrac:      server.Cores(),
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

// rssInterval is how often the peak is read. It only grows, so the last reading
// before the end counts; what a peer allocates in its last 20 ms is missed.
const rssInterval = 20 * time.Millisecond

// watchPeakRSS reads VmHWM of a process again and again until it ends. The
// returned function waits for that and returns the last value.
//
// ru_maxrss of wait4 would need no watching, and is wrong: it is kept over
// exec, so it is never less than what this program had resident when it
// forked.
func (r runner) watchPeakRSS(pid int) (peak func() int64) {
	result := make(chan int64)
	go func() {
		var last int64
		tick := time.NewTicker(rssInterval)
		defer tick.Stop()
		for range tick.C {
			status, err := r.fs.Status(pid)
			if err != nil || status.PeakRSSBytes == 0 { // ended, or a zombie
				break
			}
			last = status.PeakRSSBytes
		}
		result <- last
	}()
	return func() int64 { return <-result }
}
