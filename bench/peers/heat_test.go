package main

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/internal/procfs"
)

// failingPeer ends with an error and asks nobody.
type failingPeer struct{ fakePeer }

func (failingPeer) name() string           { return "failing" }
func (failingPeer) loadArgs(load) []string { return []string{"false"} }

// A peer that fails is left out after that, and the other goes on. This test is
// the server, and its own process is read as the server's.
func TestRunRounds(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(server.Close)
	clock, err := mono.NewClock()
	if err != nil {
		t.Fatal(err)
	}
	r := runner{fs: procfs.NewFS("/proc"), clock: clock}
	var allowed string
	p := plan{peers: []peer{failingPeer{}, fakePeer{&allowed}}, timeWaitMax: 1 << 30}
	h := heat{course: course{churn: true}, rounds: 2, load: load{url: server.URL, cpu: lastCPU(t), seconds: 1}}
	if err := r.runRounds(t.Context(), &h, p, os.Getpid()); err != nil {
		t.Fatal(err)
	}
	if len(h.samples["fake"]) != 2 || h.failed["fake"] != nil {
		t.Errorf("the peer that works: %d samples, %v, want 2", len(h.samples["fake"]), h.failed["fake"])
	}
	if err := h.failed["failing"]; len(h.samples["failing"]) != 0 || err == nil || !strings.Contains(err.Error(), "round 1: exit status 1") {
		t.Errorf("the peer that fails: %v, %v", h.samples["failing"], err)
	}
	if h.timeWait.bound != 1<<30 {
		t.Errorf("churn did not look at TIME_WAIT: %+v", h.timeWait)
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.runRounds(ctx, &h, p, os.Getpid()); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of the context: %v", err)
	}
}
