package burden

import (
	"context"
	"testing"
	"time"
)

// What is due is the share of the time, and no more than debtMax is caught up with.
func TestLedger(t *testing.T) {
	l := ledger{share: 0.2}
	at := func(elapsed, want time.Duration) {
		t.Helper()
		if got := l.due(elapsed); got != want {
			t.Errorf("after %v %v is due, want %v", elapsed, got, want)
		}
	}
	at(10*time.Millisecond, 2*time.Millisecond)
	l.took(2 * time.Millisecond)
	at(11*time.Millisecond, 2200*time.Microsecond)
	l.took(2200 * time.Microsecond)
	// It was suspended for 10 s: 2 s would be due, and 50 ms more than it had are.
	at(10*time.Second, 52200*time.Microsecond)
	l.took(52200 * time.Microsecond)
	// From there on it goes on with a fifth of the time: 1 ms of 5 ms.
	at(10*time.Second+5*time.Millisecond, 53200*time.Microsecond)
}

func TestRunRefuses(t *testing.T) {
	for _, share := range []float64{0, 1, -0.1, 20} {
		if err := Run(t.Context(), share); err == nil {
			t.Errorf("a share of %v was taken", share)
		}
	}
}

// Run ends with its context, and that is no error.
func TestRunEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Run(ctx, 0.01); err != nil {
		t.Error(err)
	}
}
