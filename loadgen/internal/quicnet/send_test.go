package quicnet

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/scalws/scalbench/loadgen/internal/exchange"
)

// queued is a datagram that a connection has to send.
type queued struct {
	connection, bytes int
	tos               uint8
}

// gather puts datagrams into a sender as WriteMsgUDP does.
func gather(d *sender, datagrams []queued) {
	for _, q := range datagrams {
		from := len(d.data)
		d.data = append(d.data, make([]byte, q.bytes)...)
		d.gathered[d.n] = datagram{from: from, to: len(d.data), tos: q.tos, connection: q.connection, next: -1}
		d.n++
	}
}

// alike is n datagrams of one length, each of a connection of its own.
func alike(n, bytes int) []queued {
	var all []queued
	for i := range n {
		all = append(all, queued{i, bytes, 0})
	}
	return all
}

// Datagrams of one length and marking are one train, in the order in which they
// came, as far as a train may go.
func TestCouple(t *testing.T) {
	for _, tt := range []struct {
		name      string
		datagrams []queued
		alone     bool
		want      [][]int // trains, as indices of their datagrams
	}{
		{"one", []queued{{0, 100, 0}}, false, [][]int{{0}}},
		{"equal", []queued{{0, 100, 0}, {1, 100, 0}, {2, 100, 0}}, false, [][]int{{0, 1, 2}}},
		{"all differ", []queued{{0, 100, 0}, {1, 101, 0}, {2, 99, 0}}, false, [][]int{{0}, {1}, {2}}},
		{"two lengths in turn", []queued{{0, 100, 0}, {1, 50, 0}, {2, 100, 0}, {3, 50, 0}}, false, [][]int{{0, 2}, {1, 3}}},
		{"two markings", []queued{{0, 100, 1}, {1, 100, 0}, {2, 100, 1}, {3, 100, 2}}, false, [][]int{{0, 2}, {1}, {3}}},
		{"the kernel takes none", []queued{{0, 100, 0}, {1, 100, 0}}, true, [][]int{{0}, {1}}},
		// 60 000 / 1200 = 50.
		{"as long as a train may be", alike(50, 1200), false, [][]int{upTo(0, 50)}},
		{"longer", alike(54, 1200), false, [][]int{upTo(0, 50), upTo(50, 54)}},
		{"as many as may be", alike(sendMax, 40), false, [][]int{upTo(0, 64)}}, // UDP_MAX_SEGMENTS
		{"no two fit", []queued{{0, 30_001, 0}, {1, 30_001, 0}}, false, [][]int{{0}, {1}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var d sender
			d.init(true)
			d.alone = tt.alone
			gather(&d, tt.datagrams)
			trains := d.couple()
			var got [][]int
			for k := range trains {
				var members []int
				for i := d.trains[k].first; i >= 0; i = d.gathered[i].next {
					members = append(members, i)
				}
				got = append(got, members)
			}
			if fmt.Sprint(got) != fmt.Sprint(tt.want) {
				t.Fatalf("trains %v, want %v", got, tt.want)
			}
			for k := range trains {
				wantHeader(t, &d, k, tt.datagrams)
			}
		})
	}
}

func upTo(from, to int) (all []int) {
	for i := from; i < to; i++ {
		all = append(all, i)
	}
	return all
}

// wantHeader compares what goes to the kernel with the train that it is of.
func wantHeader(t *testing.T, d *sender, k int, datagrams []queued) {
	t.Helper()
	train, h := d.trains[k], &d.headers[k].hdr
	if int(h.Iovlen) != train.count {
		t.Errorf("train %d: %d vectors for %d datagrams", k, h.Iovlen, train.count)
	}
	at := slices.IndexFunc(d.vectors[:], func(v unix.Iovec) bool { return v.Base == h.Iov.Base })
	for i := train.first; i >= 0; i = d.gathered[i].next {
		if v := d.vectors[at]; v.Base != &d.data[d.gathered[i].from] || int(v.Len) != datagrams[i].bytes {
			t.Errorf("train %d: datagram %d is of %d bytes, or elsewhere", k, i, v.Len)
		}
		at++
	}
	segment, tos := 0, uint8(0)
	if h.Controllen > 0 {
		segment, tos = sendControlOf(d.control[k][:h.Controllen])
	}
	if want := datagrams[train.first].bytes; train.count > 1 && segment != want || train.count == 1 && segment != 0 || tos != datagrams[train.first].tos {
		t.Errorf("train %d of %d: segments of %d bytes with marking %d", k, train.count, segment, tos)
	}
}

// What is written for the kernel is what x/sys reads, with the message of the IP
// version.
func TestControlFor(t *testing.T) {
	for _, ipv4 := range []bool{true, false} {
		var d sender
		d.init(ipv4)
		gather(&d, []queued{{0, 100, 2}, {1, 100, 2}, {2, 70, 1}, {3, 60, 0}})
		if n := d.couple(); n != 3 {
			t.Fatalf("%d trains, want 3", n)
		}
		level, kind := int32(unix.IPPROTO_IPV6), int32(unix.IPV6_TCLASS)
		if ipv4 {
			level, kind = unix.IPPROTO_IP, unix.IP_TOS
		}
		for k, want := range []struct{ segment, tos int }{{100, 2}, {0, 1}, {0, 0}} {
			messages, err := unix.ParseSocketControlMessage(d.control[k][:d.headers[k].hdr.Controllen])
			if err != nil {
				t.Fatal(err)
			}
			segment, tos := 0, 0
			for _, m := range messages {
				switch {
				case m.Header.Level == unix.IPPROTO_UDP && m.Header.Type == unix.UDP_SEGMENT:
					segment = int(binary.NativeEndian.Uint16(m.Data))
				case m.Header.Level == level && m.Header.Type == kind:
					tos = int(m.Data[0])
				default:
					t.Errorf("message %d of level %d", m.Header.Type, m.Header.Level)
				}
			}
			if segment != want.segment || tos != want.tos {
				t.Errorf("IPv4 %v, train %d: %d bytes and marking %d, want %+v", ipv4, k, segment, tos, want)
			}
		}
	}
}

// message is a control message with its padding.
func message(level, kind uint32, data ...byte) []byte {
	b := make([]byte, unix.CmsgSpace(len(data)))
	control(b, level, kind, len(data))
	copy(b[unix.SizeofCmsghdr:], data)
	return b
}

// native is a number of 4 bytes as the kernel has it.
func native(n uint32) []byte { return binary.NativeEndian.AppendUint32(nil, n) }

func TestSendControlOf(t *testing.T) {
	segment := message(unix.IPPROTO_UDP, unix.UDP_SEGMENT, binary.NativeEndian.AppendUint16(nil, 1252)...)
	tos4 := message(unix.IPPROTO_IP, unix.IP_TOS, 2)
	tos6 := message(unix.IPPROTO_IPV6, unix.IPV6_TCLASS, native(1)...)
	info := message(unix.IPPROTO_IP, unix.IP_PKTINFO, make([]byte, 12)...)
	lying := slices.Clone(tos4)
	binary.NativeEndian.PutUint64(lying, 1000)
	empty := make([]byte, 64) // of no length: it must not be read for ever
	for _, tt := range []struct {
		name    string
		oob     []byte
		segment int
		tos     uint8
	}{
		{"none", nil, 0, 0},
		{"train", segment, 1252, 0},
		{"marked, IPv4", tos4, 0, 2},
		{"marked, IPv6", tos6, 0, 1},
		{"both", slices.Concat(segment, tos6), 1252, 1},
		{"both, the other way", slices.Concat(tos4, segment), 1252, 2},
		{"behind another", slices.Concat(info, segment, tos4), 1252, 2},
		{"cut", segment[:10], 0, 0},
		{"longer than it is", lying, 0, 0},
		{"of no length", empty, 0, 0},
	} {
		if segment, tos := sendControlOf(tt.oob); segment != tt.segment || tos != tt.tos {
			t.Errorf("%s: %d bytes with marking %d, want %d and %d", tt.name, segment, tos, tt.segment, tt.tos)
		}
	}
}

// numbered is a datagram that names its connection and its place there.
func numbered(connection, place, bytes int) []byte {
	b := filled(bytes, byte(connection))
	b[1] = byte(place)
	return b
}

func filled(n int, with byte) []byte { return bytes.Repeat([]byte{with}, n) }

// addressFor is what quic-go names a connection by.
func (r *rig) addressFor(connection int) *net.UDPAddr {
	return addressOf(r.engine.cfg.Server, connection)
}

var mayTrain = message(unix.IPPROTO_UDP, unix.UDP_SEGMENT, binary.NativeEndian.AppendUint16(nil, 1252)...)

// What the connections gather arrives whole, cut as it was, and what one
// connection sends keeps its order, whatever leaves at once.
func TestGatheredArrives(t *testing.T) {
	for _, address := range []string{"127.0.0.1:0", "[::1]:0"} {
		t.Run(address, func(t *testing.T) {
			const connections, each = 20, 5
			r := newRig(t, address, connections)
			for place := range each {
				for c := range connections {
					size := []int{60, 1252, 60, 300 + c, 1252}[place]
					if n, _, err := r.socket.WriteMsgUDP(numbered(c, place, size), mayTrain, r.addressFor(c)); n != size || err != nil {
						t.Fatal(n, err)
					}
				}
			}
			r.socket.flush()
			next := [connections]int{}
			total := 0
			for range connections * each {
				b := r.next()
				c, place := int(b[0]), int(b[1])
				if place != next[c] || len(b) != []int{60, 1252, 60, 300 + c, 1252}[place] || !bytes.Equal(b[2:], filled(len(b)-2, byte(c))) {
					t.Fatalf("connection %d: datagram %d of %d bytes, want number %d", c, place, len(b), next[c])
				}
				next[c]++
				total += len(b)
			}
			if in, out := r.engine.Bytes(); in != 0 || out != uint64(total) {
				t.Errorf("%d bytes in, %d out, want 0 and %d", in, out, total)
			}
		})
	}
}

// A connection's second datagram does not wait beside its first, for a train might
// overtake it; what must not wait takes all before it along; and when the reader
// sleeps nothing waits.
func TestWhenGatheredLeaves(t *testing.T) {
	send := func(r *rig, connection, bytes int, oob []byte) {
		t.Helper()
		if _, _, err := r.socket.WriteMsgUDP(numbered(connection, 0, bytes), oob, r.addressFor(connection)); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name      string
		send      func(r *rig)
		left      int // datagrams
		stillHeld int
	}{
		{"one of each", func(r *rig) { send(r, 0, 100, mayTrain); send(r, 1, 100, mayTrain) }, 0, 2},
		{"two of one", func(r *rig) { send(r, 0, 100, mayTrain); send(r, 1, 100, mayTrain); send(r, 0, 100, mayTrain) }, 2, 1},
		{"no train allowed", func(r *rig) { send(r, 0, 100, mayTrain); send(r, 1, 100, nil) }, 2, 0},
		{"a train of quic-go's own", func(r *rig) { send(r, 0, 100, mayTrain); send(r, 1, 2000, mayTrain) }, 3, 0}, // 1252 + 748
		{"of no connection", func(r *rig) { send(r, 0, 100, mayTrain); send(r, noConnection, 100, mayTrain) }, 2, 0},
		{"more than there is room for", func(r *rig) {
			for c := range sendMax + 1 {
				send(r, c, 100, mayTrain)
			}
		}, sendMax, 1},
		{"more bytes than there is room for", func(r *rig) {
			for c := range 53 { // 65 536 / 1252 = 52.3
				send(r, c, 1252, mayTrain)
			}
		}, 52, 1},
		{"the reader sleeps", func(r *rig) { r.socket.waiting = true; send(r, 0, 100, mayTrain) }, 1, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, "127.0.0.1:0", sendMax+1)
			tt.send(r)
			if r.socket.sender.n != tt.stillHeld {
				t.Errorf("%d are held, want %d", r.socket.sender.n, tt.stillHeld)
			}
			for range tt.left {
				r.next()
			}
		})
	}
}

// An exchange is stamped when its connection's datagram leaves, once, and not by
// another's.
func TestStampedWhenItLeaves(t *testing.T) {
	r := newRig(t, "127.0.0.1:0", 2)
	e := r.engine
	e.cfg.Timeout = patience
	var x [2]exchange.Exchange
	for i := range x {
		c := e.Conn(i)
		c.streams[0].x = &x[i]
		c.unsent = append(c.unsent, &c.streams[0])
	}
	before := e.cfg.Clock.Now()
	r.socket.WriteMsgUDP(numbered(0, 0, 100), mayTrain, r.addressFor(0))
	if x[0].Sent != 0 {
		t.Error("stamped while it is held")
	}
	r.socket.flush()
	if x[0].Sent < before || x[0].Deadline != x[0].Sent.Add(patience) || x[1].Sent != 0 {
		t.Errorf("stamped %v and %v, want the first, at or after %v", x[0], x[1], before)
	}
	first := x[0].Sent
	r.socket.WriteMsgUDP(numbered(0, 1, 100), nil, r.addressFor(0))
	r.socket.WriteMsgUDP(numbered(1, 0, 100), nil, r.addressFor(1)) // at once
	if x[0].Sent != first || x[1].Sent < first {
		t.Errorf("stamped %v and %v, want the first as before and the second later", x[0].Sent, x[1].Sent)
	}
	for i := range x {
		e.Conn(i).streams[0].x = nil
	}
}

// Where the kernel takes no trains the datagrams leave one by one.
func TestSendEach(t *testing.T) {
	r := newRig(t, "127.0.0.1:0", 4)
	r.socket.sender.alone = true
	for c := range 4 {
		r.socket.WriteMsgUDP(numbered(c, 0, 200), mayTrain, r.addressFor(c))
	}
	r.socket.flush()
	for c := range 4 {
		if b := r.next(); int(b[0]) != c || len(b) != 200 {
			t.Errorf("datagram of connection %d with %d bytes, want %d", b[0], len(b), c)
		}
	}
	gather(&r.socket.sender, alike(3, 90))
	r.socket.sender.alone = false
	trains := r.socket.sender.couple()
	r.socket.sendEach(r.socket.sender.trains[:trains])
	r.socket.sender.n, r.socket.sender.data = 0, r.socket.sender.data[:0]
	for range 3 {
		if b := r.next(); len(b) != 90 {
			t.Errorf("datagram of %d bytes, want 90", len(b))
		}
	}
}
