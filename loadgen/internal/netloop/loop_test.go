package netloop

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/scalws/scalbench/internal/leaktest"
	"github.com/scalws/scalbench/internal/mono"
)

func TestMain(m *testing.M) { os.Exit(leaktest.Main(m)) }

// rig is a loop with a listener that it may connect to.
type rig struct {
	*testing.T
	clock    mono.Clock
	loop     *Loop
	listener net.Listener
	address  Address
}

func newRig(t *testing.T, o Options) *rig {
	t.Helper()
	clock, err := mono.NewClock()
	if err != nil {
		t.Fatal(err)
	}
	loop, err := New(clock, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(loop.Shutdown)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	return &rig{t, clock, loop, listener, NewAddress(netip.MustParseAddrPort(listener.Addr().String()))}
}

// next returns the next completion, waiting for up to 5 s.
func (r *rig) next() Event {
	r.Helper()
	var ev Event
	for deadline := r.clock.Now().Add(5 * time.Second); ; {
		if r.loop.Next(&ev) {
			return ev
		}
		now, err := r.loop.Wait(deadline, 0)
		if err != nil {
			r.Fatal(err)
		}
		if now >= deadline {
			r.Fatal("no completion within 5 s")
		}
	}
}

func (r *rig) want(kind Kind, slot int) Event {
	r.Helper()
	ev := r.next()
	if ev.Kind != kind || ev.Slot != slot {
		r.Fatalf("got %+v, want kind %d in slot %d", ev, kind, slot)
	}
	if ev.At == 0 {
		r.Errorf("completion %+v is not stamped", ev)
	}
	return ev
}

// quiet checks that a poll brings nothing.
func (r *rig) quiet() {
	r.Helper()
	if _, err := r.loop.Wait(0, 0); err != nil {
		r.Fatal(err)
	}
	var ev Event
	if r.loop.Next(&ev) {
		r.Fatalf("unexpected completion %+v", ev)
	}
}

// open connects a slot and returns the peer's side.
func (r *rig) open(slot int) *net.TCPConn {
	r.Helper()
	if failed, errno := r.loop.Connect(slot, &r.address, nil); errno != 0 {
		r.Fatal(failed, errno)
	}
	peer, err := r.listener.Accept()
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() { peer.Close() })
	r.want(Connected, slot)
	return peer.(*net.TCPConn)
}

func (r *rig) write(peer net.Conn, b string) {
	r.Helper()
	if _, err := io.WriteString(peer, b); err != nil {
		r.Fatal(err)
	}
}

func TestSendAndReceive(t *testing.T) {
	r := newRig(t, Options{Slots: 2})
	peer := r.open(1)
	var sent mono.Time
	before := r.clock.Now()
	r.loop.Send(1, []byte("ping"), &sent)
	if sent != 0 {
		t.Error("stamped before the turn's end")
	}
	r.quiet()
	if sent < before || sent > r.clock.Now() {
		t.Errorf("sent stamp %d outside the turn", sent)
	}
	got := make([]byte, 4)
	if _, err := io.ReadFull(peer, got); err != nil || string(got) != "ping" {
		t.Fatalf("peer read %q, %v", got, err)
	}
	r.write(peer, "pong")
	if ev := r.want(Data, 1); string(ev.Bytes) != "pong" || ev.Last || ev.At < sent {
		t.Errorf("got %+v", ev)
	}
	if in, out := r.loop.Bytes(); in != 4 || out != 4 {
		t.Errorf("bytes in %d out %d, want 4 and 4", in, out)
	}
}

// A response and the FIN behind it arrive as one edge: both must come out of
// it, or the connection is silent for ever.
func TestDataAndEndInOneEdge(t *testing.T) {
	r := newRig(t, Options{Slots: 1})
	peer := r.open(0)
	r.write(peer, "bye")
	peer.Close()
	time.Sleep(20 * time.Millisecond) // both have arrived when the loop looks first
	if ev := r.want(Data, 0); string(ev.Bytes) != "bye" || !ev.Last {
		t.Errorf("got %+v, want the data with Last", ev)
	}
	r.want(End, 0)
	r.quiet()
}

// More than one buffer of data is one edge: everything must be read in turn.
func TestDataBeyondTheBuffer(t *testing.T) {
	r := newRig(t, Options{Slots: 1, BufferBytes: 16})
	peer := r.open(0)
	const text = "0123456789abcdef0123456789abcdef01234" // 37 bytes: 16 + 16 + 5
	r.write(peer, text)
	time.Sleep(20 * time.Millisecond)
	var got bytes.Buffer
	for got.Len() < len(text) {
		got.Write(r.want(Data, 0).Bytes)
	}
	if got.String() != text {
		t.Errorf("got %q", got.String())
	}
	r.quiet()
	r.write(peer, "x")
	if ev := r.want(Data, 0); string(ev.Bytes) != "x" {
		t.Errorf("after the long read: %+v", ev)
	}
}

func TestExactlyOneBufferThenMore(t *testing.T) {
	r := newRig(t, Options{Slots: 1, BufferBytes: 16})
	peer := r.open(0)
	r.write(peer, "0123456789abcdef") // a full buffer and nothing behind it
	r.want(Data, 0)
	r.quiet()
	r.write(peer, "y")
	r.want(Data, 0)
	peer.Close()
	r.want(End, 0)
}

func TestDiscard(t *testing.T) {
	r := newRig(t, Options{Slots: 1})
	peer := r.open(0)
	r.loop.Discard(0, 100_000)
	go peer.Write(bytes.Repeat([]byte("z"), 100_003))
	var discarded int64
	for discarded < 100_000 {
		ev := r.want(Data, 0)
		if len(ev.Bytes) != 0 {
			t.Fatalf("%d bytes were copied with %d discarded", len(ev.Bytes), discarded)
		}
		discarded += ev.Discarded
	}
	if discarded != 100_000 {
		t.Errorf("discarded %d", discarded)
	}
	rest := 0
	for rest < 3 {
		rest += len(r.want(Data, 0).Bytes)
	}
	if in, _ := r.loop.Bytes(); rest != 3 || in != 100_003 {
		t.Errorf("%d bytes after the discarded ones, %d in all; want 3 and 100003", rest, in)
	}
}

// What is ready is not rested on; what comes during a rest is found after it.
func TestRest(t *testing.T) {
	r := newRig(t, Options{Slots: 1})
	peer := r.open(0)
	r.write(peer, "a")
	var ev Event
	for !r.loop.Next(&ev) { // the first look may come before the byte
		if _, err := r.loop.Wait(r.clock.Now(), 0); err != nil {
			t.Fatal(err)
		}
	}
	if string(ev.Bytes) != "a" {
		t.Fatalf("%+v", ev)
	}
	r.write(peer, "b") // over loopback it is there when write has returned
	if _, err := r.loop.Wait(Forever, time.Hour); err != nil || !r.loop.Next(&ev) || string(ev.Bytes) != "b" {
		t.Fatalf("%+v, %v", ev, err)
	}
	const rest = 20 * time.Millisecond
	began := r.clock.Now()
	go peer.Write([]byte("c"))
	after, err := r.loop.Wait(Forever, rest)
	if err != nil || !r.loop.Next(&ev) || string(ev.Bytes) != "c" {
		t.Fatalf("%+v, %v", ev, err)
	}
	// It may have been there at once, when the goroutine was first.
	if took := after.Sub(began); took < rest && took > rest/2 {
		t.Errorf("rested for %v of %v", took, rest)
	}
	if _, err = r.loop.Wait(began, rest); err != nil || r.loop.Next(&ev) {
		t.Errorf("%+v, %v", ev, err)
	}
}

// A peer that does not read fills the buffers: the rest of a send leaves when
// there is room, and is then announced.
func TestBlockedSend(t *testing.T) {
	r := newRig(t, Options{Slots: 1})
	peer := r.open(0)
	body := bytes.Repeat([]byte("abcdefgh"), 4<<20) // 32 MiB: more than both sockets hold
	var sent mono.Time
	r.loop.Send(0, body, &sent)
	r.quiet()
	if sent == 0 || !r.loop.Blocked(0) {
		t.Fatalf("sent %d, blocked %v: want a stamped first byte and a rest", sent, r.loop.Blocked(0))
	}
	stamp := sent
	read := make(chan []byte)
	go func() {
		got := make([]byte, len(body))
		io.ReadFull(peer, got)
		read <- got
	}()
	r.want(Sent, 0)
	if r.loop.Blocked(0) || sent != stamp {
		t.Error("still blocked, or stamped twice")
	}
	if !bytes.Equal(<-read, body) {
		t.Error("the peer got other bytes")
	}
}

func TestRefused(t *testing.T) {
	r := newRig(t, Options{Slots: 1})
	r.listener.Close()
	errno := func() syscall.Errno {
		if _, errno := r.loop.Connect(0, &r.address, nil); errno != 0 {
			return errno
		}
		return r.want(ConnectFailed, 0).Errno
	}
	for range 2 { // the slot is empty again after a failure
		if got := errno(); got != syscall.ECONNREFUSED {
			t.Errorf("errno %v, want ECONNREFUSED", got)
		}
	}
}

func TestResetByPeer(t *testing.T) {
	r := newRig(t, Options{Slots: 1})
	peer := r.open(0)
	peer.SetLinger(0)
	peer.Close()
	if ev := r.want(Failed, 0); ev.Errno != syscall.ECONNRESET {
		t.Errorf("errno %v, want ECONNRESET", ev.Errno)
	}
	r.quiet()
}

// A server may answer and close before it has read the request: the answer
// counts although sending fails.
func TestAnswerBeforeFailedSend(t *testing.T) {
	r := newRig(t, Options{Slots: 1})
	peer := r.open(0)
	r.write(peer, "413")
	peer.SetLinger(0) // the close is an RST, so that the next send meets an error
	time.Sleep(20 * time.Millisecond)
	if ev := r.want(Data, 0); string(ev.Bytes) != "413" {
		t.Fatalf("got %+v", ev)
	}
	peer.Close()
	time.Sleep(20 * time.Millisecond)
	var sent mono.Time
	r.loop.Send(0, []byte("late"), &sent)
	ev := r.next()
	if ev.Kind != WriteFailed && ev.Kind != Failed {
		t.Fatalf("got %+v, want a failure", ev)
	}
	if sent != 0 {
		t.Error("a refused send is stamped as sent")
	}
	r.quiet()
}

// Events of a socket that was closed in the same turn are dropped, also when
// the slot has a new socket by then.
func TestStaleEventsAreDropped(t *testing.T) {
	r := newRig(t, Options{Slots: 2})
	first, second := r.open(0), r.open(1)
	r.write(first, "a")
	r.write(second, "b")
	time.Sleep(20 * time.Millisecond)
	if _, err := r.loop.Wait(r.clock.Now().Add(time.Second), 0); err != nil {
		t.Fatal(err)
	}
	var ev Event
	if !r.loop.Next(&ev) {
		t.Fatal("no completion")
	}
	other := 1 - ev.Slot
	r.loop.Close(other, false)
	if failed, errno := r.loop.Connect(other, &r.address, nil); errno != 0 {
		t.Fatal(failed, errno)
	}
	if r.loop.Next(&ev) {
		t.Fatalf("stale completion %+v", ev)
	}
	peer, err := r.listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer peer.Close()
	r.want(Connected, other)
	r.write(peer, "new")
	if ev := r.want(Data, other); string(ev.Bytes) != "new" {
		t.Errorf("got %+v", ev)
	}
}

func TestQueuedSendOfClosedSocketIsDropped(t *testing.T) {
	r := newRig(t, Options{Slots: 1})
	peer := r.open(0)
	var sent mono.Time
	r.loop.Send(0, []byte("x"), &sent)
	r.loop.Close(0, false)
	r.quiet()
	if sent != 0 {
		t.Error("stamped although closed")
	}
	if b, err := io.ReadAll(peer); len(b) != 0 || err != nil {
		t.Errorf("peer got %q, %v", b, err)
	}
}

func TestCloseWithReset(t *testing.T) {
	r := newRig(t, Options{Slots: 1})
	peer := r.open(0)
	r.loop.Close(0, true)
	if _, err := peer.Read(make([]byte, 1)); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("peer read: %v, want ECONNRESET", err)
	}
}

func TestIPv6(t *testing.T) {
	listener, err := net.Listen("tcp", "[::1]:0")
	if err != nil {
		t.Skipf("no IPv6 loopback on this host: %v", err)
	}
	defer listener.Close()
	r := newRig(t, Options{Slots: 1})
	address := NewAddress(netip.MustParseAddrPort(listener.Addr().String()))
	if failed, errno := r.loop.Connect(0, &address, nil); errno != 0 {
		t.Fatal(failed, errno)
	}
	peer, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer peer.Close()
	r.want(Connected, 0)
}

func TestSourceAddress(t *testing.T) {
	r := newRig(t, Options{Slots: 2})
	for slot, ip := range []string{"127.0.0.5", "127.0.0.6"} {
		from := NewAddress(netip.AddrPortFrom(netip.MustParseAddr(ip), 0))
		if failed, errno := r.loop.Connect(slot, &r.address, &from); errno != 0 {
			t.Fatal(failed, errno)
		}
		peer, err := r.listener.Accept()
		if err != nil {
			t.Fatal(err)
		}
		defer peer.Close()
		r.want(Connected, slot)
		if got := peer.RemoteAddr().(*net.TCPAddr).IP.String(); got != ip {
			t.Errorf("connected from %s, want %s", got, ip)
		}
		r.loop.Close(slot, false)
	}
	foreign := NewAddress(netip.MustParseAddrPort("192.0.2.1:0")) // of documentation, RFC 5737
	if failed, errno := r.loop.Connect(0, &r.address, &foreign); failed != "bind" || errno != syscall.EADDRNOTAVAIL {
		t.Errorf("from an address that is not ours: %s %v", failed, errno)
	}
	r.quiet()
}

// A peer that sends faster than it can be read gets the same share of every
// turn, also when the kernel reports it anew while it is carried over.
func TestFloodIsBounded(t *testing.T) {
	r := newRig(t, Options{Slots: 1, BufferBytes: 16})
	peer := r.open(0)
	written := make(chan struct{})
	go func() {
		defer close(written)
		for {
			if _, err := peer.Write(make([]byte, 4096)); err != nil {
				return
			}
		}
	}()
	for turn := range 200 {
		if _, err := r.loop.Wait(r.clock.Now().Add(time.Second), 0); err != nil {
			t.Fatal(err)
		}
		var ev Event
		events := 0
		for r.loop.Next(&ev) {
			events++
		}
		if events > readsMax {
			t.Fatalf("turn %d brought %d reads of one socket, want at most %d", turn, events, readsMax)
		}
	}
	if r.loop.Drained() {
		t.Error("drained although there is more")
	}
	r.loop.Close(0, true)
	<-written
}

func TestNoSlots(t *testing.T) {
	clock, err := mono.NewClock()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := New(clock, Options{}); err == nil {
		t.Error("a loop without slots was made")
	}
}
