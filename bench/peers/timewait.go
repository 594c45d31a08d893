package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/scalws/scalbench/internal/units"
)

const (
	sockstatFile = "/proc/net/sockstat"
	// timeWaitPatience is longer than the 60 s that Linux keeps a socket in
	// TIME_WAIT (TCP_TIMEWAIT_LEN in include/net/tcp.h).
	timeWaitPatience = 75 * time.Second
	timeWaitInterval = 100 * time.Millisecond
)

// timeWaits is how the runs of a heat waited for sockets in TIME_WAIT.
//
// A churn run leaves one for every request. The next one would find ports
// taken and the kernel's table of them full, and be charged for it: whoever
// runs second would lose.
type timeWaits struct {
	bound  int           // sockets that a run may start with; 0: nothing waited
	paused time.Duration // in all
	most   int           // sockets that a run did start with
}

// awaitTimeWait pauses until no more sockets than the bound are in TIME_WAIT.
// Where that does not come true, because other programs open connections too,
// the heat goes on after timeWaitPatience and the count is kept.
func awaitTimeWait(ctx context.Context, w *timeWaits, bound int) error {
	w.bound = bound
	start := time.Now()
	tick := time.NewTicker(timeWaitInterval)
	defer tick.Stop()
	for {
		sockets, err := readTimeWait()
		if err != nil {
			return err
		}
		waited := time.Since(start)
		if sockets <= bound || waited > timeWaitPatience {
			w.add(waited, sockets)
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// add notes a pause and the sockets that were left after it.
func (w *timeWaits) add(waited time.Duration, sockets int) {
	w.paused += waited
	w.most = max(w.most, sockets)
}

// String says what the waiting came to; "" where nothing waited.
func (w timeWaits) String() string {
	if w.bound == 0 {
		return ""
	}
	text := fmt.Sprintf("paused %s in all for TIME_WAIT; a run started with at most %s such sockets",
		units.Duration(w.paused), units.Group(int64(w.most)))
	if w.most > w.bound {
		text += fmt.Sprintf(", MORE than %s: another program opens connections", units.Group(int64(w.bound)))
	}
	return text
}

// readTimeWait counts the IPv4 sockets in TIME_WAIT of this network namespace.
func readTimeWait() (int, error) {
	data, err := os.ReadFile(sockstatFile)
	if err != nil {
		return 0, fmt.Errorf("count sockets in TIME_WAIT: %w", err)
	}
	sockets, err := parseTimeWait(string(data))
	if err != nil {
		return 0, fmt.Errorf("count sockets in TIME_WAIT: %s: %w", sockstatFile, err)
	}
	return sockets, nil
}

// parseTimeWait reads the number after "tw" in the line
// "TCP: inuse 7 orphan 0 tw 16390 alloc 7 mem 121". Source: sockstat_seq_show
// in net/ipv4/proc.c.
func parseTimeWait(sockstat string) (int, error) {
	for line := range strings.Lines(sockstat) {
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0] != "TCP:" {
			continue
		}
		for i := 1; i+1 < len(fields); i += 2 {
			if fields[i] == "tw" {
				return strconv.Atoi(fields[i+1])
			}
		}
	}
	return 0, errors.New("no TCP line with tw")
}
