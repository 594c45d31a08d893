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
}

// Error names the variant and says why.
func (e *InvalidError) Error() string { return fmt.Sprintf("variant %s: %s", e.Variant, e.Reason) }

// fault is the reason of an InvalidError on its way there.
type fault struct{ reason string }

func (f *fault) Error() string { return f.reason }

func faultf(format string, args ...any) error { return &fault{fmt.Sprintf(format, args...)} }

// unready makes a failed wait a fault of the variant's, unless it was called off.
func unready(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	return &fault{err.Error()}
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
