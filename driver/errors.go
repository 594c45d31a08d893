package driver

import (
	"errors"
	"strings"

	"github.com/scalws/scalbench/driver/internal/measure"
	"github.com/scalws/scalbench/driver/internal/session"
	"github.com/scalws/scalbench/internal/host"
)

// Errors that callers tell apart. That a measurement is invalid is none: the
// [Outcome] counts them.
var (
	// ErrBusy says that another session holds the host, or has begun to measure the
	// same plan.
	ErrBusy = session.ErrBusy
	// ErrRefused says that this host must not be measured on as it is.
	ErrRefused = errors.New("host refused")
	// ErrLockLost says that somebody else may have measured on the host meanwhile.
	ErrLockLost = session.ErrLockLost
	// ErrAnother says that a variant runs and is not what its suite expects it to be, so
	// that nothing was measured of it: as root no sandbox, the wrong program.
	ErrAnother = measure.ErrAnother
	// ErrFinished says that there is nothing left to resume.
	ErrFinished = session.ErrFinished
	// ErrTaken says that there are results of that name.
	ErrTaken = session.ErrTaken
)

// RefusedError says why a host is refused; errors.Is finds [ErrRefused].
type RefusedError struct {
	Reasons []string // phrases, at least one
}

// Error has all reasons.
func (e *RefusedError) Error() string {
	return ErrRefused.Error() + ": " + strings.Join(e.Reasons, "; ")
}

// Is makes errors.Is find [ErrRefused].
func (e *RefusedError) Is(target error) bool { return target == ErrRefused }

// refusedBy is what findings that forbid to measure say; nil: there are none.
func refusedBy(findings []host.Finding) error {
	var reasons []string
	for _, f := range host.Refused(findings) {
		reasons = append(reasons, f.Check+": "+f.Text)
	}
	if reasons == nil {
		return nil
	}
	return &RefusedError{reasons}
}

// CopyError says that an unfinished session measures the same plan; errors.Is finds
// [ErrBusy].
type CopyError struct {
	SessionDir string
	err        error
}

// Error says which one.
func (e *CopyError) Error() string { return e.err.Error() }

// Is makes errors.Is find [ErrBusy].
func (e *CopyError) Is(target error) bool { return target == ErrBusy }
