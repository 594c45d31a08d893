package procfs

import (
	"net"
	"os"
	"slices"
	"testing"
)

func TestPortOwners(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	datagrams, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer datagrams.Close()
	tcp := uint16(listener.Addr().(*net.TCPAddr).Port)
	udp := uint16(datagrams.LocalAddr().(*net.UDPAddr).Port)
	f := NewFS("/proc")
	for _, tt := range []struct {
		network Network
		port    uint16
	}{{TCP, tcp}, {UDP, udp}} {
		owners, err := f.PortOwners(tt.network, tt.port)
		if err != nil || len(owners.Listeners) != 1 || !slices.Contains(owners.PIDs, os.Getpid()) {
			t.Errorf("%v port %d: %+v, %v, want this process", tt.network, tt.port, owners, err)
		}
	}
	listener.Close()
	if owners, err := f.PortOwners(TCP, tcp); err != nil || len(owners.Listeners) != 0 {
		t.Errorf("a port that nobody listens on: %+v, %v", owners, err)
	}
}
