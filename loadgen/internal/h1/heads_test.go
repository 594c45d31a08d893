package h1

import (
	"fmt"
	"strings"
	"testing"

	"github.com/scalws/scalbench/loadgen/internal/exchange"
)

func numberedHead(i int) []byte {
	return fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nX-Number: %d\r\nContent-Length: 0\r\n\r\n", i)
}

func TestHeadsReplacesTheOldest(t *testing.T) {
	var h Heads
	// One more than fits: number 0 goes, all others stay.
	for i := range rememberedHeads + 1 {
		h.remember(numberedHead(i), answer{status: uint16(100 + i)})
	}
	for i := range rememberedHeads + 1 {
		a, size := h.find(append(numberedHead(i), "body"...))
		if i == 0 {
			if size != 0 {
				t.Error("the oldest head is still known")
			}
			continue
		}
		if size != len(numberedHead(i)) || a.status != uint16(100+i) {
			t.Errorf("head %d: answer %+v, size %d", i, a, size)
		}
	}
}

func TestHeadsWantsTheWholeHead(t *testing.T) {
	var h Heads
	head := numberedHead(1)
	h.remember(head, answer{status: 200})
	if _, size := h.find(head[:len(head)-1]); size != 0 {
		t.Error("a head without its last byte was found")
	}
	if _, size := new(Heads).find(head); size != 0 {
		t.Error("an empty Heads found something")
	}
}

// The remembered answer is falsified, so that its use shows.
func TestFeedUsesRememberedHeads(t *testing.T) {
	cfg := testConfig(t)
	var x exchange.Exchange
	sent(t, cfg, &x).Feed(1001, []byte(helloResponse))
	cfg.Heads.known[0].answer.status = 299
	sent(t, cfg, &x).Feed(1001, []byte(helloResponse))
	if x.Status != 299 {
		t.Errorf("status %d, want 299: the head was parsed again", x.Status)
	}
	// A head in two pieces is parsed: what is remembered is never looked up
	// with a part of a head.
	c := sent(t, cfg, &x)
	c.Feed(1001, []byte(helloResponse[:3]))
	c.Feed(1001, []byte(helloResponse[3:]))
	if x.Status != 200 {
		t.Errorf("status %d of a split head, want 200", x.Status)
	}
}

func TestHeadsBound(t *testing.T) {
	for _, test := range []struct {
		size int
		kept bool
	}{{2048, true}, {2049, false}} {
		cfg := testConfig(t)
		var x exchange.Exchange
		sent(t, cfg, &x).Feed(1001, []byte(sizedHead(test.size)))
		if kept := cfg.Heads.known[0].size == test.size; x.Outcome != exchange.OK || kept != test.kept {
			t.Errorf("head of %d bytes: %v, kept %v; want ok, %v", test.size, x.Outcome, kept, test.kept)
		}
	}
}

func TestFaultyHeadsAreNotRemembered(t *testing.T) {
	cfg := testConfig(t)
	for range 2 {
		var x exchange.Exchange
		sent(t, cfg, &x).Feed(1001, []byte(strings.Replace(helloResponse, ": 5", ": x", 1)))
		if x.Outcome != exchange.ProtocolError || cfg.Heads.known[0].size != 0 {
			t.Errorf("%v, remembered %d bytes; want protocol_error, 0", x.Outcome, cfg.Heads.known[0].size)
		}
	}
}
