package loadgen

import "fmt"

// Limiter is who kept the rate from being higher.
type Limiter uint8

const (
	LimitUnknown    Limiter = iota // not the generator; the server's use is not known
	LimitServer                    // the server's CPU
	LimitServerCPUs                // the CPUs the server runs on, which others use too
	LimitGenerator                 // a generator thread
	LimitNeither                   // both had time left: waiting, or too few connections
)

// limitBusy is the share of its CPUs from which on a party counts as the limit.
// The rest goes to the host and to the edges of the readings.
const limitBusy = 0.90

// Limit says who the limit was, and why.
func (r *Result) Limit() (who Limiter, why string) {
	generator := r.Busiest()
	ours := fmt.Sprintf("generator %.0f %% busy", 100*generator)
	switch s := r.Server; {
	case generator >= saturatedBusy:
		return LimitGenerator, ours
	case s == nil:
		return LimitUnknown, ours
	case s.Busy >= limitBusy:
		return LimitServer, ours
	case s.CPUsBusy != nil && *s.CPUsBusy >= saturatedBusy:
		return LimitServerCPUs, fmt.Sprintf("its CPUs %.0f %% busy, itself %.0f %%, %s", 100**s.CPUsBusy, 100*s.Busy, ours)
	default:
		return LimitNeither, fmt.Sprintf("server %.0f %% busy, %s", 100*s.Busy, ours)
	}
}
