package measure

import (
	"context"
	"errors"
	"fmt"

	"github.com/scalws/scalbench/internal/record"
)

// InvalidError says that a variant cannot be measured, for it is not what was meant: it
// does not become ready, is another program, shares its port, or its log tells of a
// failure. The measurements that would have been made are Invalid, with Reason. Nothing
// of it runs any more.
type InvalidError struct {
	Variant string
	Reason  string // a sentence on one line
	Files   []File // what was seen: logs and configurations

	// Another: it runs, and is not what the suite expects it to be.
	Another bool
}

// ErrAnother is found by errors.Is in an [InvalidError] of a variant that is Another.
var ErrAnother = errors.New("a variant is not what was meant")

// Error names the variant and says why.
func (e *InvalidError) Error() string {
	if e.Another {
		return fmt.Sprintf("INVALID, variant %s is not what was meant: %s", e.Variant, e.Reason)
	}
	return fmt.Sprintf("variant %s: %s", e.Variant, e.Reason)
}

// Is makes errors.Is find [ErrAnother].
func (e *InvalidError) Is(target error) bool { return e.Another && target == ErrAnother }

// fault is the reason of an InvalidError on its way there.
type fault struct {
	reason  string
	another bool
}

func (f *fault) Error() string { return f.reason }

func faultf(format string, args ...any) error { return &fault{reason: fmt.Sprintf(format, args...)} }

// unready makes a failed wait a fault of the variant's, unless it was called off.
func unready(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	return &fault{reason: err.Error()}
}

// reasonIn returns the reason of a fault in an error, "" when there is none: then the error
// is about us.
func reasonIn(err error) string {
	var f *fault
	if !errors.As(err, &f) {
		return ""
	}
	return record.OneLine(f.reason)
}

// isAnother reports whether a fault in an error is that of a program which is not what was
// meant.
func isAnother(err error) bool {
	var f *fault
	return errors.As(err, &f) && f.another
}
