package loadgen

import (
	"net"
	"testing"

	"github.com/scalws/scalbench/loadgen/internal/exchange"
	"github.com/scalws/scalbench/loadgen/internal/netloop"
)

// What arrives before the request has left is no answer to it, and the request
// that could not leave on that connection is told as unsent.
func TestAnswerBeforeTheRequestLeaves(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0") // the kernel connects; the answer comes from the test
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	w := startedWorker(t, DefaultPlan("http://"+listener.Addr().String()+"/"))
	defer w.loop.Shutdown()
	if x := w.slots[0]; w.conns[0].out != 1 || x.Sent != 0 {
		t.Fatalf("want a request that has been started and has not left: %+v", x)
	}
	at := w.clock.Now()
	w.received(0, &netloop.Event{Kind: netloop.Data, At: at, Bytes: []byte("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")})
	got := w.recorder.ledger.outcomes[exchange.ProtocolError]
	if got.Unsent != 1 || got.Sent != 0 || w.recorder.sentInAllPhases != 0 {
		t.Errorf("%+v, %d sent, want one protocol error, unsent", got, w.recorder.sentInAllPhases)
	}
	if w.recorder.service.Count() != 0 || w.recorder.failed.Count() != 1 {
		t.Errorf("%d service times, %d failed, want 0 and 1", w.recorder.service.Count(), w.recorder.failed.Count())
	}
	if first := w.recorder.firstErrors[exchange.ProtocolError]; first.Reason.Text != "response before the request was sent" {
		t.Errorf("first error %+v", first.Reason)
	}
	if c := &w.conns[0]; c.state != queued || len(c.waiting) != 1 {
		t.Errorf("state %d, %d waiting, want a new connection wanted for the next request", c.state, len(c.waiting))
	}
}
