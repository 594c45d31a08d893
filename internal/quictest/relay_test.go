package quictest

import (
	"fmt"
	"net/http"
	"reflect"
	"testing"

	"github.com/quic-go/quic-go/http3"
)

// trip sends datagrams 0 to n-1 through a lane, and tells in which order they go
// on.
func trip(l *lane, n int, f faults) (order []int, drops int) {
	for i := range n {
		on, dropped := l.pass([]byte{byte(i)}, f)
		if dropped {
			drops++
		}
		for _, d := range on {
			order = append(order, int(d[0]))
		}
	}
	return order, drops
}

func TestLaneOrder(t *testing.T) {
	for _, test := range []struct {
		n, reorder int
		want       []int
	}{
		{5, 0, []int{0, 1, 2, 3, 4}},
		{6, 3, []int{0, 1, 3, 2, 4}}, // the sixth, 5, is still held back
		{7, 3, []int{0, 1, 3, 2, 4, 6, 5}},
		{6, 2, []int{0, 2, 1, 4, 3}}, // so is 5 here
		{4, 1, []int{1, 0, 3, 2}},
	} {
		if got, drops := trip(newLane(1, 0), test.n, faults{reorder: test.reorder}); !reflect.DeepEqual(got, test.want) || drops != 0 {
			t.Errorf("%d datagrams, every %d. held back: %v, %d dropped, want %v", test.n, test.reorder, got, drops, test.want)
		}
	}
}

// What a lane holds back is its own copy: the reader's buffer is used again.
func TestLaneKeepsItsCopy(t *testing.T) {
	l := newLane(1, 0)
	buffer := []byte("first")
	if on, _ := l.pass(buffer, faults{reorder: 1}); on != nil {
		t.Fatalf("%q went on", on)
	}
	copy(buffer, "other")
	if on, _ := l.pass(buffer, faults{reorder: 1}); fmt.Sprintf("%q", on) != `["other" "first"]` {
		t.Errorf("%q", on)
	}
}

// With 200 datagrams and a share of 0.1, 20 are to be expected, with a standard
// deviation of sqrt(200 x 0.1 x 0.9) = 4.2; the seed decides which.
func TestLaneDrops(t *testing.T) {
	const n = 200
	order, drops := trip(newLane(7, 0), n, faults{drop: 0.1})
	if drops < 8 || drops > 32 || len(order)+drops != n {
		t.Errorf("%d dropped and %d passed of %d", drops, len(order), n)
	}
	if again, _ := trip(newLane(7, 0), n, faults{drop: 0.1}); !reflect.DeepEqual(order, again) {
		t.Error("the same seed drops others")
	}
	for _, other := range []*lane{newLane(8, 0), newLane(7, 1)} {
		if got, _ := trip(other, n, faults{drop: 0.1}); reflect.DeepEqual(order, got) {
			t.Error("another seed or lane drops the same")
		}
	}
	for _, test := range []struct {
		drop float64
		want int
	}{{0, 0}, {1, n}} {
		if _, drops := trip(newLane(7, 0), n, faults{drop: test.drop}); drops != test.want {
			t.Errorf("a share of %v: %d dropped, want %d", test.drop, drops, test.want)
		}
	}
}

func TestRelay(t *testing.T) {
	body := pattern(200_000)
	for _, test := range []struct {
		name    string
		drop    float64
		reorder int
	}{
		{"clear", 0, 0},
		{"10 % lost", 0.1, 0},
		{"every 5th late", 0, 5},
		{"5 % lost, every 3rd late", 0.05, 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := Start(t, Options{}, Answer(body))
			r := NewRelay(t, s.Addr(), 0, 1)
			first, second := client(t, s, listenUntilEnd(t)), client(t, s, listenUntilEnd(t))
			for _, c := range []*http3.Transport{first, second} {
				// The handshakes come through whole.
				if _, _, err := exchange(c, newRequest(t, r.Addr(), http.MethodHead, nil)); err != nil {
					t.Fatal(err)
				}
			}
			r.SetDrop(test.drop)
			r.Reorder(test.reorder)
			wantBody(t, first, r.Addr(), http.MethodGet, nil, body)
			wantBody(t, second, r.Addr(), http.MethodGet, nil, body)
			up, down := r.Dropped()
			if lossy := test.drop > 0; lossy != (up > 0) || lossy != (down > 0) {
				t.Errorf("%d dropped to the server, %d to the clients", up, down)
			}
		})
	}
}

// A relay to nowhere, and one that lets nothing through.
func TestRelayBlocked(t *testing.T) {
	s := Start(t, Options{}, Answer([]byte("x")))
	r := NewRelay(t, s.Addr(), 0, 1)
	c := client(t, s, listenUntilEnd(t))
	wantBody(t, c, r.Addr(), http.MethodGet, nil, []byte("x"))
	if up, down := r.Dropped(); up != 0 || down != 0 {
		t.Fatalf("%d and %d dropped", up, down)
	}
	r.SetDrop(1)
	wantNoHandshake(t, r.Addr(), trusting(t, s.CA()))
	if up, _ := r.Dropped(); up == 0 {
		t.Error("nothing dropped to the server")
	}
	r.SetDrop(0)
	wantBody(t, c, r.Addr(), http.MethodGet, nil, []byte("x"))

	gone := listen(t)
	nowhere := addrOf(gone)
	gone.Close()
	wantNoHandshake(t, NewRelay(t, nowhere, 0, 1).Addr(), trusting(t, s.CA()))
}
