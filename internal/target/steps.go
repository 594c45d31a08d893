package target

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/valyala/fasthttp"
)

// delayStep is a part of a distribution of delays: from where the step before it
// ends to percent, of each hundred requests in the order of their delays.
type delayStep struct {
	percent int // 1 to 100
	delay   time.Duration
}

const delayStepsUsage = "such as /delay-steps?p50=1ms&p90=5ms&p99=20ms"

// parseDelaySteps reads the parameters of /delay-steps. They stand in the order of
// a distribution, with percents that grow and delays that do not fall.
func parseDelaySteps(args *fasthttp.Args) ([]delayStep, error) {
	var steps []delayStep
	last := delayStep{}
	for key, value := range args.All() {
		digits, isPercent := strings.CutPrefix(string(key), "p")
		percent, err := strconv.Atoi(digits)
		if !isPercent || err != nil || percent <= last.percent || percent > 100 {
			return nil, fmt.Errorf("delay steps %q: expected p%d to p100 here, %s", key, last.percent+1, delayStepsUsage)
		}
		delay, err := time.ParseDuration(string(value))
		if err != nil || delay < last.delay || delay > maxHold {
			return nil, fmt.Errorf("delay steps p%d=%q: expected a duration from %s to %s here, %s", percent, value, last.delay, maxHold, delayStepsUsage)
		}
		last = delayStep{percent, delay}
		steps = append(steps, last)
	}
	if len(steps) == 0 {
		return nil, fmt.Errorf("delay steps: expected at least one, %s", delayStepsUsage)
	}
	return steps, nil
}

// delayOfRank returns the delay of one of a hundred requests, counted from 0 in the
// order of their delays. What lies above the last step has its delay too.
func delayOfRank(steps []delayStep, rank int) time.Duration {
	for _, s := range steps {
		if rank < s.percent {
			return s.delay
		}
	}
	return steps[len(steps)-1].delay
}

// rankOf returns which of a hundred the nth request is, n counted from 0. 37 has no
// factor in common with 100: any hundred requests in a row have each rank once.
// It scatters them, too: long delays do not come together, in which they would
// make each other wait.
func rankOf(n uint64) int { return int(n % 100 * 37 % 100) }
