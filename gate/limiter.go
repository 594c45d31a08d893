package gate

import (
	"fmt"
	"math"
	"strings"

	"github.com/scalws/scalbench/internal/units"
)

// Limiter is what kept the rate of a row from being higher. A rate shows a change of
// the server only where the server was the limit.
type Limiter struct {
	Of   string // one of the words below; "": no busy fraction was measured
	Text string // with the numbers
}

// The words of a limiter. That an upstream or an application was it can be told where they
// have CPUs to themselves; else it is unknown, and the text tells how many they used.
const (
	LimiterServer    = "server"
	LimiterUpstream  = "upstream"
	LimiterGenerator = "generator"
	LimiterUnknown   = "unknown"
)

// limitBusyFrac is the busy fraction from which CPUs are the limit.
const limitBusyFrac = 0.95

// limiterOf finds the limiter, session by session where there are several; where they
// disagree it is unknown.
func limiterOf(n *Numbers) Limiter {
	var whole Limiter
	var texts []string
	for i := range n.Sessions {
		l := n.Sessions[i].limiter(n.Value * n.CPU)
		switch {
		case i == 0:
			whole.Of = l.Of
		case whole.Of != l.Of:
			whole.Of = LimiterUnknown
		}
		if len(n.Sessions) > 1 && l.Text != "" {
			l.Text = "session " + n.Sessions[i].Session + ": " + l.Text
		}
		if l.Text != "" {
			texts = append(texts, l.Text)
		}
	}
	whole.Text = strings.Join(texts, "; ")
	return whole
}

// limiter finds the limiter by the medians of all runs. Both variants have to have it:
// where only one kept its CPUs busy the ratio is not that of the servers. product is
// that of the row's ratios of rps and cpu_us.
func (s *SessionNumbers) limiter(product float64) Limiter {
	b, w := &s.Base, &s.New
	if math.IsNaN(b.ServerBusy) && math.IsNaN(b.GeneratorBusy) {
		return Limiter{}
	}
	l := Limiter{Of: LimiterUnknown}
	switch {
	case math.Max(b.GeneratorBusy, w.GeneratorBusy) >= limitBusyFrac:
		l.Of = LimiterGenerator
	case math.Min(b.ServerBusy, w.ServerBusy) >= limitBusyFrac:
		l.Of = LimiterServer
	case math.Min(b.AppBusy, w.AppBusy) >= limitBusyFrac:
		l.Of = LimiterUpstream
	}
	l.Text = fmt.Sprintf("%s; busy base / new: server %s, generator %s", l.Of, slashed(busyText(b.ServerBusy), busyText(w.ServerBusy)), slashed(busyText(b.GeneratorBusy), busyText(w.GeneratorBusy)))
	if !math.IsNaN(b.CPUMicros) && !math.IsNaN(w.CPUMicros) {
		l.Text += "; the server used " + slashed(b.cpusText(b.CPUMicros), w.cpusText(w.CPUMicros)) + " CPUs"
	}
	if !math.IsNaN(b.AppBusy) && !math.IsNaN(w.AppBusy) {
		l.Text += "; upstream " + slashed(busyText(b.AppBusy), busyText(w.AppBusy)) + " busy"
	}
	if b.CPUAppMicros > 0 || w.CPUAppMicros > 0 {
		l.Text += ", applications " + slashed(b.cpusText(b.CPUAppMicros), w.cpusText(w.CPUAppMicros))
	}
	if l.Of == LimiterServer && math.Abs(product-1) > limiterSlack {
		l.Text += "; but rps times cpu_us, which is then a constant, changed by " + units.SignedPercent(product-1)
	}
	return l
}

// busyText writes 98 %, n/a where it was not measured.
func busyText(fraction float64) string {
	if math.IsNaN(fraction) {
		return absent
	}
	return decimals(100*fraction, 0) + " %"
}

// cpusText is how many CPUs were busy for so much time per request: rps x cpu_us / 1e6.
func (p *Pooled) cpusText(cpuMicros float64) string { return decimals(p.RPS*cpuMicros/1e6, 2) }
