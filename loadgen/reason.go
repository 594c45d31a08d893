package loadgen

import (
	"fmt"
	"syscall"

	"github.com/scalws/scalbench/internal/units"
	"github.com/scalws/scalbench/loadgen/internal/exchange"
)

// reasonText words a reason: "connect: connection refused".
func reasonText(r exchange.Reason) string {
	if r.Errno == 0 {
		return r.Text
	}
	text := syscall.Errno(r.Errno).Error()
	if r.Text != "" {
		return r.Text + ": " + text
	}
	return text
}

// errorText says of the first exchange with an outcome what exactly happened,
// and what the target was expected to do instead.
func errorText(x *exchange.Exchange, t *Target) string {
	reason := reasonText(x.Reason)
	switch x.Outcome {
	case exchange.BadStatus:
		if t.ExpectStatus != 0 {
			return fmt.Sprintf("status %d, not %d", x.Status, t.ExpectStatus)
		}
		return fmt.Sprintf("status %d, not 2xx", x.Status)
	case exchange.BadBody:
		if t.ExpectBytes < 0 || x.BodyBytes == t.ExpectBytes {
			return fmt.Sprintf("%s: %d bytes", reason, x.BodyBytes)
		}
		return fmt.Sprintf("body of %d bytes, not %d", x.BodyBytes, t.ExpectBytes)
	case exchange.Timeout:
		if x.FirstByte == 0 {
			reason = "no response"
		} else {
			reason = "incomplete response"
		}
		return fmt.Sprintf("%s %s after sending", reason, units.Duration(x.Done.Sub(x.Sent)))
	}
	if reason == "" {
		return x.Outcome.String()
	}
	return reason
}
