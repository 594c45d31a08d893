package procfs

import (
	"errors"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// addDescriptors gives a process of the fixture its fd directory.
func addDescriptors(t *testing.T, f FS, pid int, links ...string) {
	t.Helper()
	dir := f.path(pid, "fd")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for i, link := range links {
		if err := os.Symlink(link, filepath.Join(dir, string(rune('3'+i)))); err != nil {
			t.Fatal(err)
		}
	}
}

func TestListenerOwnersFromFiles(t *testing.T) {
	f := unpack(t)
	addDescriptors(t, f, 100, "/dev/null", "socket:[7001]", "socket:[7004]")
	addDescriptors(t, f, 101, "socket:[7003]", "socket:[7001]")
	addDescriptors(t, f, 102, "socket:[7002]")
	addDescriptors(t, f, 200, "pipe:[7001]", "socket:[70010]", "socket:[7006]", "socket:[7007]", "socket:[7008]")

	for _, tt := range []struct {
		addr string
		want []int
	}{
		{"127.0.0.1:8080", []int{100, 101}}, // master and worker; the wildcard gives way
		{"192.0.2.1:8080", []int{102}},      // only the wildcard matches
		{"127.0.0.1:80", []int{100}},
		{"[::1]:81", []int{200}},
		{"[::1%lo]:81", []int{200}},
		{"127.0.0.1:82", []int{200}}, // [::] takes IPv4 too
		{"[2001:db8::1]:82", []int{200}},
		{"127.0.0.1:83", []int{200}}, // on ::ffff:127.0.0.1
		{"[::ffff:127.0.0.1]:80", []int{100}},
	} {
		owners, err := f.ListenerOwners(netip.MustParseAddrPort(tt.addr))
		if err != nil {
			t.Errorf("%s: %v", tt.addr, err)
			continue
		}
		check(t, tt.addr, owners.PIDs, tt.want)
		check(t, "access", owners.Access, AccessComplete)
	}
	for _, addr := range []string{
		"127.0.0.1:9",      // nobody
		"[::1]:80",         // 0.0.0.0 takes no IPv6
		"127.0.0.2:83",     // another address than ::ffff:127.0.0.1
		"[2001:db8::1]:81", // another address than ::1
		"127.0.0.1:50000",  // C350, the far end of a connection
	} {
		if _, err := f.ListenerOwners(netip.MustParseAddrPort(addr)); !errors.Is(err, ErrNoListener) || !strings.Contains(err.Error(), addr) {
			t.Errorf("%s: error %v, want ErrNoListener with the address", addr, err)
		}
	}
}

func TestMatch(t *testing.T) {
	listener := func(addr string, v6only bool) Listener {
		return Listener{Addr: netip.MustParseAddrPort(addr), V6Only: v6only}
	}
	for _, tt := range []struct {
		l    Listener
		addr string
		want match
	}{
		{listener("127.0.0.1:1", false), "127.0.0.1", matchExact},
		{listener("127.0.0.1:1", false), "127.0.0.2", matchNone},
		{listener("0.0.0.0:1", false), "127.0.0.2", matchWildcard},
		{listener("0.0.0.0:1", false), "::1", matchNone},
		{listener("[::]:1", false), "::1", matchWildcard},
		{listener("[::]:1", true), "::1", matchWildcard},
		{listener("[::]:1", false), "10.0.0.1", matchDualStack},
		{listener("[::]:1", true), "10.0.0.1", matchNone},
		{listener("[::ffff:10.0.0.1]:1", false), "10.0.0.1", matchExact},
	} {
		check(t, tt.l.Addr.String()+" for "+tt.addr, tt.l.match(netip.MustParseAddr(tt.addr)), tt.want)
	}
}

func TestParseNetTCPErrors(t *testing.T) {
	for _, tt := range []struct{ row, want string }{
		{"0: 0100007F:1F90 0:0 0A", "4 columns"},
		{"0: 0100007F 0:0 0A 0:0 0:0 0 33 0 7001", "not an address"},
		{"0: 0100:1F90 0:0 0A 0:0 0:0 0 33 0 7001", "not an address"},
		{"0: XX00007F:1F90 0:0 0A 0:0 0:0 0 33 0 7001", "not an address"},
		{"0: 0100007F:1F90 0:0 0A 0:0 0:0 0 root 0 7001", "root"},
	} {
		if _, err := parseTable([]byte("heading\n"+tt.row+"\n"), kindTCP, 8080); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("row %q: error %v, want one with %q", tt.row, err, tt.want)
		}
	}
}

func TestSocketInode(t *testing.T) {
	for link, want := range map[string]uint64{
		"socket:[12345]": 12345, "socket:[x]": 0, "socket:[12": 0, "pipe:[12]": 0, "/dev/null": 0, "": 0,
	} {
		if got, ok := socketInode(link); got != want || ok != (want != 0) {
			t.Errorf("socketInode(%q) = %d, %v, want %d", link, got, ok, want)
		}
	}
}

func TestAccessString(t *testing.T) {
	check(t, "denied", AccessDenied.String(), "not permitted")
	check(t, "zero", Access(0).String(), "complete")
}
