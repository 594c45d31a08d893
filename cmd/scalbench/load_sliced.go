package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/loadgen"
)

// runSliced measures two targets that take turns, which only a plan can say: it is the load
// of a session whose interleave is sliced, and `scalbench ab` is what people use. All of it
// is written in JSON, schema scalbench.pairs/v1, and nobody judges it here.
func (o *loadOptions) runSliced(ctx context.Context, plan loadgen.Plan, file *resultFile, std streams) error {
	if o.format != "json" || len(o.limits) > 0 || o.strict || o.qlogDir != "" {
		return usagef("--plan: two targets that take turns are written by --output-format json alone, and judged by nobody")
	}
	if err := quietQUIC(plan.Protocol); err != nil {
		return err
	}
	var arranged error
	pairs, err := loadgen.RunPairs(ctx, plan, loadgen.PairObserver{
		Warned: func(w loadgen.Warning) {
			if !o.quiet {
				printWarning(std.err, w)
			}
		},
		Placed:   func(cpus cpuset.Set) { arranged = arrangeProcess(cpus, plan.Protocol) },
		Timeline: o.announcer(std.err),
	})
	if err = errors.Join(err, arranged); err != nil {
		if errors.Is(err, loadgen.ErrCertificate) {
			err = hintedError{err, certificateHint}
		}
		return err
	}
	if err := errors.Join(file.write(pairs), writeJSON(std.out, pairs)); err != nil {
		return fmt.Errorf("write result: %w", err)
	}
	if pairs.A.Interrupted || pairs.B.Interrupted {
		return errInterrupted
	}
	return nil
}
