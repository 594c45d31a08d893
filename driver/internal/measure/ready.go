package measure

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/loadgen"
)

// askMax is how long one answer may take before anything is measured.
const askMax = 10 * time.Second

// ask sends the load's one request once, as it will be sent again and again, and wants the
// answer that it will want: the same protocol, certificate, status and length of the body.
// The first request of a server often is a slow one, too; it is no part of the load then.
func ask(ctx context.Context, plan loadgen.Plan) error {
	plan.Connections, plan.Streams, plan.Requests = 1, 1, 1
	plan.Rate, plan.Arrival = loadgen.Rate{}, loadgen.Constant
	plan.WarmUp, plan.Timeout, plan.Drain = 0, askMax, askMax
	plan.NoPin, plan.CPUs = true, cpuset.Set{}
	result, err := loadgen.Run(ctx, plan, loadgen.Observer{})
	url := plan.Targets[0].URL
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, loadgen.ErrPlan):
		return err
	case err != nil:
		return faultf("%s was not answered: %v", url, err)
	case result.Ledger.OK == 0:
		return faultf("%s was not answered as it should be: %s", url, firstErrors(result))
	}
	return nil
}

// firstErrors are what went wrong, of each kind the first.
func firstErrors(r *loadgen.Result) string {
	var texts []string
	for _, kind := range slices.Sorted(maps.Keys(r.FirstErrors)) {
		texts = append(texts, fmt.Sprintf("%s (%s)", kind, r.FirstErrors[kind]))
	}
	if len(texts) == 0 {
		return "nothing came within the time"
	}
	return strings.Join(texts, ", ")
}
