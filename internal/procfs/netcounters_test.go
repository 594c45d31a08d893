package procfs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestNetCounters(t *testing.T) {
	f := unpack(t)
	got, err := f.NetCounters()
	if err != nil {
		t.Fatal(err)
	}
	want := NetCounters{
		ListenOverflows: 16046, ListenDrops: 16050, SYNQueueDrops: 7, SYNCookies: 109,
		RetransmittedSegments: 313027, LossProbes: 296407, Timeouts: 12622, LostRetransmits: 532,
		UDPInErrors:     34, // 30 of IPv4 + 4 of IPv6, none of UDP-Lite
		UDPReceiveDrops: 23, // 20 + 3
		UDPSendDrops:    3,  // 1 + 2
	}
	check(t, "NetCounters", got, want)

	if err := os.Remove(filepath.Join(f.root, "net/snmp6")); err != nil {
		t.Fatal(err)
	}
	if got, err = f.NetCounters(); err != nil {
		t.Fatal(err)
	}
	check(t, "without IPv6", got.UDPInErrors, uint64(30))
	if err := os.Remove(filepath.Join(f.root, "net/snmp")); err != nil {
		t.Fatal(err)
	}
	if _, err := f.NetCounters(); err == nil || !strings.Contains(err.Error(), "net/snmp") {
		t.Errorf("without net/snmp: %v, want an error with the file", err)
	}
}

func TestNetCountersSub(t *testing.T) {
	earlier := NetCounters{10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110}
	later := NetCounters{11, 22, 33, 44, 55, 66, 77, 88, 99, 110, 121}
	check(t, "Sub", later.Sub(earlier), NetCounters{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})
	check(t, "Sub of counters that went back", earlier.Sub(later), NetCounters{})
}

func TestParseNetCountersErrors(t *testing.T) {
	for _, tt := range []struct{ table, want string }{
		{"Tcp: RetransSegs\nTcp: many\n", `Tcp.RetransSegs "many" is not a count`},
		{"Tcp: RetransSegs\nTcp: -1\n", `"-1" is not a count`},
		{"Tcp: RetransSegs InErrs\nTcp: 1\n", "does not hold the values of"},
		{"Tcp: RetransSegs\nUdp: 1\n", "does not hold the values of"},
		{"Tcp: RetransSegs\n", "is not followed by its values"},
	} {
		var c NetCounters
		if err := c.addTable([]byte(tt.table)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("addTable(%q): %v, want an error with %q", tt.table, err, tt.want)
		}
	}
	var c NetCounters
	if err := c.addTable([]byte("\nTcp: MaxConn RetransSegs\nTcp: -1 3\n")); err != nil || c.RetransmittedSegments != 3 {
		t.Errorf("a negative value that nobody asked for: %+v, %v", c, err)
	}
	if err := c.addList([]byte("Udp6InErrors x\n")); err == nil {
		t.Error("addList took x for a count")
	}
}
