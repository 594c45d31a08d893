package perf

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// controller is perf at work, which is told when to begin and to end. One goroutine uses
// it, and must call interrupt or Kill.
type controller struct {
	child    *child
	commands *os.File // what perf is told
	answers  *os.File // "ack" after each

	output, complaints bytes.Buffer // read after the child has ended
}

const (
	openMax   = 20 * time.Second // how long perf may take to open its events
	answerMax = 5 * time.Second  // and to do what it is told then
	endMax    = time.Minute      // and to end: the kernel waits for each tracepoint that nobody has open any more
)

// controlled are the arguments of a perf that is told what to do: its events are disabled at
// first, and 3 and 4 are the first of ExtraFiles.
func controlled() []string { return []string{"-D", "-1", "--control", "fd:3,4"} }

// control starts perf with a file as its standard input, nil for none, and waits until it
// has opened its events. The error is an [*Unavailable] with perf's reason when it refuses.
func control(ctx context.Context, path string, args []string, stdin *os.File) (*controller, error) {
	perfCommands, commands, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start perf: %w", err)
	}
	answers, perfAnswers, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start perf: %w", errors.Join(err, perfCommands.Close(), commands.Close()))
	}
	c := &controller{commands: commands, answers: answers}
	cmd := exec.Command(path, args...)
	cmd.Env, cmd.ExtraFiles, cmd.Stdout, cmd.Stderr = environment(), []*os.File{perfCommands, perfAnswers}, &c.output, &c.complaints
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

// tell gives a command and waits until perf has done it. Source: perf-stat(1), --control.
func (c *controller) tell(ctx context.Context, command string, most time.Duration) error {
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

// interrupt has perf end by itself, and write what it has.
func (c *controller) interrupt() error {
	_ = c.child.signal(syscall.SIGINT) // it may have ended already
	if !c.child.await(endMax) {
		c.Kill()
		return errors.New("perf does not end")
	}
	if err := c.close(); err != nil {
		return fmt.Errorf("end perf: %w", err)
	}
	return nil
}

// Kill ends perf without what it has, with all that it has started.
func (c *controller) Kill() { c.kill() }

// kill is Kill, and tells whether perf has ended: a kernel that closes its events may take
// long.
func (c *controller) kill() (ended bool) {
	c.child.kill()
	ended = c.child.await(endMax)
	_ = c.close() // nothing is wanted of it any more
	return ended
}

// close closes our ends of the pipes.
func (c *controller) close() error { return errors.Join(c.commands.Close(), c.answers.Close()) }
