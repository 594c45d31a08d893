package loadgen

import (
	"errors"
	"fmt"

	"github.com/scalws/scalbench/loadgen/internal/exchange"
)

// ledger is the account of the exchanges intended inside the window while it
// is being kept: scheduled when one is intended, one outcome when it ends.
type ledger struct {
	scheduled uint64
	outcomes  [exchange.NumOutcomes]Split
}

// Split counts one outcome by whether the request had left. A failed connect
// was never sent.
type Split struct {
	Sent   uint64 `json:"sent"`
	Unsent uint64 `json:"unsent"`
}

// Total is Sent + Unsent.
func (s Split) Total() uint64 { return s.Sent + s.Unsent }

func (l *ledger) count(x *exchange.Exchange) {
	if x.Sent != 0 {
		l.outcomes[x.Outcome].Sent++
	} else {
		l.outcomes[x.Outcome].Unsent++
	}
}

func (l *ledger) merge(o *ledger) {
	l.scheduled += o.scheduled
	for i, s := range o.outcomes {
		l.outcomes[i].Sent += s.Sent
		l.outcomes[i].Unsent += s.Unsent
	}
}

// Ledger says what became of every exchange that was intended inside the
// window: Scheduled = OK + Errors + Shed + Unfinished + NeverSent.
type Ledger struct {
	Scheduled  uint64           `json:"scheduled"`
	OK         uint64           `json:"ok"`
	Shed       uint64           `json:"shed"`       // not sent on purpose
	Unfinished uint64           `json:"unfinished"` // still out when the drain ended
	NeverSent  uint64           `json:"never_sent"` // not sent when the window ended
	Errors     map[string]Split `json:"errors"`     // by outcome, every kind, also those with none
}

// public turns the running account into the published one.
func (l *ledger) public() Ledger {
	p := Ledger{
		Scheduled:  l.scheduled,
		OK:         l.outcomes[exchange.OK].Total(),
		Shed:       l.outcomes[exchange.Shed].Total(),
		Unfinished: l.outcomes[exchange.Unfinished].Total(),
		NeverSent:  l.outcomes[exchange.NeverSent].Total(),
		Errors:     map[string]Split{},
	}
	for o := range exchange.NumOutcomes {
		if o.IsError() {
			p.Errors[o.String()] = l.outcomes[o]
		}
	}
	return p
}

// ErrorsTotal is the number of exchanges that ended in an error.
func (l Ledger) ErrorsTotal() uint64 {
	var n uint64
	for _, s := range l.Errors {
		n += s.Total()
	}
	return n
}

// NotOK is the number of exchanges that did not end well, in whatever way.
func (l Ledger) NotOK() uint64 { return l.ErrorsTotal() + l.Shed + l.Unfinished + l.NeverSent }

// Check returns an error when the account does not add up or contradicts
// itself. It is called at the end of every run, and by every test that has a
// ledger.
func (l Ledger) Check() error {
	var faults []error
	if sum := l.OK + l.NotOK(); sum != l.Scheduled {
		faults = append(faults, fmt.Errorf("ledger: %d scheduled, but ok %d + errors %d + shed %d + unfinished %d + never sent %d = %d",
			l.Scheduled, l.OK, l.ErrorsTotal(), l.Shed, l.Unfinished, l.NeverSent, sum))
	}
	if n := l.Errors[exchange.ConnectFailed.String()].Sent; n != 0 {
		faults = append(faults, fmt.Errorf("ledger: %d requests were sent over connections that failed", n))
	}
	return errors.Join(faults...)
}
