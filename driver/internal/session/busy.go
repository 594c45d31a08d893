package session

import (
	"errors"
	"fmt"
)

// ErrBusy says that another session holds the host.
var ErrBusy = errors.New("host is busy")

// BusyError says which session holds the host.
type BusyError struct {
	Taken string   // what could not be had: the lock file, or the socket with an @ in front
	Owner *Owner   // nil: it could not be found out
	Live  Liveness // of Owner
}

// Error says who it is, as far as that is known.
func (e *BusyError) Error() string {
	switch {
	case e.Owner == nil:
		return fmt.Sprintf("%v: another session holds %s and does not say who it is", ErrBusy, e.Taken)
	case e.Live == Ended:
		return fmt.Sprintf("%v: another session holds %s; the last one that said who it is has ended: %s", ErrBusy, e.Taken, e.Owner)
	}
	return fmt.Sprintf("%v: %s", ErrBusy, e.Owner)
}

// Is makes errors.Is find [ErrBusy].
func (e *BusyError) Is(target error) bool { return target == ErrBusy }

// Measures tells whether the owner is at the plan of this hash: a second copy has
// nothing to wait for.
func (e *BusyError) Measures(planHash string) bool {
	return e.Owner != nil && e.Live != Ended && planHash != "" && e.Owner.PlanHash == planHash
}

// whoIsBusy finds the owner of a lock that could not be had.
func whoIsBusy(place Place, taken string) *BusyError {
	e := &BusyError{Taken: taken}
	e.Owner, e.Live = findOwner(place)
	return e
}

// findOwner asks the socket, which cannot lie about an owner that has ended, then the
// file beside the lock, which can.
func findOwner(place Place) (*Owner, Liveness) {
	if o, err := askGuard(place.socket()); err == nil {
		return o, Running
	}
	o, err := readOwner(place.Path)
	if err != nil {
		return nil, Unknown
	}
	return o, o.Liveness(place.proc())
}
