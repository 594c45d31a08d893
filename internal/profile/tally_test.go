package profile

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Every sample is counted once, by group, leaf and stack. Of the five one is cut after a
// function of the server, and one in what is none.
func TestTally(t *testing.T) {
	groups, err := Compile(nil)
	if err != nil {
		t.Fatal(err)
	}
	tally := NewTally(groups)
	tcp := slices.Concat(kernel("tcp_ack", "do_syscall_64"), user("/lib/libc.so.6:writev", "/opt/a;b:main"))
	for _, s := range []Sample{
		{PID: 1, Comm: "srv;1", Stack: tcp},
		{PID: 1, Comm: "srv;1", Stack: tcp},
		{PID: 1, Comm: "srv;1", Stack: kernel("tcp_v4_rcv")},
		{PID: 1, Comm: "srv;1", Stack: user("/opt/srv:[unknown]")},
		{PID: 1, Comm: "srv;1", Stack: user("/opt/srv:f", "[unknown]:[unknown]")},
	} {
		tally.Add(s)
	}
	if tally.Total() != 5 || tally.Group("network") != 3 || tally.Group(OwnCode) != 2 || tally.Group("copy") != 0 || tally.Cut() != 2 {
		t.Errorf("%d samples, %d of the network, %d own, %d cut", tally.Total(), tally.Group("network"), tally.Group(OwnCode), tally.Cut())
	}
	if diff := cmp.Diff([]Count{{"tcp_ack", 2}, {"tcp_v4_rcv", 1}}, tally.Symbols("network", 5)); diff != "" {
		t.Error(diff)
	}
	if got := tally.Symbols(OwnCode, 1); !slices.Equal(got, []Count{{"[srv]", 1}}) {
		t.Errorf("own %v", got)
	}
	var out strings.Builder
	if err := tally.WriteFolded(&out); err != nil {
		t.Fatal(err)
	}
	want := "srv:1;[srv] 1\nsrv:1;[unknown];f 1\nsrv:1;main;writev;do_syscall_64_[k];tcp_ack_[k] 2\nsrv:1;tcp_v4_rcv_[k] 1\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}
