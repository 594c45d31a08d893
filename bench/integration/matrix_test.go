package integration

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/scalws/scalbench/bench/integration/servers"
	"github.com/scalws/scalbench/internal/resulttest"
	"github.com/scalws/scalbench/loadgen"
)

// cell is one thing to ask of a server. A body is what GET gets, what HEAD is
// told the length of, and what POST sends.
type cell struct {
	protocol  servers.Protocol
	method    string
	bodyBytes int
}

// cells are all that there are.
func cells() (all []cell) {
	for _, p := range servers.Protocols() {
		for _, method := range []string{"GET", "HEAD", "POST"} {
			for _, n := range servers.BodyBytes() {
				all = append(all, cell{p, method, n})
			}
		}
	}
	return all
}

func (c cell) name() string { return fmt.Sprintf("%s-%s-%d", c.protocol, c.method, c.bodyBytes) }

// uri is the same for no two cells of all servers, so that a line in a log says
// which cell it is of.
func (c cell) uri(server string) string {
	path := servers.StaticPath(c.bodyBytes)
	if c.method == "POST" {
		path = servers.DigestPath
	}
	return path + "?cell=" + c.id(server)
}

func (c cell) id(server string) string { return server + "-" + c.name() }

// sent and wanted are the bodies of the cell's request and of its response.
func (c cell) sent(t *testing.T, site *servers.Site) []byte {
	if c.method != "POST" {
		return nil
	}
	return readFile(t, site.File(c.bodyBytes))
}

func (c cell) wanted(t *testing.T, site *servers.Site) []byte {
	switch c.method {
	case "GET":
		return readFile(t, site.File(c.bodyBytes))
	case "POST":
		return []byte(servers.Digest(c.sent(t, site)))
	}
	return nil
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// What each cell asks: the oracle once, for the bytes; the program so often, for
// the counts.
const (
	cellRequests    = 20
	cellConnections = 2
	cellStreams     = 4 // a connection, in HTTP/2
)

// Every server says what the program says, over every protocol, for every
// method, with bodies of every length.
func TestMatrix(t *testing.T) {
	site := newSite(t)
	for _, name := range servers.Kinds() {
		t.Run(name, func(t *testing.T) {
			wantKind(t, name)
			row := &row{site: site, name: name, server: site.Start(t, name, nil), asked: map[cell]int{}}
			t.Run("cells", func(t *testing.T) { // returns when all of them have
				for _, c := range cells() {
					t.Run(c.name(), func(t *testing.T) {
						t.Parallel()
						row.askOracle(t, c)
						row.askProgram(t, c)
					})
				}
			})
			row.compareLog(t, row.server.Finish(t))
			row.compareDigests(t)
		})
	}
}

// row is all cells of one server.
type row struct {
	site   *servers.Site
	name   string // of the server's kind
	server *servers.Server

	mu    sync.Mutex // cells run beside each other
	asked map[cell]int
}

// asks counts what is about to be asked.
func (r *row) asks(c cell, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked[c] += n
}

// newSite makes a site of the configurations in this module.
func newSite(t *testing.T) *servers.Site {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: starts servers")
	}
	return servers.NewSite(t, "../configs")
}

// kindsVariable is the environment variable that lists the kinds of servers to
// test with, with commas between them, or says all. Those that only a few people
// have installed take time of everybody's tests.
const kindsVariable, kindsDefault = "SCALBENCH_SERVERS", servers.Go + "," + servers.Nginx

// wantKind skips the test of a kind that was not asked for.
func wantKind(t *testing.T, name string) {
	t.Helper()
	list := os.Getenv(kindsVariable)
	if list == "" {
		list = kindsDefault
	}
	if list != "all" && !slices.Contains(strings.Split(list, ","), name) {
		t.Skipf("only %s: make test-servers", list)
	}
}

// askOracle compares bytes.
func (r *row) askOracle(t *testing.T, c cell) {
	t.Helper()
	r.asks(c, 1)
	got, err := servers.Ask(r.site.Oracle(t, c.protocol), c.method, r.server.URL(c.protocol, c.uri(r.name)), c.sent(t, r.site))
	if err != nil {
		t.Fatal(err)
	}
	if got.Status != 200 || got.Major != c.protocol.Major() {
		t.Errorf("oracle: status %d over HTTP/%d", got.Status, got.Major)
	}
	if have, want := servers.Digest(got.Body), servers.Digest(c.wanted(t, r.site)); have != want {
		t.Errorf("oracle: body %s, want %s", have, want)
	}
	// RFC 9110, 8.6: HEAD need not be told. apache2 leaves out a length of 0.
	if c.method == "HEAD" && got.Length != int64(c.bodyBytes) && !(c.bodyBytes == 0 && got.Length == -1) {
		t.Errorf("oracle: told of %d bytes", got.Length)
	}
}

// askProgram compares counts.
func (r *row) askProgram(t *testing.T, c cell) {
	t.Helper()
	r.asks(c, cellRequests)
	responseBytes := len(c.wanted(t, r.site))
	arguments := append(protocolArguments(c.protocol, r.site.Certificates.CA, cellStreams),
		"-n", fmt.Sprint(cellRequests), "-c", fmt.Sprint(cellConnections),
		"-m", c.method, "--expect-bytes", fmt.Sprint(responseBytes), "--expect-status", "200")
	if c.method == "POST" {
		arguments = append(arguments, "-D", r.site.File(c.bodyBytes))
	}
	result := load(t, r.server.URL(c.protocol, c.uri(r.name)), arguments...)
	allOK(t, result, cellRequests)
	if result.AllPhases.Sent != cellRequests {
		t.Errorf("%d sent in all phases", result.AllPhases.Sent)
	}
	if want := uint64(cellRequests * responseBytes); result.BodyBytesIn != want {
		t.Errorf("%d body bytes, want %d", result.BodyBytesIn, want)
	}
	if want := fmt.Sprintf("h%d", c.protocol.Major()); result.Protocol != want {
		t.Errorf("protocol %q, want %q", result.Protocol, want)
	}
}

// allOK wants n requests and nothing wrong with any of them.
func allOK(t *testing.T, r *loadgen.Result, n uint64) {
	t.Helper()
	resulttest.Check(t, r)
	if r.Ledger.Scheduled != n || r.Ledger.OK != n || r.Status["200"] != n || len(r.Status) != 1 {
		t.Errorf("ledger %+v, status %v, first errors %q; want %d ok", r.Ledger, r.Status, r.FirstErrors, n)
	}
	for _, w := range r.Warnings {
		switch w.Code {
		case loadgen.LedgerBroken, loadgen.ErrorsPresent, loadgen.ServerGone, loadgen.ServerLeftOpen, loadgen.NotAllConnectionsServed:
			t.Errorf("warning %s: %s", w.Code, w.Text)
		}
	}
}

// compareLog wants a line for each request, of its protocol, and no other.
func (r *row) compareLog(t *testing.T, log servers.Log) {
	t.Helper()
	all := 0
	for c, n := range r.asked {
		all += n
		line := servers.Line{Status: 200, Major: c.protocol.Major(), URI: c.uri(r.name)}
		if have := log.Count(line); have != n {
			t.Errorf("%s: %d lines in the log as they should be, want %d; all of it: %v", c.name(), have, n, log.OfURI(line.URI))
		}
	}
	if len(log) != all {
		t.Errorf("%d lines in the log, want %d", len(log), all)
	}
}

// compareDigests wants every body that was sent to have arrived as it was.
func (r *row) compareDigests(t *testing.T) {
	t.Helper()
	for c, n := range r.asked {
		if c.method != "POST" {
			continue
		}
		digest := servers.Digest(c.sent(t, r.site))
		if have := r.site.Digests(c.id(r.name)); len(have) != 1 || have[digest] != n {
			t.Errorf("%s: arrived %v, want %d times %s", c.name(), have, n, digest)
		}
	}
}
