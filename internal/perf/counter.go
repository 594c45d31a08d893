package perf

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Counter counts the system calls of processes, once it is enabled. One goroutine uses it,
// and must call End or Kill.
type Counter struct {
	child    *child
	commands *os.File // what perf is told
	answers  *os.File // "ack" after each

	counts, complaints bytes.Buffer // read after the child has ended
}

const (
	openMax   = 20 * time.Second // how long perf may take to open its events
	answerMax = 5 * time.Second  // and to do what it is told then
	endMax    = time.Minute      // and to end: the kernel waits for each tracepoint that nobody has open any more
)

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
	perfCommands, commands, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start perf: %w", err)
	}
	answers, perfAnswers, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start perf: %w", errors.Join(err, perfCommands.Close(), commands.Close()))
	}
	c := &Counter{commands: commands, answers: answers}
	// -D -1: events are disabled at first. 3 and 4 are the first of ExtraFiles.
	cmd := exec.Command(p.Path, p.arguments(append([]string{"-D", "-1", "--control", "fd:3,4"}, on...)...)...)
	cmd.Env, cmd.ExtraFiles, cmd.Stdout, cmd.Stderr = environment(), []*os.File{perfCommands, perfAnswers}, &c.counts, &c.complaints
	if stdin != nil {
		cmd.Stdin = stdin
	}
	c.child, err = startChild(cmd)
	err = errors.Join(err, perfCommands.Close(), perfAnswers.Close())
	if err != nil {
		return nil, fmt.Errorf("start perf: %w", errors.Join(err, c.close()))
	}
	// What is disabled already can be disabled: that perf obeys says that all is open.
	if err := c.tell(ctx, "disable", openMax); err != nil {
		ended := c.kill()
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if !ended {
			return nil, &Unavailable{"perf does not end"}
		}
		return nil, &Unavailable{refusal(c.complaints.Bytes(), err)}
	}
	return c, nil
}

// Enable begins to count, and returns when perf does.
func (c *Counter) Enable(ctx context.Context) error { return c.tell(ctx, "enable", answerMax) }

// Disable ends counting, and returns when perf has ended it.
func (c *Counter) Disable(ctx context.Context) error { return c.tell(ctx, "disable", answerMax) }

// tell gives a command and waits until perf has done it. Source: perf-stat(1), --control.
func (c *Counter) tell(ctx context.Context, command string, most time.Duration) error {
	stop := context.AfterFunc(ctx, func() { _ = c.answers.SetReadDeadline(time.Now()) })
	defer stop()
	if err := c.answers.SetReadDeadline(time.Now().Add(most)); err != nil {
		return fmt.Errorf("perf: %s: %w", command, err)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if _, err := c.commands.WriteString(command + "\n"); err != nil {
		return fmt.Errorf("perf: %s: %w", command, err)
	}
	answer := make([]byte, len("ack\n\x00"))
	n, err := c.answers.Read(answer)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return fmt.Errorf("perf: %s: %w", command, err)
	case !bytes.HasPrefix(answer[:n], []byte("ack")):
		return fmt.Errorf("perf: %s: answered with %q, expected ack", command, answer[:n])
	}
	return nil
}

// End ends perf and returns what was counted while it was enabled, with the text of it.
func (c *Counter) End() (counts []Count, text []byte, err error) {
	_ = c.child.signal(syscall.SIGINT) // it prints what it has; it may have ended already
	if !c.child.await(endMax) {
		c.Kill()
		return nil, nil, errors.New("perf does not end")
	}
	if err := c.close(); err != nil {
		return nil, nil, fmt.Errorf("end perf: %w", err)
	}
	text = c.counts.Bytes()
	if counts, err = parseStat(text); err != nil {
		err = fmt.Errorf("%w: %s", err, bytes.TrimSpace(c.complaints.Bytes()))
	}
	return counts, text, err
}

// Kill ends perf without its counts, with all that it has started.
func (c *Counter) Kill() { c.kill() }

// kill is Kill, and tells whether perf has ended: a kernel that closes its events may take
// long.
func (c *Counter) kill() (ended bool) {
	c.child.kill()
	ended = c.child.await(endMax)
	_ = c.close() // nothing is wanted of it any more
	return ended
}

// close closes our ends of the pipes.
func (c *Counter) close() error { return errors.Join(c.commands.Close(), c.answers.Close()) }
