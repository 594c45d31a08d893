package target

import (
	"fmt"
	"io"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"
	"golang.org/x/sys/unix"
)

// burnEvery is after how many answers the burner looks at what it owes. To read the CPU
// time of a process is a system call; each answer would pay a twentieth of itself for it,
// and a hundredth of that is still far below the least share that is worth planting.
const burnEvery = 64

// burnMax is the most that can be asked for. All of it could not be given.
const burnMax = 0.9

// burner is a server that got slower on purpose: of all CPU time that the process takes it
// turns a known share into heat. A server that was the limit answers that share less, so
// that what measures losses can be held against one that is known.
type burner struct {
	share float64       // of all CPU time, its own included
	since time.Duration // CPU time of the process when it began

	answers atomic.Uint64

	mu    sync.Mutex
	burnt time.Duration // guarded by mu

	used func() (time.Duration, error) // CPU time of the process
	now  func() time.Duration          // since any moment
}

// newBurner returns nil, which burns nothing, for a share of 0.
func newBurner(share float64) (*burner, error) {
	if share == 0 {
		return nil, nil
	}
	began := time.Now()
	b := &burner{share: share, used: processCPU, now: func() time.Duration { return time.Since(began) }}
	var err error
	b.since, err = b.used()
	return b, err
}

// after has something burnt after answers of a handler.
func (b *burner) after(handle fasthttp.RequestHandler) fasthttp.RequestHandler {
	if b == nil {
		return handle
	}
	return func(ctx *fasthttp.RequestCtx) {
		handle(ctx)
		b.answered()
	}
}

// afterSecure is the same over TLS and QUIC.
func (b *burner) afterSecure(handle http.HandlerFunc) http.HandlerFunc {
	if b == nil {
		return handle
	}
	return func(w http.ResponseWriter, r *http.Request) {
		handle(w, r)
		b.answered()
	}
}

// answered counts an answer, and burns what is owed by now. Of handlers on several CPUs
// one does it for all.
func (b *burner) answered() {
	if b.answers.Add(1)%burnEvery != 0 || !b.mu.TryLock() {
		return
	}
	defer b.mu.Unlock()
	entered := b.now()
	used, err := b.used()
	if err != nil {
		return // it worked in newBurner
	}
	for owed := b.owed(used - b.since); b.now()-entered < owed; {
		spin()
	}
	b.burnt += b.now() - entered // to look costs something, which is burnt as well
}

// owed is what has to be burnt now for it to be the share of all that will then be used:
// burnt + x = share (used + x).
func (b *burner) owed(used time.Duration) time.Duration {
	return time.Duration((b.share*float64(used) - float64(b.burnt)) / (1 - b.share))
}

// say writes what was burnt in the end.
func (b *burner) say(log io.Writer) error {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	used, err := b.used()
	if err != nil {
		return err
	}
	used -= b.since
	_, err = fmt.Fprintf(log, "target: burnt %.3f %% of %.3f s of CPU time\n", 100*float64(b.burnt)/float64(max(used, 1)), used.Seconds())
	return err
}

// spin takes some tenths of a microsecond and touches no memory.
func spin() {
	x := uint64(1)
	for range 200 {
		x = x*6364136223846793005 + 1442695040888963407
	}
	runtime.KeepAlive(x)
}

// processCPU is the CPU time of this process, all of its threads together.
func processCPU() (time.Duration, error) {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &ts); err != nil {
		return 0, fmt.Errorf("read the CPU time of this process: %w", err)
	}
	return time.Duration(ts.Nano()), nil
}
