package loadplan

import (
	"fmt"

	"github.com/scalws/scalbench/internal/suite"
	"github.com/scalws/scalbench/loadgen"
)

// Of returns the plan of a scenario that is asked at url. What the scenario does not say
// is as in [loadgen.DefaultPlan]. A rate must be one that [loadgen.ParseRate] reads, as the
// suite's parser was told to check ([CheckRate]); another is none.
func Of(s suite.Scenario, url string) loadgen.Plan {
	plan := loadgen.DefaultPlan(url)
	t := &plan.Targets[0]
	t.Method, t.Body = s.Method, []byte(s.Body)
	for _, h := range s.Headers {
		t.Header = append(t.Header, loadgen.Field{Name: h.Name, Value: h.Value})
	}
	t.ExpectStatus, t.ExpectSHA256 = s.Expect.Status, s.Expect.SHA256
	if s.Expect.Bytes != nil {
		t.ExpectBytes = *s.Expect.Bytes
	}
	plan.Protocol = Protocol(s)
	plan.TLS.Insecure, plan.TLS.SNI = s.TLS.Insecure, s.TLS.SNI
	plan.Connections, plan.Streams, plan.RequestsPerConn = s.Connections, s.Streams, s.RequestsPerConn
	plan.WarmUp, plan.Measure = s.Warmup, s.Measure
	if s.Load.Kind == suite.Open {
		plan.Rate, _ = loadgen.ParseRate(s.Load.Rate)
		if s.Load.Arrival == suite.Poisson {
			plan.Arrival = loadgen.Poisson
		}
	}
	return plan
}

// CheckRate returns what keeps an open load from offering a rate: what a suite's parser is
// given for that.
func CheckRate(text string) error {
	rate, err := loadgen.ParseRate(text)
	if err == nil && len(rate.Steps) == 0 { // a closed loop, in a plan
		return fmt.Errorf("rate %q: offers no request, want more or kind: closed", text)
	}
	return err
}

// Protocol returns the version that a scenario speaks.
func Protocol(s suite.Scenario) loadgen.Protocol {
	switch s.HTTP {
	case suite.HTTP2:
		return loadgen.HTTP2
	case suite.HTTP3:
		return loadgen.HTTP3
	}
	return loadgen.HTTP1
}
