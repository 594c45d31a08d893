package quictest

import (
	"errors"
	"net"
	"net/netip"
	"sync"
	"testing"
	"time"
)

// Relay is a way to a server on which datagrams are lost or overtake each other.
// Each client, that is each source address, has a socket of its own to the
// server, as behind a NAT.
type Relay struct {
	front *net.UDPConn
	to    netip.AddrPort
	seed  uint64

	// clients belongs to frontLoop, and to end when that has returned.
	clients map[netip.AddrPort]*relayed
	replies sync.WaitGroup // backLoop of each client

	mu      sync.Mutex
	faults  faults            // guarded by mu
	dropped [toClient + 1]int // guarded by mu; datagrams, by direction
}

// relayed is one client of a relay.
type relayed struct {
	addr  netip.AddrPort
	back  *net.UDPConn        // connected to the server
	lanes [toClient + 1]*lane // by direction; guarded by the relay's mu
}

// direction is the way that a datagram takes through a relay.
type direction int

const (
	toServer direction = iota
	toClient
)

// NewRelay forwards datagrams until the test ends, in both directions, except for
// a share of 0 to 1 that it drops. Which ones follows from the seed, and from the
// number of the client and of the datagram in its direction: the same traffic
// loses the same datagrams. Each loss in a handshake costs a second or more, since
// no round trip has been seen yet (RFC 9002, 6.2.2); a test that has no use for
// that drops nothing until its connections are up.
func NewRelay(t testing.TB, to netip.AddrPort, drop float64, seed uint64) *Relay {
	t.Helper()
	r := &Relay{front: listen(t), to: to, seed: seed, clients: map[netip.AddrPort]*relayed{}, faults: faults{drop: drop}}
	var forwarding sync.WaitGroup
	forwarding.Go(func() { r.frontLoop(t) })
	t.Cleanup(func() {
		r.front.Close()
		forwarding.Wait()
		for _, c := range r.clients {
			c.back.Close()
		}
		r.replies.Wait()
	})
	return r
}

// Addr is where clients find the relay instead of the server.
func (r *Relay) Addr() netip.AddrPort { return addrOf(r.front) }

// SetDrop changes the share of datagrams that are dropped, 0 to 1.
func (r *Relay) SetDrop(share float64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.faults.drop = share
}

// Reorder holds back every n-th datagram of a client and direction until the next
// one has gone, or for 5 ms when there is none; those that are dropped do not
// count. 0: none, as at the start.
func (r *Relay) Reorder(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.faults.reorder = n
}

// Dropped is how many datagrams have been dropped so far.
func (r *Relay) Dropped() (toServerCount, toClientCount int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.dropped[toServer], r.dropped[toClient]
}

// frontLoop forwards what clients send until the test ends.
func (r *Relay) frontLoop(t testing.TB) {
	datagram := make([]byte, maxDatagramBytes)
	for {
		n, from, err := r.front.ReadFromUDPAddrPort(datagram)
		if err != nil {
			return
		}
		c := r.clients[from]
		if c == nil {
			if c = r.admit(t, from); c == nil {
				return
			}
		}
		for _, d := range r.pass(c, toServer, datagram[:n]) {
			r.send(c, toServer, d)
		}
	}
}

// admit gives a new client its socket and its lanes; nil when there is none.
func (r *Relay) admit(t testing.TB, from netip.AddrPort) *relayed {
	back, err := net.DialUDP("udp4", nil, net.UDPAddrFromAddrPort(r.to))
	if err != nil {
		t.Errorf("relay: %v", err)
		return nil
	}
	growBuffer(back)
	number := uint64(len(r.clients))
	c := &relayed{addr: from, back: back}
	for way := range c.lanes {
		c.lanes[way] = newLane(r.seed, number*uint64(len(c.lanes))+uint64(way))
	}
	r.clients[from] = c
	r.replies.Go(func() { r.backLoop(c) })
	return c
}

// backLoop forwards what the server sends to one client.
func (r *Relay) backLoop(c *relayed) {
	datagram := make([]byte, maxDatagramBytes)
	for {
		n, err := c.back.Read(datagram)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			continue // an ICMP error: nobody listens at the server's port
		}
		for _, d := range r.pass(c, toClient, datagram[:n]) {
			r.send(c, toClient, d)
		}
	}
}

// heldAtMost bounds how long a datagram waits for the next. One that waited for
// its sender's probe would be taken for a round trip of that length, the next
// probe would come later still, and so on: the connection would all but stop.
const heldAtMost = 5 * time.Millisecond

// pass asks the lane what goes on, with the faults of now, and counts.
func (r *Relay) pass(c *relayed, way direction, datagram []byte) [][]byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	on, dropped := c.lanes[way].pass(datagram, r.faults)
	if dropped {
		r.dropped[way]++
	} else if len(on) == 0 {
		time.AfterFunc(heldAtMost, func() { r.release(c, way) })
	}
	return on
}

// release sends what the lane holds back.
func (r *Relay) release(c *relayed, way direction) {
	r.mu.Lock()
	late := c.lanes[way].release()
	r.mu.Unlock()
	if late != nil {
		r.send(c, way, late)
	}
}

// send ignores errors: a server that is not there, or a test that has ended, loses
// the datagram as well.
func (r *Relay) send(c *relayed, way direction, datagram []byte) {
	switch way {
	case toServer:
		c.back.Write(datagram)
	case toClient:
		r.front.WriteToUDPAddrPort(datagram, c.addr)
	}
}
