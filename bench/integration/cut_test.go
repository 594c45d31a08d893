package integration

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/scalws/scalbench/loadgen"
)

// A run that is interrupted and does not let requests finish cuts them in the
// middle of a response. They are in the log with the status of their head, 200,
// and the bytes that nginx had got rid of.
func TestInterruptedInTheBody(t *testing.T) {
	n := startNginx(t)
	r := runInterrupted(t, interruptible(n.url+slowPath))
	log := n.finish(t)
	if len(log) != int(r.AllPhases.Sent) || log.withStatus(200) != r.AllPhases.Sent {
		t.Errorf("%d sent, %d lines in the log, %d of them 200", r.AllPhases.Sent, len(log), log.withStatus(200))
	}
	// A response takes longer than the run: each of the 8 connections has one out.
	cut := log.count(func(l logLine) bool { return l.bodyBytes > 0 && l.bodyBytes < largeBytes })
	if r.Ledger.Unfinished != 8 || cut != 8 {
		t.Errorf("%d unfinished, %d lines with part of the body, want 8 and 8", r.Ledger.Unfinished, cut)
	}
}

// At full speed as well: what is out at the end may be whole in the log, because
// the kernel had taken it from nginx and not given it to us.
func TestInterruptedAtFullSpeed(t *testing.T) {
	n := startNginx(t)
	r := runInterrupted(t, interruptible(n.url+largePath))
	log := n.finish(t)
	if len(log) != int(r.AllPhases.Sent) || log.withStatus(200) != r.AllPhases.Sent || r.Ledger.OK == 0 {
		t.Errorf("%d sent, ledger %+v; log: %d lines, %d with 200", r.AllPhases.Sent, r.Ledger, len(log), log.withStatus(200))
	}
	if cut := log.count(func(l logLine) bool { return l.bodyBytes < largeBytes }); cut > r.Ledger.Unfinished {
		t.Errorf("%d unfinished, %d lines with less than the body", r.Ledger.Unfinished, cut)
	}
}

// Requests that nginx holds back when the client leaves are logged as 499.
func TestInterruptedBeforeTheResponse(t *testing.T) {
	n := startNginx(t)
	r := runInterrupted(t, interruptible(n.url+heldPath))
	log := n.finish(t)
	if len(log) != int(r.AllPhases.Sent) || log.withStatus(200) != r.Ledger.OK || log.withStatus(499) != r.Ledger.Unfinished {
		t.Errorf("%d sent, ledger %+v; log: %d lines, %d with 200, %d with 499",
			r.AllPhases.Sent, r.Ledger, len(log), log.withStatus(200), log.withStatus(499))
	}
	if r.Ledger.Unfinished == 0 {
		t.Error("nothing was held back")
	}
}

// A timeout gives the request up and resets its connection: 499 as well.
func TestTimeoutIsLogged(t *testing.T) {
	n := startNginx(t)
	p := loadgen.DefaultPlan(n.url + heldPath)
	p.Connections, p.Measure, p.Timeout, p.Drain = 8, 400*time.Millisecond, 100*time.Millisecond, time.Second
	r := run(t, t.Context(), p, loadgen.Observer{})
	log := n.finish(t)
	timeouts := r.Ledger.Errors["timeout"].Sent
	if len(log) != int(r.AllPhases.Sent) || log.withStatus(499) != timeouts || log.withStatus(200) != r.Ledger.OK || timeouts < 8 {
		t.Errorf("%d sent, ledger %+v; log: %d lines, %d with 200, %d with 499",
			r.AllPhases.Sent, r.Ledger, len(log), log.withStatus(200), log.withStatus(499))
	}
}

// interruptible is a plan of a minute that does not drain.
func interruptible(url string) loadgen.Plan {
	p := loadgen.DefaultPlan(url)
	p.Connections, p.Measure, p.Drain, p.Window = 8, time.Minute, 0, 20*time.Millisecond
	return p
}

// runInterrupted ends a run when three rows are complete.
func runInterrupted(t *testing.T, p loadgen.Plan) *loadgen.Result {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	rows := 0
	r := run(t, ctx, p, loadgen.Observer{Row: func(loadgen.Window) {
		if rows++; rows == 3 {
			cancel()
		}
	}})
	if !r.Interrupted || r.MeasuredS >= p.Measure.Seconds() {
		t.Errorf("interrupted %v after %v s", r.Interrupted, r.MeasuredS)
	}
	return r
}

// Ctrl-C ends the program's window, lets requests finish, and leaves a partial
// result that agrees with the log.
func TestProgramInterrupted(t *testing.T) {
	n := startNginx(t)
	var stdout bytes.Buffer
	load := exec.Command(program(t), n.url+smallPath, "-c", "8", "-z", "1m", "--output-format", "json", "--quiet")
	load.Stdout = &stdout
	if err := load.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(patience); len(n.log(t)) == 0 && time.Now().Before(deadline); {
		time.Sleep(5 * time.Millisecond)
	}
	if err := load.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := exitCode(t, load.Wait()); code != 130 {
		t.Fatalf("exit code %d, want 130", code)
	}
	r := readResult(t, stdout.Bytes())
	log := n.finish(t)
	if !r.Interrupted || r.Ledger.NotOK() != 0 || r.Ledger.OK == 0 {
		t.Errorf("interrupted %v, ledger %+v", r.Interrupted, r.Ledger)
	}
	if len(log) != int(r.AllPhases.Sent) || log.withStatus(200) != r.AllPhases.Sent {
		t.Errorf("%d sent, %d lines in the log, %d of them 200", r.AllPhases.Sent, len(log), log.withStatus(200))
	}
}
