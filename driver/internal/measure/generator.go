package measure

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"

	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/loadgen"
)

// generator is the child process that puts the load. It is on its CPUs before its first
// instruction, and the kernel kills it when this process ends, however that happens.
type generator struct {
	cmd       *exec.Cmd
	result    bytes.Buffer // what it wrote on stdout; read after ended
	announced *announcement
	ended     chan struct{} // closed when it was waited for; then err is set
	err       error
}

// startGenerator starts it with a plan.
func startGenerator(exe string, cpus cpuset.Set, plan loadgen.Plan) (*generator, error) {
	text, err := json.Marshal(plan)
	if err != nil {
		return nil, fmt.Errorf("start generator: %w", err)
	}
	g := &generator{announced: newAnnouncement(), ended: make(chan struct{})}
	g.cmd = exec.Command(exe, "load", "--plan", "-", "--output-format", "json", "--quiet", "--announce")
	g.cmd.Stdin, g.cmd.Stdout, g.cmd.Stderr = bytes.NewReader(text), &g.result, g.announced
	// A group of its own: an interrupt typed at the terminal is for us, who decide what
	// becomes of the measurement.
	g.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	started := make(chan error, 1)
	go g.processLoop(cpus, started)
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start generator: %w", err)
	}
	return g, nil
}

// processLoop starts the child from a thread with its CPUs, which it inherits, and waits for
// it: the death signal comes when that very thread ends (prctl(2), PR_SET_PDEATHSIG), so
// it must live as long. It ends with the goroutine, since it is still locked.
func (g *generator) processLoop(cpus cpuset.Set, started chan<- error) {
	runtime.LockOSThread()
	if err := cpuset.SetThread(cpus); err != nil {
		started <- err
		return
	}
	if err := g.cmd.Start(); err != nil {
		started <- err
		return
	}
	started <- nil
	g.err = g.cmd.Wait()
	close(g.ended)
}

// pid is its process number.
func (g *generator) pid() int { return g.cmd.Process.Pid }

// endMax is how long a generator may take to write what it has when it is interrupted.
const endMax = 3 * time.Second

// end makes it end, and waits until it has.
func (g *generator) end() {
	for _, s := range []os.Signal{os.Interrupt, os.Kill} {
		_ = g.cmd.Process.Signal(s) // it may have ended already
		timer := time.NewTimer(endMax)
		select {
		case <-g.ended:
		case <-timer.C:
		}
		timer.Stop()
		if has(g.ended) {
			return
		}
	}
	<-g.ended
}

// read returns its result, after it has ended. That it was not content with it is no error:
// what is in the result says why. The error is a fault of the server's when there is none,
// mostly because no connection came up.
func (g *generator) read() (*loadgen.Result, error) {
	var result loadgen.Result
	if err := g.decode(&result); err != nil {
		return nil, err
	}
	if result.Schema != loadgen.Schema {
		return nil, fmt.Errorf("result of the generator: schema %q, expected %q", result.Schema, loadgen.Schema)
	}
	return &result, nil
}

// readPairs is read of a generator that loaded two servers in turns.
func (g *generator) readPairs() (*loadgen.Pairs, error) {
	var pairs loadgen.Pairs
	if err := g.decode(&pairs); err != nil {
		return nil, err
	}
	if pairs.Schema != loadgen.PairsSchema || pairs.A == nil || pairs.B == nil {
		return nil, fmt.Errorf("result of the generator: schema %q, expected %q with both results", pairs.Schema, loadgen.PairsSchema)
	}
	return &pairs, nil
}

func (g *generator) decode(into any) error {
	err := json.Unmarshal(g.result.Bytes(), into)
	if g.result.Len() == 0 || err != nil {
		return faultf("the generator has no result (%s): %s", exitText(g.err), bytes.TrimSpace(g.announced.complaints()))
	}
	return nil
}

// exitText says how a process has ended.
func exitText(err error) string {
	if err == nil {
		return "exit status 0"
	}
	return err.Error()
}

// announcement takes what a generator writes on stderr: the line with its timeline, and
// complaints, of which only the beginning is kept. It is written to by one goroutine.
type announcement struct {
	timeline chan loadgen.Timeline // gets one
	line     []byte                // the beginning of a line
	others   []byte                // other lines; read after the generator has ended
}

const (
	othersMax = 64 << 10 // how much of the complaints is kept
	lineMax   = 4 << 10  // longer than a timeline is
)

func newAnnouncement() *announcement { return &announcement{timeline: make(chan loadgen.Timeline, 1)} }

// Write takes a part of the stream.
func (a *announcement) Write(text []byte) (int, error) {
	a.line = append(a.line, text...)
	for {
		i := bytes.IndexByte(a.line, '\n')
		if i < 0 && len(a.line) <= lineMax {
			return len(text), nil
		}
		if i < 0 {
			i = len(a.line) - 1 // it is no line of ours
		}
		a.take(a.line[:i+1])
		a.line = a.line[i+1:]
	}
}

func (a *announcement) take(line []byte) {
	var t loadgen.Timeline
	if bytes.HasPrefix(line, []byte(`{"start_ns":`)) && json.Unmarshal(line, &t) == nil {
		select {
		case a.timeline <- t:
		default: // only the first counts
		}
		return
	}
	a.others = append(a.others, line[:min(len(line), othersMax-len(a.others))]...)
}

// complaints are all lines but the timeline's.
func (a *announcement) complaints() []byte { return append(a.others, a.line...) }
