package target

import (
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
)

// maxFaults is how many lines are written before the log falls silent. Under
// load the same fault comes thousands of times a second, and writing it would
// be what is measured.
const maxFaults = 20

// faultLog writes real faults, one line each. It is fasthttp's Logger; fasthttp
// itself keeps resets, broken pipes and unfinished requests from it.
type faultLog struct {
	mu   sync.Mutex
	w    io.Writer // guarded by mu
	told int       // guarded by mu
}

func newFaultLog(w io.Writer) *faultLog { return &faultLog{w: w} }

// Printf writes a line, unless it tells of a connection that the end cut off.
func (l *faultLog) Printf(format string, args ...any) {
	for _, arg := range args {
		if err, isErr := arg.(error); isErr && errors.Is(err, net.ErrClosed) {
			return
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.told == maxFaults {
		return
	}
	l.told++
	fmt.Fprintf(l.w, "target: "+format+"\n", args...)
	if l.told == maxFaults {
		fmt.Fprintf(l.w, "target: further faults are not written\n")
	}
}
