package driver

import (
	"testing"
	"time"

	"github.com/scalws/scalbench/driver/internal/session"
	"github.com/scalws/scalbench/internal/suite"
)

// A pass loads each variant by itself, so that its time is the same for variants that take
// turns in the rounds: a half of a turn's window would be too little for it.
func TestPassesTakeAloneWhatTurnsShare(t *testing.T) {
	keys := []session.Key{{Variant: "a", Scenario: "x"}, {Variant: "b", Scenario: "x"}}
	var took [2]time.Duration
	for i, how := range []suite.Interleave{suite.ByVariant, suite.Sliced} {
		s := &sitting{task: task{suite: &suite.Suite{Plan: suite.Plan{Rounds: 1, Runs: 1, Warmup: time.Second, Measure: 30 * time.Second, Interleave: how}}}}
		took[i] = s.profilesTake(keys)
	}
	if took[0] != took[1] || took[0] < 2*time.Second {
		t.Errorf("%v by variants, %v in turns", took[0], took[1])
	}
}
