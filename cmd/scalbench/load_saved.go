package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"slices"
	"time"

	"github.com/scalws/scalbench/ab"
	"github.com/scalws/scalbench/internal/saved"
	"github.com/scalws/scalbench/internal/units"
	"github.com/scalws/scalbench/loadgen"
)

// remember saves a result and tells what the same plan gave before. started says that the
// server was started for it. What cannot be saved costs a warning, and no result: it has
// been written.
func (o *loadOptions) remember(plan loadgen.Plan, started bool, r *loadgen.Result, std streams) {
	if o.noSave || o.announce { // announced to a session, which keeps its own
		return
	}
	store := saved.Store{Dir: saved.Folder(os.Environ())}
	same := savedPlan(plan, started, r)
	number, err := store.Add(r.StartedAt, same, r)
	switch {
	case err != nil && !o.quiet:
		fmt.Fprintf(std.err, "scalbench: warning: %v (--no-save does without)\n", err)
		return
	case err != nil || number == 0 || o.format != "text":
		return
	}
	if before, err := store.Before(number, same); err == nil {
		printBefore(std.out, before, number, r)
		return
	}
	fmt.Fprintf(std.out, "saved    #%d\n", number)
}

// savedPlan is what two results share when one may be held against the other: all that
// was asked for with bodies and secrets, and the workers' CPUs, but for the seed; as a
// hash, from which nobody learns them. A server that was started has another port and
// another certificate each time, which are left out.
func savedPlan(plan loadgen.Plan, started bool, r *loadgen.Result) string {
	plan.Seed, plan.CPUs = 0, r.Plan.CPUs
	if started {
		plan.TLS.CAs, plan.Targets = nil, slices.Clone(plan.Targets)
		if u, err := url.Parse(plan.Targets[0].URL); err == nil {
			u.Host = targetName
			plan.Targets[0].URL = u.String()
		}
	}
	text, err := json.Marshal(struct {
		Plan    loadgen.Plan
		Version string
	}{plan, r.Version})
	if err != nil { // it is what a generator is given
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// printBefore tells what the same plan gave before, and where both are.
func printBefore(out io.Writer, before saved.Entry, number int, r *loadgen.Result) {
	var earlier loadgen.Result
	if json.Unmarshal(before.Result, &earlier) != nil || !holdable(&earlier) || !holdable(r) {
		fmt.Fprintf(out, "saved    #%d\n", number)
		return
	}
	change := ab.Compare(runOf(&earlier), runOf(r), ab.DefaultAlpha).RPS
	where := "inside the noise of both"
	switch {
	case change.Verdict != ab.CannotTell:
		where = "more than the noise of both"
	case !change.Known():
		where = "too few windows to know the noise"
	}
	fmt.Fprintf(out, "before   %s same plan %s req/s: %s, %s\n", clockOf(before.At, time.Now()), rate(earlier.RPS), units.SignedPercent(r.RPS/earlier.RPS-1), where)
	fmt.Fprintf(out, "saved    #%d   next: scalbench compare %d %d\n", number, before.Number, number)
}

// holdable tells whether the rate of a result can be held against another one.
func holdable(r *loadgen.Result) bool {
	return r.RPS > 0 && !r.Interrupted && r.Validity != loadgen.Invalid
}

// clockOf is a time as people say it: of today without the day.
func clockOf(at, now time.Time) string {
	at = at.Local()
	if at.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return at.Format("15:04")
	}
	return at.Format("2006-01-02 15:04")
}

// runOf is what a result tells, as package ab compares it. The last window of a run of a
// number of requests is shorter than the others, and left out.
func runOf(r *loadgen.Result) ab.Run {
	run := ab.Run{RPS: ab.Series{Whole: r.RPS}}
	if r.CompletedInWindow > 0 {
		run.RPS.Step = 1 / float64(r.CompletedInWindow)
	}
	length := r.Plan.Window.Seconds()
	for _, w := range r.Windows {
		if length <= 0 || w.StartS+length > r.MeasuredS+1e-6 {
			continue
		}
		run.RPS.Windows = append(run.RPS.Windows, float64(w.OK)/length)
		run.P50US.Windows = append(run.P50US.Windows, known(w.P50US))
		run.P99US.Windows = append(run.P99US.Windows, known(w.P99US))
	}
	if l := r.Latency.Response; l != nil {
		run.P50US.Whole, run.P99US.Whole = known(l.P50US), known(l.P99US)
	}
	if r.Server != nil {
		run.CPUMicros.Whole = known(r.Server.CPUPerRequestUS)
	}
	return run
}
