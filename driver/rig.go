package driver

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/scalws/scalbench/driver/internal/measure"
	"github.com/scalws/scalbench/driver/internal/session"
	"github.com/scalws/scalbench/internal/host"
	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/internal/perf"
	"github.com/scalws/scalbench/internal/serverproc"
)

// rig is what a session touches of the world beside its files: clocks, the host, the
// processes. Tests have one of their own, in which nothing takes time.
type rig struct {
	now    session.Now
	pause  func(context.Context, time.Duration) error // or the context's cause
	random io.Reader
	boot   session.Boot
	owner  session.Owner
	place  session.Place // of the lock

	// coverage says what the lock does not cover; "": the whole host is.
	coverage string

	facts     func() host.Facts
	tools     func(ctx context.Context, names []string) map[string]string // versions, as facts of the moment
	examine   func(context.Context, host.Need) ([]host.Finding, error)
	waitQuiet func(context.Context, host.Condition, func(line string)) (host.Wait, error)
	orphans   func(session string) ([]serverproc.Orphan, error)
	reap      func([]serverproc.Orphan) error
	measurer  func(c measure.Config, url string) (measurer, error)
	// perf is what counts system calls, and is given up when no more are counted.
	perf func(context.Context) (program perf.Program, release func() error, err error)
	// sampler is what samples CPUs.
	sampler func(ctx context.Context, cpus string, hz int) (perf.Sampler, error)
}

// hostRoot is where this host's files are.
const hostRoot = "/"

// hostRig is that of this host.
func (around Surroundings) hostRig(o Order) (*rig, error) {
	clock, err := mono.NewClock()
	if err != nil {
		return nil, fmt.Errorf("read the clock: %w", err)
	}
	proc := filepath.Join(hostRoot, "proc")
	place, err := placeOf(o.LockPath, o.LockSocket, around.Environ)
	if err != nil {
		return nil, err
	}
	owner, err := session.Self(proc, o.Command)
	if err != nil {
		return nil, err
	}
	boot, err := session.ReadBoot(proc)
	if err != nil {
		return nil, err
	}
	files, hostClock := host.NewFS(hostRoot), host.NewClock(clock)
	return &rig{
		now: session.ClockNow(clock), pause: hostClock.Sleep, random: rand.Reader, boot: boot, owner: owner,
		place: place, coverage: session.Coverage(hostRoot, place.Path),
		facts: files.Facts,
		tools: func(ctx context.Context, names []string) map[string]string { return host.ToolVersions(ctx, names...) },
		examine: func(ctx context.Context, need host.Need) ([]host.Finding, error) {
			return files.Examine(ctx, need, hostClock)
		},
		waitQuiet: func(ctx context.Context, c host.Condition, say func(string)) (host.Wait, error) {
			return files.WaitQuiet(ctx, c, hostClock, say)
		},
		orphans: serverproc.Orphans, reap: serverproc.Reap,
		measurer: newMeasurer, perf: keepPerf, sampler: perf.FindSampler,
	}, nil
}

// keepPerf finds perf and keeps its events open.
func keepPerf(ctx context.Context) (perf.Program, func() error, error) {
	program, err := perf.Find(ctx)
	if err != nil {
		return program, nil, err
	}
	keeper, err := program.Keep(ctx)
	if err != nil {
		return program, nil, err
	}
	return program, keeper.Release, nil
}

// placeOf is where the lock is: where an order wants it, or where the host has it.
func placeOf(path, socket string, environ []string) (session.Place, error) {
	var err error
	if path == "" {
		runtimeDir := ""
		for _, variable := range environ {
			if dir, is := strings.CutPrefix(variable, "XDG_RUNTIME_DIR="); is {
				runtimeDir = dir
			}
		}
		path, err = session.ChoosePath(session.LockPaths(runtimeDir))
	}
	return session.Place{Path: path, Socket: socket}, err
}

// wall is the time of day.
func (r *rig) wall() time.Time {
	utc, _ := r.now()
	return utc
}
