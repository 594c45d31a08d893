package loadgen

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/loadgen/internal/exchange"
	"github.com/scalws/scalbench/loadgen/internal/quicnet"
)

// On HTTP/3 the worker is the same, with the same connections, slots, timers and
// recorder, and what is below it is not: quic-go's goroutines do the I/O and call
// the worker when something has ended. Its state then belongs to whoever holds
// the engine's lock, and its own goroutine only opens connections, sees to the
// edges of the timeline and to what has run out. Everything here is called with
// the lock held; what is about a plan needs none, and runQUIC takes it.

// validateQUIC returns the faults of what is only about HTTP/3.
func (p Plan) validateQUIC() []error {
	var faults []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			faults = append(faults, faultf(format, args...))
		}
	}
	if p.Protocol != HTTP3 {
		check(!p.TLS.ZeroRTT, "0-RTT: only HTTP/3 has it here")
		check(!p.QUICStats, "statistics of QUIC: only HTTP/3 has them")
		return faults
	}
	for _, t := range p.Targets {
		if u, err := t.parsedURL(); err == nil {
			check(u.Scheme == "https", "URL %q: HTTP/3 is only spoken on https://", t.URL)
		}
		safe := t.Method == "GET" || t.Method == "HEAD" || t.Method == "OPTIONS"
		check(!p.TLS.ZeroRTT || safe, "0-RTT: %s may be replayed by anybody on the way, want GET, HEAD or OPTIONS (RFC 8470 section 4)", t.Method)
	}
	check(p.TLS.Max != "1.2", "TLS versions: at most 1.2, but QUIC has TLS 1.3 (RFC 9001 section 4.2)")
	return faults
}

// makeH3 gives the worker its QUIC, and every connection what carries its
// exchanges.
func (w *worker) makeH3() error {
	request, err := w.plan.Targets[0].renderH3()
	if err != nil {
		return err
	}
	config, err := w.plan.quicTLS()
	if err != nil {
		return err
	}
	if w.plan.TLS.Resume || w.plan.TLS.ZeroRTT {
		config.ClientSessionCache = new(sessions)
	}
	config.CurvePreferences = groupsLike(w.agreed.group)
	if w.bell, err = newBell(); err != nil {
		return err
	}
	w.quic, err = quicnet.New(quicnet.Config{
		Clock: w.clock, Server: w.server, Sources: w.plan.SourceIPs,
		Connections: len(w.conns), Streams: w.plan.Streams,
		TLS: config, QUIC: w.quicConfig, ZeroRTT: w.plan.TLS.ZeroRTT,
		Request: &request, Expect: w.plan.Targets[0].expect(), Timeout: w.plan.Timeout, Handler: quicHandler{w},
	})
	if err != nil {
		return err
	}
	for i := range w.conns {
		w.conns[i].carrier = w.quic.Conn(i)
	}
	return nil
}

// quicTLS is what QUIC's handshake is made with.
func (p Plan) quicTLS() (*tls.Config, error) {
	u, err := p.Targets[0].parsedURL()
	if err != nil {
		return nil, err
	}
	config, err := p.TLS.config(u.Hostname(), p.Protocol.alpn())
	if err != nil {
		return nil, err
	}
	config.MinVersion = tls.VersionTLS13
	return config, nil
}

// quicConfig is what every QUIC connection of a run is made with. events may be
// nil.
func (p Plan) quicConfig(events *quicnet.Events, qlog func(string) (io.WriteCloser, error)) *quic.Config {
	config := &quic.Config{
		HandshakeIdleTimeout: p.ConnectTimeout,
		// What is asked is as long as the server likes; the server's own limit holds.
		MaxIdleTimeout: max(p.Timeout, idleMin),
		// A server has no business to open bidirectional streams (RFC 9114 section 6.1).
		MaxIncomingStreams: -1,
	}
	if events != nil {
		config.Tracer = events.Tracer(qlog)
	}
	return config
}

// idleMin is the least idle time that we allow a connection: as long as nothing
// else is said, no load test ends one.
const idleMin = time.Hour

// runQUIC is the life of a worker of HTTP/3.
func (w *worker) runQUIC() error {
	defer w.quic.Shutdown()
	w.quic.Lock()
	defer w.quic.Unlock()
	defer w.leaveAll()
	err := w.openConnections()
	w.control.arrive(w.up())
	if err != nil {
		return err
	}
	return w.measureAll()
}

// leaveAll says goodbye on every connection, also on those that are coming up.
func (w *worker) leaveAll() {
	w.ending = true
	for i := range w.conns {
		w.conns[i].state = absent
		w.quic.Disconnect(i)
	}
}

// turnQUIC lets the others work until an instant is reached or the bell rings,
// and then does what is due.
func (w *worker) turnQUIC(until mono.Time) mono.Time {
	before := w.clock.Now()
	until, spinning := w.open.wakeFor(before, min(until, w.timers.next, before+lookEvery))
	if spinning {
		w.quic.Unlock()
		runtime.Gosched() // with one CPU a worker the others get it, and nobody sleeps
		w.quic.Lock()
	} else {
		w.bell.set(until)
		w.quic.Unlock()
		w.bell.sleep()
		w.quic.Lock()
		w.bell.until = 0
	}
	now := w.clock.Now()
	w.resumed(before, now)
	if spinning && now < before+othersWorked {
		w.open.spun += now.Sub(before)
	}
	if w.measuring && !w.ending {
		w.longestTurn = max(w.longestTurn, now-w.lastTurn)
	}
	w.lastTurn = now
	if now >= w.lastLook+lookEvery {
		w.quic.Look(now)
		w.lastLook = now
	}
	w.quic.SetRest(w.rest.duration)
	if now >= w.timers.next {
		w.quic.Unlock()
		runtime.Gosched() // an answer that lies in the socket is no timeout
		w.quic.Lock()
		w.expired = w.timers.search(now, w.expired[:0])
		for _, i := range w.expired {
			w.due(i, now)
		}
	}
	w.connectQueued(now)
	if w.open != nil {
		now = w.clock.Now()
		w.pump(now)
	}
	return now
}

// othersWorked is how long it takes at the most to find out that nobody else had
// something to do.
const othersWorked = mono.Time(2 * time.Microsecond)

// lookEvery is how often responses are looked for that have not ended.
const lookEvery = mono.Time(10 * time.Millisecond)

// ring wakes the worker's own goroutine when it has something to do before it
// would wake.
func (w *worker) ring() {
	done := w.quota == 0 && w.outstanding == 0
	if w.bell.until != 0 && (done || w.timers.next < w.bell.until || len(w.connectQueue) > 0 || w.open.before(w.bell.until)) {
		w.bell.until = 0
		w.bell.ring()
	}
}

// quicHandler is the worker as its QUIC sees it. After each call the worker's own
// goroutine may have something to do.
type quicHandler struct{ w *worker }

// Connected implements quicnet.Handler.
func (h quicHandler) Connected(i int, at mono.Time) {
	h.w.opens(int32(i), at)
	h.w.ring()
}

// Secured implements quicnet.Handler.
func (h quicHandler) Secured(_ int, took time.Duration, resumed bool) {
	h.w.recorder.quic.Record(int64(took))
	if resumed {
		h.w.recorder.resumed++
	}
}

// ConnectFailed implements quicnet.Handler.
func (h quicHandler) ConnectFailed(i int, at mono.Time, why exchange.Reason) {
	h.w.connectingNow--
	h.w.connectFailed(int32(i), at, why)
	h.w.ring()
}

// Progress implements quicnet.Handler.
func (h quicHandler) Progress(i int, at mono.Time) {
	h.w.settle(int32(i), at, false)
	if h.w.open != nil { // what waits for room
		h.w.pump(at)
	}
	h.w.ring()
}

// Closed implements quicnet.Handler.
func (h quicHandler) Closed(i int, at mono.Time) {
	w, c := h.w, &h.w.conns[i]
	w.collect(int32(i), at)
	if c.state == open {
		w.leave(int32(i), at, true)
	}
	w.ring()
}

// useQUIC reads what the process has used so far. What quic-go does for one
// worker is done by any thread, so each gets its share of the whole.
func (w *worker) useQUIC(u threadUse) threadUse {
	u.bytesIn, u.bytesOut = w.quic.Bytes()
	var ru syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &ru) == nil {
		u.cpu = time.Duration(ru.Utime.Nano()+ru.Stime.Nano()) / time.Duration(w.workers)
		u.switches = ru.Nivcsw / int64(w.workers)
	}
	threads, _ := filepath.Glob("/proc/self/task/*/schedstat") // the pattern is right
	for _, thread := range threads {
		u.waiting += waitedForCPU(thread) / time.Duration(w.workers)
	}
	if w.open != nil {
		u.spun = w.open.spun
	}
	return u
}

// firstQUIC chooses the first address that shakes hands: whether a server is at a
// UDP port only its answer tells. What is wrong with its certificate is wrong at
// all addresses.
func (s *server) firstQUIC(ctx context.Context, p Plan, addresses []netip.Addr, port uint16) error {
	config, err := p.quicTLS()
	if err != nil {
		return err
	}
	for i, a := range addresses {
		s.address = netip.AddrPortFrom(a, port)
		if err = checkSources(p, *s); err != nil {
			return err
		}
		s.tls, err = shakeQUIC(ctx, p, s.address, config)
		if err == nil || errors.Is(err, ErrCertificate) || i == len(addresses)-1 {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", s.address, err)
	}
	return nil
}

func shakeQUIC(ctx context.Context, p Plan, address netip.AddrPort, config *tls.Config) (*TLSFacts, error) {
	ctx, cancel := context.WithTimeout(ctx, p.ConnectTimeout)
	defer cancel()
	state, err := quicnet.Handshake(ctx, address, p.SourceIPs, config, p.quicConfig(nil, nil))
	var untrusted *tls.CertificateVerificationError
	switch {
	case err == nil:
		return tlsFacts(state), nil
	case errors.As(err, &untrusted):
		return nil, fmt.Errorf("%w: %s", ErrCertificate, certificateFault(untrusted.Err))
	}
	return nil, fmt.Errorf("%w: %s", ErrUnreachable, quicnet.HandshakeFault(err))
}

// quicHandshakeText is the reason of a handshake that takes too long.
const quicHandshakeText = "QUIC handshake: no answer on the UDP port"
