package quicnet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"net"
	"slices"
	"testing"
	"time"

	"golang.org/x/net/ipv4"
	"golang.org/x/sys/unix"
)

func TestControlOf(t *testing.T) {
	gro := message(unix.SOL_UDP, unix.UDP_GRO, native(1252)...)
	tos4 := message(unix.IPPROTO_IP, unix.IP_TOS, 2)
	tos6 := message(unix.IPPROTO_IPV6, unix.IPV6_TCLASS, native(1)...)
	lying := slices.Clone(gro)
	lying[0] = 200
	for _, tt := range []struct {
		name    string
		control []byte
		segment int
		tos     []byte
	}{
		{"none", nil, 0, nil},
		{"train", gro, 1252, nil},
		{"marked, IPv4", tos4, 0, tos4},
		{"marked, IPv6", tos6, 0, tos6},
		{"both", slices.Concat(tos4, gro), 1252, tos4},
		{"both, the other way", slices.Concat(gro, tos6), 1252, tos6},
		{"cut without its padding", slices.Concat(gro, tos4)[:len(gro)+unix.CmsgLen(1)], 1252, tos4[:unix.CmsgLen(1)]},
		{"cut", gro[:10], 0, nil},
		{"longer than it is", lying, 0, nil},
		{"of no length", make([]byte, 64), 0, nil},
		{"a train without its number", message(unix.SOL_UDP, unix.UDP_GRO), 0, nil},
		{"another", message(unix.SOL_SOCKET, unix.SO_TIMESTAMP, make([]byte, 16)...), 0, nil},
	} {
		segment, tos := controlOf(tt.control)
		if segment != tt.segment || !slices.Equal(tos, tt.tos) {
			t.Errorf("%s: %d bytes, marking %x, want %d and %x", tt.name, segment, tos, tt.segment, tt.tos)
		}
	}
}

// messages are n of quic-go's: a buffer for one datagram each.
func messages(n int) []ipv4.Message {
	all := make([]ipv4.Message, n)
	for i := range all {
		all[i] = ipv4.Message{Buffers: [][]byte{make([]byte, 1500)}, OOB: make([]byte, 128)}
	}
	return all
}

// Trains are cut apart as they were, the last datagram of each as short as it is,
// however many quic-go asks for at a time; each has the marking of its train.
func TestGive(t *testing.T) {
	train := func(bytes uint32) []byte { return message(unix.SOL_UDP, unix.UDP_GRO, native(bytes)...) }
	mark := message(unix.IPPROTO_IP, unix.IP_TOS, 2)
	arrived := []struct {
		bytes   int
		control []byte
		want    []int // bytes of its datagrams
		mark    []byte
	}{
		{2500, slices.Concat(train(1000), mark), []int{1000, 1000, 500}, mark},
		{700, nil, []int{700}, nil},
		{1200, train(400), []int{400, 400, 400}, nil},
		{50, train(400), []int{50}, nil},
		{0, nil, []int{0}, nil},
		{30, mark, []int{30}, mark},
	}
	for _, atATime := range []int{1, 2, 8, 20} {
		r := newRig(t, "127.0.0.1:0", 1)
		in := &r.socket.receiver
		for i, a := range arrived {
			copy(in.control[i][:], a.control)
			in.headers[i].hdr.SetControllen(len(a.control))
			in.headers[i].bytes = uint32(a.bytes)
			for k := range a.bytes {
				in.data[i*receiveBytes+k] = byte(i + k>>4)
			}
		}
		in.received = len(arrived)
		given := giveAll(r, atATime)
		for i, a := range arrived {
			at := 0
			for _, size := range a.want {
				m := given[0]
				given = given[1:]
				for k, o := range m.Buffers[0][:m.N] {
					if o != byte(i+(at+k)>>4) {
						t.Fatalf("%d at a time: train %d: byte %d is of another place", atATime, i, at+k)
					}
				}
				if at += size; m.N != size || !bytes.Equal(m.OOB[:m.NN], a.mark) || m.Addr.(*net.UDPAddr).Port != noConnection {
					t.Errorf("%d at a time: train %d: %d bytes, marking %x, from %v; want %d and %x", atATime, i, m.N, m.OOB[:m.NN], m.Addr, size, a.mark)
				}
			}
		}
		if len(given) != 0 {
			t.Errorf("%d at a time: %d datagrams that nobody sent", atATime, len(given))
		}
	}
}

// giveAll takes what the socket has read, so many at a time.
func giveAll(r *rig, atATime int) (given []ipv4.Message) {
	for {
		batch := messages(atATime)
		n := r.socket.give(batch)
		if n == 0 {
			return given
		}
		given = append(given, batch[:n]...)
	}
}

// What a server sends as trains comes as its datagrams, over either IP version.
func TestReadBatch(t *testing.T) {
	for _, address := range []string{"127.0.0.1:0", "[::1]:0"} {
		r := newRig(t, address, 1)
		client := r.socket.LocalAddr().(*net.UDPAddr).AddrPort()
		cut := message(unix.IPPROTO_UDP, unix.UDP_SEGMENT, binary.NativeEndian.AppendUint16(nil, 1000)...)
		const trains = 40 // more than receiveMax
		for i := range trains {
			if _, _, err := r.server.WriteMsgUDPAddrPort(bytes.Repeat([]byte{byte(i)}, 2300), cut, client); err != nil {
				t.Fatal(err)
			}
		}
		for i := range 3 * trains {
			batch := messages(1)
			n, err := r.socket.ReadBatch(batch, 0)
			if want := []int{1000, 1000, 300}[i%3]; err != nil || n != 1 || batch[0].N != want || batch[0].Buffers[0][0] != byte(i/3) {
				t.Fatalf("%s: datagram %d: %d of %d bytes, %v, want %d", address, i, n, batch[0].N, err, want)
			}
		}
		if in, _ := r.engine.Bytes(); in != trains*2300 {
			t.Errorf("%s: %d bytes in, want %d", address, in, trains*2300)
		}
	}
}

// That nothing listens on the port is counted, and forgotten when something comes.
func TestRefusals(t *testing.T) {
	r := newRig(t, "127.0.0.1:0", 1)
	r.server.Close()
	r.socket.WriteMsgUDP([]byte("a"), nil, r.addressFor(0)) // the host answers with ICMP
	r.socket.WriteMsgUDP([]byte("b"), nil, r.addressFor(0)) // is told so
	for deadline := time.Now().Add(patience); r.engine.refusals.Load() == 0; {
		if r.socket.receive(); time.Now().After(deadline) {
			t.Fatal("nobody is told that nothing listens")
		}
	}
	server, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(r.engine.cfg.Server))
	if errors.Is(err, unix.EADDRINUSE) {
		t.Skipf("the port is somebody else's by now: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	if _, err := server.WriteToUDPAddrPort([]byte("c"), r.socket.LocalAddr().(*net.UDPAddr).AddrPort()); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(patience); !r.socket.receive(); {
		if time.Now().After(deadline) {
			t.Fatal("nothing came")
		}
	}
	if n := r.engine.refusals.Load(); n != 0 {
		t.Errorf("%d refusals after a datagram has come", n)
	}
}
