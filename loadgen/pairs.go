package loadgen

import (
	"context"
	"time"

	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/internal/mono"
)

// Slice is what one target did in one slice. What is not known is nil.
type Slice struct {
	OK     uint64 `json:"ok"`     // ended ok in the part that is counted
	Errors uint64 `json:"errors"` // ended otherwise in it
	// RPS is how many ended ok in a second, from the last that did before the counted part
	// to the first that did after it.
	RPS   float64  `json:"rps"`
	P50US *float64 `json:"p50_us,omitempty"` // response time
	P99US *float64 `json:"p99_us,omitempty"`
	// CPUPerRequestUS is the server's CPU time for each request, over the whole slice with
	// its beginning and its drain: for all that it did for them.
	CPUPerRequestUS *float64 `json:"cpu_us_per_request,omitempty"`
}

// Pair is one slice of each target, one directly after the other. Pairs come in twos,
// of which the second has the other order (ABBA), so that a drift cancels; a coin
// decides which of both orders comes first.
type Pair struct {
	A      Slice   `json:"a"`
	B      Slice   `json:"b"`
	BFirst bool    `json:"b_first,omitempty"`
	EndS   float64 `json:"end_s"` // when it ended, since the first slice began
}

// Lost says which target answered nothing any more, and since when.
type Lost struct {
	Target int     `json:"target"` // index of Plan.Targets
	AtS    float64 `json:"at_s"`   // since the first slice began
	Why    string  `json:"why"`
}

// PairsSchema is the format of [Pairs] in JSON.
const PairsSchema = "scalbench.pairs/v1"

// Pairs is what came of two targets that took turns.
type Pairs struct {
	Schema  string        `json:"schema"`
	A       *Result       `json:"a"`
	B       *Result       `json:"b"`
	Pairs   []Pair        `json:"pairs"`
	Slices  Slices        `json:"slices"`         // as they were: they are longer than the plan's for slow servers
	Elapsed time.Duration `json:"elapsed_ns"`     // from the first slice to the end of the last
	Lost    *Lost         `json:"lost,omitempty"` // nil: both answered to the end
}

// PairObserver is told how RunPairs goes. Fields may be nil.
type PairObserver struct {
	Warned  func(Warning)
	Placed  func(cpus cpuset.Set) // the workers' CPUs are chosen; no thread is pinned yet
	Started func(addressA, addressB string, workers int)
	// Timeline is told right before the first slice when the turns begin and when the last
	// of them does at the latest, so that others can look at both servers meanwhile. The
	// last pair ends a little after To.
	Timeline func(Timeline)
	// Pair is told of each pair, while neither target is loaded, and says whether to
	// stop.
	Pair func(Pair) (enough bool)
}

// RunPairs loads two targets in turns, with connections to both, that are renewed now and
// then ([Slices]): no request is out at one while the other is measured. It ends when the observer has enough, when
// the plan's Measure is over, when a target is lost, or when ctx is cancelled; a pair
// that was cut by that is in the results and in no pair. Errors are those of Run.
func RunPairs(ctx context.Context, plan Plan, observer PairObserver) (*Pairs, error) {
	if err := plan.Validate(); err != nil {
		return nil, err
	}
	if !plan.Slices.On() {
		return nil, faultf("slices: want a length")
	}
	clock, err := mono.NewClock()
	if err != nil {
		return nil, err
	}
	d, err := newDuel(ctx, plan, clock)
	if err != nil {
		return nil, err
	}
	defer d.close()
	if observer.Placed != nil && !d.sides[0].plan.NoPin {
		observer.Placed(d.sides[0].plan.CPUs)
	}
	for _, s := range d.sides {
		for _, w := range s.placement.warnings {
			if observer.Warned != nil {
				observer.Warned(w)
			}
		}
		if err := s.open(ctx); err != nil {
			return nil, err
		}
		defer s.group.workers[0].control.stopOnCancel(ctx, clock)()
	}
	if observer.Started != nil {
		observer.Started(d.sides[0].server.address.String(), d.sides[1].server.address.String(), len(d.sides[0].group.workers))
	}
	if err := d.warmUp(); err != nil {
		return nil, err
	}
	if err := d.takeTurns(ctx, observer); err != nil {
		return nil, err
	}
	return d.conclude(ctx)
}
