package integration

import (
	"fmt"
	"sync"
	"testing"

	"github.com/scalws/scalbench/bench/integration/servers"
	"github.com/scalws/scalbench/loadgen"
)

// Each test here asks so much, on few connections with many streams.
const (
	limitRequests    = 2000
	limitConnections = 4
	limitStreams     = 10
)

// A server that closes each connection after 100 requests, with GOAWAY, gets
// every request answered: those that it had not looked at are sent again on a
// new connection.
func TestGoAwayUnderLoad(t *testing.T) {
	const perConnection = 100
	for _, p := range []servers.Protocol{servers.H2, servers.H2C} {
		t.Run(string(p), func(t *testing.T) {
			r, log := loadLimited(t, p, map[string]string{"keepalive_requests": fmt.Sprint(perConnection)})
			// 2000 requests, at most 100 on each: 20 connections at least.
			if r.Connections.Opened < limitRequests/perConnection {
				t.Errorf("%d connections, each for at most %d requests", r.Connections.Opened, perConnection)
			}
			// Requests leave several at a time, and so many connections do not all
			// end between two of them. What was sent twice was looked at once.
			if r.Connections.RestartedRequests == 0 || r.AllPhases.Sent != uint64(len(log)) {
				t.Errorf("%d sent, %d in the log, %d restarted", r.AllPhases.Sent, len(log), r.Connections.RestartedRequests)
			}
		})
	}
}

// A server that allows fewer streams than there are slots gets as many as it
// allows.
func TestServerAllowsFewerStreams(t *testing.T) {
	for _, p := range []servers.Protocol{servers.H2, servers.H2C} {
		t.Run(string(p), func(t *testing.T) {
			r, log := loadLimited(t, p, map[string]string{"max_streams": "3"})
			if r.Connections.Opened != limitConnections || r.AllPhases.Sent != uint64(len(log)) {
				t.Errorf("%d connections, %d sent, %d in the log", r.Connections.Opened, r.AllPhases.Sent, len(log))
			}
		})
	}
}

// loadLimited asks an nginx with a setting, first by the oracle, then by the
// program, and wants everything to be ok. The log is of the program alone.
func loadLimited(t *testing.T, p servers.Protocol, settings map[string]string) (*loadgen.Result, servers.Log) {
	t.Helper()
	site := newSite(t)
	server := site.Start(t, servers.Nginx, settings)
	oracleURI, uri := servers.StaticPath(smallBody)+"?by=oracle", servers.StaticPath(smallBody)+"?by=program"
	askMany(t, site, p, server.URL(p, oracleURI))
	arguments := append(protocolArguments(p, site.Certificates.CA, limitStreams),
		"-n", fmt.Sprint(limitRequests), "-c", fmt.Sprint(limitConnections), "--expect-bytes", fmt.Sprint(smallBody))
	r := load(t, server.URL(p, uri), arguments...)
	allOK(t, r, limitRequests)
	log := server.Finish(t).OfURI(uri)
	if ok := log.Count(servers.Line{Status: 200, Major: 2, URI: uri}); ok != limitRequests || ok != len(log) {
		t.Errorf("%d lines in the log, %d of them ok, want %d", len(log), ok, limitRequests)
	}
	return r, log
}

// askMany puts the oracle on it, as many at a time as the streams of one
// connection: a server with that setting answers somebody.
func askMany(t *testing.T, site *servers.Site, p servers.Protocol, url string) {
	t.Helper()
	client := site.Oracle(t, p)
	var asking sync.WaitGroup
	for range limitStreams {
		asking.Go(func() {
			for range limitRequests / limitStreams / 10 {
				if got, err := servers.Ask(client, "GET", url, nil); err != nil || got.Status != 200 || len(got.Body) != smallBody {
					t.Errorf("oracle: status %d, %d bytes, %v", got.Status, len(got.Body), err)
				}
			}
		})
	}
	asking.Wait()
}
