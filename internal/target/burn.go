package target

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"
	"golang.org/x/sys/unix"
)

// burnEvery is after how many answers the burner looks at what it owes. To read the CPU
// time of a process is a system call; each answer would pay a tenth of itself for it, and
// 1/256 of that is far below the least share that is worth planting.
const burnEvery = 256

// burnMax is the most that can be asked for. All of it could not be given.
const burnMax = 0.9

// burner makes a server slower on purpose: of all CPU time that the process takes it turns
// a known share into heat. A server that was the limit answers that share less, so that
// what measures losses can be held against one that is known.
type burner struct {
	share float64 // of requests that do not ask for one

	answers atomic.Uint64

	mu    sync.Mutex
	last  account       // guarded by mu
	burnt time.Duration // guarded by mu, in all
	of    time.Duration // guarded by mu, the CPU time that burnt is a share of

	used func() (time.Duration, error) // CPU time of the process
	now  func() time.Duration          // since any moment
}

// account is how things stood after a look.
type account struct {
	share float64       // that was asked for
	used  time.Duration // CPU time of the process
	owed  time.Duration // what was not burnt yet; negative: too much
}

// newBurner burns a share for all requests that do not ask for another.
func newBurner(share float64) *burner {
	began := time.Now()
	return &burner{share: share, used: processCPU, now: func() time.Duration { return time.Since(began) }}
}

// after has something burnt after answers of a handler.
func (b *burner) after(handle fasthttp.RequestHandler) fasthttp.RequestHandler {
	return func(ctx *fasthttp.RequestCtx) {
		handle(ctx)
		if query := ctx.URI().QueryString(); b.share > 0 || len(query) > 0 {
			b.answered(query)
		}
	}
}

// afterSecure is the same over TLS and QUIC.
func (b *burner) afterSecure(handle http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		handle(w, r)
		if b.share > 0 || r.URL.RawQuery != "" {
			b.answered([]byte(r.URL.RawQuery))
		}
	}
}

// burnField begins the query of a request that asks for a share.
const burnField = "burn="

// asked is the share that a request is for; false: it is none that burns, or asks for
// what cannot be.
func (b *burner) asked(query []byte) (share float64, ok bool) {
	if text, found := bytes.CutPrefix(query, []byte(burnField)); found {
		share, err := strconv.ParseFloat(string(text), 64)
		return share, err == nil && share >= 0 && share <= burnMax
	}
	return b.share, b.share > 0
}

// answered counts an answer, and burns what is owed by now. Of handlers on several CPUs
// one does it for all. A share of 0 that was asked for is looked at like any other, so that
// two shares differ by what is burnt alone.
func (b *burner) answered(query []byte) {
	share, ok := b.asked(query)
	if !ok || b.answers.Add(1)%burnEvery != 0 || !b.mu.TryLock() {
		return
	}
	defer b.mu.Unlock()
	used, err := b.used()
	if err != nil {
		return // then nothing is burnt, and in the end it is told
	}
	entered := b.now()
	if share != b.last.share { // what was used since the last look is another's
		b.last = account{share: share, used: used}
		return
	}
	// burnt = share x (work + burnt)
	work := used - b.last.used
	owed := b.last.owed + time.Duration(share/(1-share)*float64(work))
	for b.now()-entered < owed {
		spin()
	}
	burnt := b.now() - entered
	b.last = account{share: share, used: used + burnt, owed: owed - burnt}
	if share > 0 {
		b.burnt += burnt
		b.of += work + burnt
	}
}

// say writes what was burnt in the end, if anything was.
func (b *burner) say(log io.Writer) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.share == 0 && b.of == 0 {
		return nil
	}
	_, err := fmt.Fprintf(log, "target: burnt %.3f %% of %.3f s of CPU time\n", 100*float64(b.burnt)/float64(max(b.of, 1)), b.of.Seconds())
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
