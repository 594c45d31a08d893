package procfs

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// As the kernel prints it, of a server on two nodes.
const numaMaps = `55b2a9c3a000 default file=/srv/a\040b mapped=2 N0=2 kernelpagesize_kB=4
55b2a9c44000 default file=/srv/a\040b anon=1 dirty=1 active=0 N0=1 kernelpagesize_kB=4
55b2e0124000 default heap anon=4 dirty=4 active=0 N0=3 N1=1 kernelpagesize_kB=4
7f225eb43000 bind:0 file=/srv/static-1m mapped=256 mapmax=2 N0=6 N1=250 kernelpagesize_kB=4
7f225eb65000 default file=/srv/static-1m mapped=1 N1=1 kernelpagesize_kB=4
7f225eb66000 default file=/anon_hugepage\040(deleted) huge anon=3 dirty=3 N1=3 kernelpagesize_kB=2048
7f225eb67000 default file=/srv/not-read
7f225eb69000 default file=/srv/none anon=1 N0=0 kernelpagesize_kB=4
7f225eb68000 default file=/lib/libc anon=3 dirty=3 mapped=12 N0=8 N1=4 kernelpagesize_kB=4
7ffc51d5e000 default
`

func TestParseNumaMaps(t *testing.T) {
	got, err := parseNumaMaps([]byte(numaMaps))
	if err != nil {
		t.Fatal(err)
	}
	want := Placement{
		// 1 + 3 pages of 4 KiB, and 2 of the 3 of libc, which has 8 of 12 there; 1 of them, 1 of
		// libc, and 3 huge ones of 2 MiB.
		Anonymous: NodeBytes{0: 6 * 4096, 1: 2*4096 + 3*2<<20},
		// 2 and 6, and 6 of libc; 251, and 3 of libc.
		File: NodeBytes{0: 14 * 4096, 1: 254 * 4096},
		Files: []FilePlacement{{"/srv/static-1m", NodeBytes{0: 6 * 4096, 1: 251 * 4096}}, {"/lib/libc", NodeBytes{0: 6 * 4096, 1: 3 * 4096}},
			{"/srv/a b", NodeBytes{0: 2 * 4096}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, line := range []string{"1 default N0=x", "1 default Nx=1", "1 default N0=1 kernelpagesize_kB=big", "1 default file=/x anon=many N0=1"} {
		if _, err := parseNumaMaps([]byte(line)); err == nil {
			t.Errorf("%q is read", line)
		}
	}
}

// A file that is mapped and was touched is seen, with all of its pages.
func TestPlacement(t *testing.T) {
	path := filepath.Join(t.TempDir(), "served file")
	const size = 1 << 20
	if err := os.WriteFile(path, make([]byte, size), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	mapped, err := unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED|unix.MAP_POPULATE)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(mapped)
	proc := NewFS("/proc")
	p, err := proc.Placement(os.Getpid())
	if errors.Is(err, ErrNoNodes) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, file := range p.Files {
		found = found || strings.HasSuffix(file.Path, "served file") && file.Bytes.total() == size
	}
	if !found || p.Anonymous.total() == 0 || p.File.total() < size {
		t.Errorf("%+v, want %d bytes of %s", p, size, path)
	}
	if _, err := proc.Placement(1 << 30); !errors.Is(err, ErrGone) {
		t.Errorf("of no process: %v", err)
	}
}

// Without the option there is no such file, which is not the end of the process.
func TestPlacementUnknown(t *testing.T) {
	f := unpack(t)
	if _, err := f.Placement(100); !errors.Is(err, ErrNoNodes) {
		t.Errorf("%v, want %v", err, ErrNoNodes)
	}
}

// The threads of this process have run.
func TestThreads(t *testing.T) {
	threads, err := NewFS("/proc").Threads(os.Getpid(), 0)
	if err != nil {
		t.Fatal(err)
	}
	ran := false
	for _, thread := range threads {
		ran = ran || thread.Ran > 0
		if thread.Name == "" || thread.TID == 0 {
			t.Errorf("%+v", thread)
		}
	}
	if len(threads) < 2 || !ran && threads[0].Timed {
		t.Errorf("%+v", threads)
	}
	if _, err := NewFS("/proc").Threads(1<<30, 0); !errors.Is(err, ErrGone) {
		t.Errorf("of no process: %v", err)
	}
}
