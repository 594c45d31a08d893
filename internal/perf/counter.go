package perf

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Counter counts the system calls of processes, once it is enabled. One goroutine uses it,
// and must call End or Kill.
type Counter struct{ *controller }

// Start makes perf open the events for processes, with all threads that they have and all
// that they and their children will start, and returns when it is ready. Nothing is
// counted yet. The error is an [*Unavailable] with perf's reason when it refuses.
func (p Program) Start(ctx context.Context, pids []int) (*Counter, error) {
	var list []string
	for _, pid := range pids {
		list = append(list, strconv.Itoa(pid))
	}
	return p.open(ctx, nil, "-p", strings.Join(list, ","))
}

// open starts perf on what the arguments say, with a file as its standard input, and waits
// until it has opened its events.
func (p Program) open(ctx context.Context, stdin *os.File, on ...string) (*Counter, error) {
	c, err := control(ctx, p.Path, p.arguments(append(controlled(), on...)...), stdin)
	if err != nil {
		return nil, err
	}
	return &Counter{c}, nil
}

// Enable begins to count, and returns when perf does.
func (c *Counter) Enable(ctx context.Context) error { return c.tell(ctx, "enable", answerMax) }

// Disable ends counting, and returns when perf has ended it.
func (c *Counter) Disable(ctx context.Context) error { return c.tell(ctx, "disable", answerMax) }

// End ends perf and returns what was counted while it was enabled, with the text of it.
func (c *Counter) End() (counts []Count, text []byte, err error) {
	if err := c.interrupt(); err != nil {
		return nil, nil, err
	}
	text = c.output.Bytes()
	if counts, err = parseStat(text); err != nil {
		err = fmt.Errorf("%w: %s", err, bytes.TrimSpace(c.complaints.Bytes()))
	}
	return counts, text, err
}
