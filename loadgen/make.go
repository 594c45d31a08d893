package loadgen

import (
	"crypto/tls"
	"encoding/hex"
	"fmt"
	"net/netip"
	"syscall"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/loadgen/internal/exchange"
	"github.com/scalws/scalbench/loadgen/internal/h1"
	"github.com/scalws/scalbench/loadgen/internal/h2"
	"github.com/scalws/scalbench/loadgen/internal/netloop"
	"github.com/scalws/scalbench/loadgen/internal/transport"
)

// fdsBeside is what a process needs beside its connections: the event loops,
// standard streams, procfs readings, the runtime's own.
const fdsBeside = 64

// makeWorkers raises the limit of file descriptors as far as needed and makes
// the workers, each with its static share of the connections and requests.
func makeWorkers(p Plan, pl placement, s server, clock mono.Clock, quicConfig *quic.Config) ([]*windowFeed, []*worker, error) {
	if p.Requests > 0 {
		p.Connections = int(min(int64(p.Connections), p.Requests))
		pl.cpus = pl.cpus[:min(len(pl.cpus), p.Connections)]
	}
	if p.Protocol != HTTP3 { // which has a socket for each worker and source address
		if err := raiseFDLimit(p.Connections + fdsBeside); err != nil {
			return nil, nil, err
		}
	}
	control := newControl(len(pl.cpus))
	var feeds []*windowFeed
	var workers []*worker
	for i, cpu := range pl.cpus {
		feed := newWindowFeed(mono.Time(p.Window))
		if p.Slices.On() {
			feed = newSliceFeed()
		}
		w := &worker{
			plan: p, cpu: cpu, clock: clock, server: s.address, address: netloop.NewAddress(s.address), congestion: congestion(p, s),
			sources: addressesOf(p.SourceIPs), source: i,
			agreed: s.tls, quicConfig: quicConfig, workers: len(pl.cpus), control: control, recorder: newRecorder(feed), quota: -1,
			timelines: make(chan Timeline, 1), ended: make(chan struct{}, 1),
		}
		if s.local && !p.IsOpen() {
			w.rest.max = p.RestMax
		}
		if s.tls != nil && p.Protocol != HTTP3 {
			if err := w.makeSecrets(s.tls); err != nil {
				closeAll(workers)
				return nil, nil, err
			}
		}
		if p.Requests > 0 {
			w.quota = share(p.Requests, len(pl.cpus), i)
		}
		connections := int(share(int64(p.Connections), len(pl.cpus), i))
		w.open = newOpenLoop(p, i, len(pl.cpus), connections)
		if err := w.makeConnections(connections); err != nil {
			closeAll(append(workers, w))
			return nil, nil, err
		}
		feeds, workers = append(feeds, feed), append(workers, w)
	}
	return feeds, workers, nil
}

func addressesOf(ips []netip.Addr) []netloop.Address {
	var addresses []netloop.Address
	for _, ip := range ips {
		addresses = append(addresses, netloop.NewAddress(netip.AddrPortFrom(ip, 0)))
	}
	return addresses
}

// congestion chooses the congestion control of our side. On the loopback
// interface nothing can be congested or lost, and a host's default such as BBR
// computes a pace for every request: 1.5 to 2.5 % of the CPU per request, which
// the plainest one saves. It is not worth a system call for each connection
// when connections are short; towards another host the default stays.
func congestion(p Plan, s server) string {
	if s.address.Addr().IsLoopback() && p.RequestsPerConn == 0 {
		return "reno"
	}
	return ""
}

// makeConnections gives the worker everything that a connection needs in its
// life, so that nothing is allocated later.
func (w *worker) makeConnections(n int) error {
	streams := w.plan.Streams
	w.conns = make([]conn, n)
	w.slots = make([]exchange.Exchange, n*streams)
	w.rest.slots = time.Duration(len(w.slots))
	w.connectQueue = make([]int32, 0, n)
	w.touched = make([]int32, 0, n)
	w.expired = make([]int32, 0, n)
	w.timers = newTimers(n, timerGap(w.plan.Timeout))
	waiting, idle := make([]*exchange.Exchange, n*streams), make([]*exchange.Exchange, n*streams)
	for i := range w.conns {
		w.conns[i].waiting = waiting[i*streams : i*streams : (i+1)*streams]
		w.conns[i].idle = idle[i*streams : i*streams : (i+1)*streams]
	}
	switch w.plan.Protocol {
	case HTTP2:
		return w.makeH2()
	case HTTP3:
		return w.makeH3()
	}
	return w.makeH1()
}

// makeH1 gives every connection its codec of HTTP/1.1.
func (w *worker) makeH1() error {
	request, err := w.plan.Targets[0].renderH1()
	if err != nil {
		return err
	}
	config := &h1.Config{
		Request: &request,
		Heads:   new(h1.Heads),
		Expect:  w.plan.Targets[0].expect(),
		Timeout: w.plan.Timeout,
	}
	codecs := make([]h1.Conn, len(w.conns))
	for i := range w.conns {
		codecs[i].Init(config)
		w.conns[i].carrier, w.conns[i].codec = &codecs[i], &codecs[i]
	}
	return nil
}

// makeH2 gives every connection its codec of HTTP/2.
func (w *worker) makeH2() error {
	request, err := w.plan.Targets[0].renderH2()
	if err != nil {
		return err
	}
	config := &h2.Config{Request: &request, Expect: w.plan.Targets[0].expect(), Timeout: w.plan.Timeout, Streams: w.plan.Streams}
	codecs := make([]h2.Conn, len(w.conns))
	for i := range w.conns {
		codecs[i].Init(config)
		w.conns[i].carrier, w.conns[i].codec = &codecs[i], &codecs[i]
	}
	return nil
}

func (t Target) expect() exchange.Expect {
	e := exchange.Expect{Status: uint16(t.ExpectStatus), BodyBytes: t.ExpectBytes, Hashed: t.ExpectSHA256 != ""}
	_, _ = hex.Decode(e.SHA256[:], []byte(t.ExpectSHA256)) // it was validated
	return e
}

// makeSecrets gives the worker what it needs for TLS. A session is resumed only
// by the worker that has it, so that workers share nothing.
func (w *worker) makeSecrets(agreed *TLSFacts) error {
	u, err := w.plan.Targets[0].parsedURL()
	if err != nil {
		return err
	}
	config, err := w.plan.TLS.config(u.Hostname(), w.plan.Protocol.alpn())
	if err != nil {
		return err
	}
	config.CurvePreferences = groupsLike(agreed.group)
	if w.plan.TLS.Resume {
		config.ClientSessionCache = tls.NewLRUClientSessionCache(0)
	}
	if w.waker, err = netloop.NewWaker(); err != nil {
		return err
	}
	w.secrets = &secrets{
		config: config, protocol: w.plan.Protocol,
		handshakes: transport.NewHandshakes(w.waker.Wake),
		scratch:    make([]byte, transport.RecordMax),
	}
	return nil
}

// groupsLike are the key exchanges that are offered when the first handshake has
// come to one. Go makes keys for the one it likes best, and for a hybrid with
// ML-KEM that is a fifth of a handshake, in vain where the server has none. The
// others are named without keys: in TLS 1.2 they are also the curves that a
// certificate may have, and another server may stand behind the same address.
func groupsLike(agreed tls.CurveID) []tls.CurveID {
	switch agreed {
	case tls.X25519:
		return []tls.CurveID{tls.X25519, tls.CurveP256, tls.CurveP384, tls.CurveP521}
	case tls.CurveP256:
		return []tls.CurveID{tls.CurveP256, tls.CurveP384, tls.CurveP521}
	}
	return nil // all that Go has
}

// close gives back what was made outside the worker's thread.
func (w *worker) close() {
	if w.waker != nil {
		w.waker.Close()
	}
	if w.bell != nil {
		defer w.bell.close()
	}
	if w.quic != nil {
		// The run is over: what a socket says at its end changes nothing.
		_ = w.quic.Shutdown()
	}
}

// timerGap is how late a timeout may be noticed: a thousandth of it, within
// what is cheap to search for and what anybody would notice.
func timerGap(timeout time.Duration) mono.Time {
	return mono.Time(min(max(timeout/1000, 100*time.Microsecond), 10*time.Millisecond))
}

// raiseFDLimit lifts the soft limit of open files to what is needed, up to the
// hard limit.
func raiseFDLimit(need int) error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return fmt.Errorf("read limit of open files: %w", err)
	}
	switch {
	case uint64(need) <= limit.Cur:
		return nil
	case uint64(need) > limit.Max:
		return faultf("%d connections need %d file descriptors, the hard limit is %d (ulimit -Hn)", need-fdsBeside, need, limit.Max)
	}
	limit.Cur = uint64(need)
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return fmt.Errorf("raise limit of open files to %d: %w", need, err)
	}
	return nil
}
