package main

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

func TestParseTimeWait(t *testing.T) {
	const sockstat = `sockets: used 26
TCP: inuse 6 orphan 0 tw 21979 alloc 6 mem 278
UDP: inuse 0 mem 0
UDPLITE: inuse 0
RAW: inuse 0
FRAG: inuse 0 memory 0
`
	if got, err := parseTimeWait(sockstat); err != nil || got != 21979 {
		t.Errorf("parseTimeWait = %d, %v, want 21979", got, err)
	}
	for _, text := range []string{
		"",
		"sockets: used 26\nUDP: inuse 0 tw 5\n",
		"TCP: inuse 6 orphan 0 alloc 6 mem 278\n",
		"TCP: inuse 6 orphan 0 tw\n",
		"TCP: inuse 6 tw many\n",
	} {
		if got, err := parseTimeWait(text); err == nil {
			t.Errorf("parseTimeWait(%q) = %d, want an error", text, got)
		}
	}
}

func TestTimeWaits(t *testing.T) {
	var w timeWaits
	if w.String() != "" {
		t.Errorf("nothing waited, and it says %q", w)
	}
	w.bound = 1000
	w.add(40*time.Second, 990)
	w.add(20*time.Second, 12)
	if want := "paused 60 s in all for TIME_WAIT; a run started with at most 990 such sockets"; w.String() != want {
		t.Errorf("text %q, want %q", w, want)
	}
	w.add(75*time.Second, 16384)
	if want := "at most 16 384 such sockets, MORE than 1 000: another program"; !strings.Contains(w.String(), want) {
		t.Errorf("text %q lacks %q", w, want)
	}
}

// A bound below 0 cannot be met, so only the end of the context ends the wait.
func TestAwaitTimeWait(t *testing.T) {
	var w timeWaits
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := awaitTimeWait(ctx, &w, -1); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that the context ended", err)
	}
	if err := awaitTimeWait(ctx, &w, 1<<30); err != nil || w.paused > timeWaitPatience/2 || w.bound != 1<<30 {
		t.Errorf("a bound that holds: %v, %+v", err, w)
	}
}
