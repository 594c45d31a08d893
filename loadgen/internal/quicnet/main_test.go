package quicnet

import (
	"net"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/scalws/scalbench/internal/leaktest"
	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/loadgen/internal/exchange"
	"github.com/scalws/scalbench/loadgen/internal/h3"
)

func TestMain(m *testing.M) { os.Exit(leaktest.Main(m)) }

// patience is how long anything on loopback may take that a test waits for.
const patience = 5 * time.Second

// rig is an engine whose connections are never opened, and the socket that its
// datagrams come to.
type rig struct {
	*testing.T
	engine *Engine
	socket *socket
	server *net.UDPConn
}

func newRig(t *testing.T, address string, connections int) *rig {
	t.Helper()
	server, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(netip.MustParseAddrPort(address)))
	if err != nil && strings.HasPrefix(address, "[") {
		t.Skipf("no IPv6 loopback on this host: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	server.SetReadDeadline(time.Now().Add(patience))
	clock, err := mono.NewClock()
	if err != nil {
		t.Fatal(err)
	}
	e, err := New(Config{
		Clock: clock, Server: server.LocalAddr().(*net.UDPAddr).AddrPort(), Connections: connections, Streams: 2,
		Request: &h3.Request{}, Expect: exchange.Expect{BodyBytes: -1},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Shutdown(); err != nil {
			t.Error(err)
		}
	})
	return &rig{t, e, e.sockets[0], server}
}

// next returns the next datagram that the server gets.
func (r *rig) next() []byte {
	r.Helper()
	b := make([]byte, 64<<10)
	n, _, err := r.server.ReadFromUDPAddrPort(b)
	if err != nil {
		r.Fatal(err)
	}
	return b[:n]
}
