package target

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/scalws/scalbench/internal/resulttest"
	"github.com/scalws/scalbench/loadgen"
)

// load puts requests on a path over two connections.
func load(t *testing.T, server *running, path string, requests int64, change func(*loadgen.Plan)) *loadgen.Result {
	t.Helper()
	plan := loadgen.DefaultPlan(server.url + path)
	plan.Connections, plan.Requests = 2, requests
	plan.Timeout, plan.ConnectTimeout, plan.Drain = 5*time.Second, 2*time.Second, 500*time.Millisecond
	plan.NoPin, plan.ServerPID = true, loadgen.ServerNone
	if change != nil {
		change(&plan)
	}
	result, err := loadgen.Run(context.Background(), plan, loadgen.Observer{})
	if err != nil {
		t.Fatal(err)
	}
	resulttest.Check(t, result)
	return result
}

// shortTimeout is still long enough for the head of an answer to arrive.
func shortTimeout(p *loadgen.Plan) { p.Timeout = 200 * time.Millisecond }

// Every misbehaviour has its line in the ledger of the load generator.
func TestMisbehaviourInTheLedger(t *testing.T) {
	const n = 6
	server := start(t, Config{})
	for _, test := range []struct {
		kind   string
		want   string // outcome of all n requests
		text   string // in the first error
		change func(*loadgen.Plan)
	}{
		{kind: "close-before", want: "reset", text: "closed"},
		{kind: "close-in-head", want: "read_failed"},
		{kind: "close-in-body", want: "read_failed"},
		{kind: "rst-before", want: "reset", text: "reset by peer"},
		{kind: "rst-in-body", want: "read_failed", text: "reset by peer"},
		{kind: "stall-before", want: "timeout", text: "no response", change: shortTimeout},
		{kind: "stall-in-head", want: "timeout", text: "incomplete response", change: shortTimeout},
		{kind: "stall-in-body", want: "timeout", text: "incomplete response", change: shortTimeout},
		{kind: "short-body", want: "read_failed"},
		{kind: "long-body", want: "protocol_error", text: "more bytes than the response"},
		{kind: "two-lengths", want: "protocol_error", text: "two different content-lengths"},
		{kind: "length-and-chunked", want: "protocol_error", text: "transfer-encoding"},
		{kind: "bad-chunk", want: "protocol_error", text: "chunk"},
		{kind: "extra-bytes", want: "protocol_error", text: "more bytes than the response"},
		{kind: "slow", want: "ok"},
		{kind: "garbage", want: "protocol_error", text: "HTTP"},
		{kind: "huge-head", want: "protocol_error", text: "head"},
		{kind: "status/503", want: "bad_status", text: "status 503, not 2xx"},
		{kind: "status/301", want: "ok", change: func(p *loadgen.Plan) { p.Targets[0].ExpectStatus = 301 }},
		{kind: "http10-close", want: "ok"},
	} {
		t.Run(test.kind, func(t *testing.T) {
			t.Parallel()
			r := load(t, server, "/fault/"+test.kind, n, test.change)
			got := r.Ledger.Errors[test.want].Sent
			if test.want == "ok" {
				got = r.Ledger.OK
			}
			if got != n || r.Ledger.Scheduled != n {
				t.Errorf("%d of %d are %s: %+v %v", got, r.Ledger.Scheduled, test.want, r.Ledger, r.FirstErrors)
			}
			if text := r.FirstErrors[test.want]; !strings.Contains(text, test.text) {
				t.Errorf("first error %q, want %q in it", text, test.text)
			}
		})
	}
}

// A FIN that nobody announced races with the next request: each request is ok
// or lost, and none is missing.
func TestCloseAfterInTheLedger(t *testing.T) {
	r := load(t, start(t, Config{}), "/fault/close-after", 20, nil)
	lost := r.Ledger.Errors["reset"].Total() + r.Ledger.Errors["write_failed"].Total()
	if r.Ledger.OK+lost != 20 || r.Ledger.OK == 0 {
		t.Errorf("%+v %v", r.Ledger, r.FirstErrors)
	}
}

// The options pick as many requests as they say, and the ledger finds them.
func TestMisbehaviourOptionsInTheLedger(t *testing.T) {
	server := start(t, Config{})
	// 0.15 of 40 requests is 6.
	r := load(t, server, "/fault/rst-before?share=0.15", 40, nil)
	if got := r.Ledger.Errors["reset"].Sent; got != 6 || r.Ledger.OK != 34 {
		t.Errorf("share: %d reset, %d ok, want 6, 34: %v", got, r.Ledger.OK, r.FirstErrors)
	}
	// One connection: of four requests each the last is reset, of 20 requests 5.
	r = load(t, server, "/fault/rst-before?after=3", 20, func(p *loadgen.Plan) { p.Connections = 1 })
	if got := r.Ledger.Errors["reset"].Sent; got != 5 || r.Ledger.OK != 15 {
		t.Errorf("after: %d reset, %d ok, want 5, 15: %v", got, r.Ledger.OK, r.FirstErrors)
	}
}

// What an upstream does wrong is a bad status of this server, never a retry
// that nobody sees: one question for each request.
func TestUpstreamInTheLedger(t *testing.T) {
	const n = 10
	alive := start(t, Config{})
	for _, test := range []struct {
		name     string
		upstream string
		timeout  time.Duration
		path     string
		want     string
		text     string
	}{
		{"alive", alive.url, 0, "/proxy", "ok", ""},
		{"alive, cached", alive.url, 0, "/cache-hit", "ok", ""},
		{"dead", "http://" + freeAddress(t), 0, "/proxy", "bad_status", "status 502, not 2xx"},
		{"dead, cached", "http://" + freeAddress(t), 0, "/cache-hit", "bad_status", "status 502, not 2xx"},
		{"slow", alive.url, 10 * time.Millisecond, "/proxy/delay/10s", "bad_status", "status 504, not 2xx"},
		{"broken", alive.url, 0, "/proxy/fault/close-in-body", "bad_status", "status 502, not 2xx"},
		{"busy", alive.url, 0, "/proxy/fault/status/503", "bad_status", "status 503, not 2xx"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := load(t, start(t, Config{Upstream: test.upstream, UpstreamTimeout: test.timeout}), test.path, n, nil)
			got := r.Ledger.Errors[test.want].Sent
			if test.want == "ok" {
				got = r.Ledger.OK
			}
			if got != n || !strings.Contains(r.FirstErrors[test.want], test.text) {
				t.Errorf("%d of %d are %s: %+v %v; want %q", got, n, test.want, r.Ledger, r.FirstErrors, test.text)
			}
		})
	}
}
