package main

import (
	"context"
	"errors"
	"fmt"
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
	p := plan{
		peers: []peer{failingPeer{}, fakePeer{&allowed}},
		load:  load{cpu: lastCPU(t), seconds: 1}, rounds: 2, churnRounds: 2,
	}
	h := newHeats(sink{}, []course{{churn: true}}, p, nil)[0]
	h.load.url = server.URL
	if err := r.runRounds(t.Context(), &h, 1<<30, os.Getpid()); err != nil {
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
	if err := r.runRounds(ctx, &h, 1<<30, os.Getpid()); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of the context: %v", err)
	}
}

// Who lacks HTTP/2 is skipped there, and who failed when it was probed has
// failed in that protocol alone.
func TestNewHeats(t *testing.T) {
	p := plan{peers: []peer{scalbench{}, wrk{}, h2load{}}, rounds: 4, churnRounds: 3, load: load{seconds: 3}}
	courses := []course{{label: "clear"}, {label: "two", protocol: h2TLS, streams: 10}, {label: "one", protocol: h1TLS}, {label: "churn", churn: true}, {label: "three", protocol: h3QUIC, streams: 1}}
	probes := []probe{
		{peer: "scalbench", protocol: h2TLS},
		{peer: "h2load", protocol: h2TLS, err: errors.New("it spoke HTTP/1.1")},
	}
	heats := newHeats(nginx{}, courses, p, probes)
	for i, want := range []struct {
		entrants, skipped, failed string
		load                      load
		rounds                    int
	}{
		{"scalbench,wrk,h2load", "map[]", "map[]", load{seconds: 3}, 4},
		{"scalbench", "map[wrk:it has no HTTP/2]", "map[h2load:probe: it spoke HTTP/1.1]", load{seconds: 3, protocol: h2TLS, streams: 10}, 4},
		{"scalbench,wrk,h2load", "map[]", "map[]", load{seconds: 3, protocol: h1TLS}, 4},
		{"scalbench,wrk,h2load", "map[]", "map[]", load{seconds: 2, churn: true, churnRequests: 30_000}, 3},
		{"scalbench", "map[h2load:it has no HTTP/3 wrk:it has no HTTP/3]", "map[]", load{seconds: 3, protocol: h3QUIC, streams: 1}, 4},
	} {
		h := heats[i]
		if names(h.entrants) != want.entrants || fmt.Sprint(h.skipped) != want.skipped || fmt.Sprint(h.failed) != want.failed {
			t.Errorf("%s: entrants %s, skipped %v, failed %v, want %+v", h.course.name(), names(h.entrants), h.skipped, h.failed, want)
		}
		if h.server != "nginx" || h.load != want.load || h.rounds != want.rounds {
			t.Errorf("%s on %s: load %+v, %d rounds, want %+v", h.course.name(), h.server, h.load, h.rounds, want)
		}
	}
	if faults := heats[1].faults(p.peers); len(faults) != 1 || !strings.Contains(faults[0].Error(), "h2load: probe") {
		t.Errorf("faults %v, want that of the probe and none for being skipped", faults)
	}
}
