package integration

import (
	"context"
	"os/exec"
	"testing"
	"time"

	"github.com/scalws/scalbench/internal/resulttest"
	"github.com/scalws/scalbench/loadgen"
)

// run puts a plan's load on its server, from here.
func run(t *testing.T, ctx context.Context, p loadgen.Plan, observer loadgen.Observer) *loadgen.Result {
	t.Helper()
	r, err := loadgen.Run(ctx, p, observer)
	if err != nil {
		t.Fatal(err)
	}
	resulttest.Check(t, r)
	return r
}

// What was sent in all phases is what the server logged, to the request, and
// nothing was lost or cut.
func TestSentIsLogged(t *testing.T) {
	for _, test := range []struct {
		name      string
		path      string
		bodyBytes uint64
		change    func(*loadgen.Plan)
	}{
		{"static-small", smallPath, smallBytes, func(*loadgen.Plan) {}},
		{"static-1m", largePath, largeBytes, func(*loadgen.Plan) {}},
		{"churn", smallPath, smallBytes, func(p *loadgen.Plan) { p.RequestsPerConn = 1 }},
		{"ten a connection", smallPath, smallBytes, func(p *loadgen.Plan) { p.RequestsPerConn = 10 }},
		{"a number", smallPath, smallBytes, func(p *loadgen.Plan) { p.Requests = 1000 }},
		{"a number without warm-up", largePath, largeBytes, func(p *loadgen.Plan) { p.WarmUp, p.Requests = 0, 100 }},
	} {
		t.Run(test.name, func(t *testing.T) {
			n := startNginx(t)
			p := loadgen.DefaultPlan(n.url + test.path)
			p.Connections, p.WarmUp, p.Measure = 16, 100*time.Millisecond, 300*time.Millisecond
			p.Targets[0].ExpectBytes = int64(test.bodyBytes)
			test.change(&p)
			r := run(t, t.Context(), p, loadgen.Observer{})
			compare(t, r, n.finish(t), p, test.path, test.bodyBytes)
		})
	}
}

// The built program says the same.
func TestProgramSentIsLogged(t *testing.T) {
	n := startNginx(t)
	// 50 connections when nothing is said.
	load := exec.Command(program(t), n.url+smallPath, "-z", "300ms", "--warmup", "100ms", "--output-format", "json", "--quiet")
	r := readResult(t, output(t, load))
	p := loadgen.DefaultPlan("")
	p.WarmUp = 100 * time.Millisecond
	compare(t, r, n.finish(t), p, smallPath, smallBytes)
}

// compare holds a run in which everything went well against the server's log.
func compare(t *testing.T, r *loadgen.Result, log accessLog, p loadgen.Plan, path string, bodyBytes uint64) {
	t.Helper()
	sent := r.AllPhases.Sent
	for _, c := range []struct {
		what      string
		got, want uint64
	}{
		{"not ok, though sent", r.Ledger.NotOK() - r.Ledger.NeverSent, 0},
		{"lines in the log", uint64(len(log)), sent},
		{"lines with 200", log.withStatus(200), sent},
		{"lines with the path", log.count(func(l logLine) bool { return l.path == path }), sent},
		{"body bytes in the log", log.bodyBytes(), sent * bodyBytes},
		{"body bytes inside the window", r.BodyBytesIn, r.CompletedInWindow * bodyBytes},
		{"requests on used connections", r.Connections.ReusedRequests, log.count(func(l logLine) bool { return l.ofConnection > 1 })},
		{"requests beyond those a connection may carry", log.count(func(l logLine) bool {
			return p.RequestsPerConn > 0 && l.ofConnection > p.RequestsPerConn
		}), 0},
	} {
		if c.got != c.want {
			t.Errorf("%s: %d, want %d", c.what, c.got, c.want)
		}
	}
	if p.Requests > 0 && r.Ledger.Scheduled != uint64(p.Requests) {
		t.Errorf("%d in the ledger, want the %d that were asked for", r.Ledger.Scheduled, p.Requests)
	}
	// What waits for its connection when the window ends is not sent any more: at
	// most one request a connection, none where connections are kept.
	if n := r.Ledger.NeverSent; n > uint64(p.Connections) || n > 0 && p.RequestsPerConn == 0 {
		t.Errorf("%d were never sent", n)
	}
	// The warm-up is in the log and not in the ledger.
	if warmed := sent > r.Ledger.Scheduled; warmed != (p.WarmUp > 0) {
		t.Errorf("%d sent, %d in the ledger, warm-up %v", sent, r.Ledger.Scheduled, p.WarmUp)
	}
	if r.Ledger.OK == 0 {
		t.Error("nothing was measured")
	}
}
