package loadgen

import (
	"net/url"

	"github.com/scalws/scalbench/loadgen/internal/request"
)

// PlanEcho is a plan as a result shows it: everything that was said, without
// what must not be in a file that is passed around. It is not meant to be run.
type PlanEcho struct {
	Plan
	Targets []TargetEcho `json:"targets"`
}

// TargetEcho is a target without its secrets and with its body's length only.
// Its fields are those of Target.
type TargetEcho struct {
	URL          string  `json:"url"`
	Method       string  `json:"method"`
	Header       []Field `json:"header"`
	Host         string  `json:"host,omitempty"`
	BodyBytes    int     `json:"body_bytes"`
	ExpectStatus int     `json:"expect_status,omitempty"`
	ExpectBytes  int64   `json:"expect_bytes"`
	ExpectSHA256 string  `json:"expect_sha256,omitempty"`
	ServerPIDs   []int   `json:"server_pids,omitempty"`
}

const mask = "***"

// Echo returns the masked copy of the plan.
func (p Plan) Echo() PlanEcho {
	echo := PlanEcho{Plan: p, Targets: []TargetEcho{}}
	echo.Plan.Targets = nil
	// The key is a secret, and certificates may be many.
	for _, pem := range []*[]byte{&echo.Plan.TLS.Key, &echo.Plan.TLS.Cert, &echo.Plan.TLS.CAs} {
		if len(*pem) > 0 {
			*pem = []byte(mask)
		}
	}
	for _, t := range p.Targets {
		echo.Targets = append(echo.Targets, t.echo())
	}
	return echo
}

func (t Target) echo() TargetEcho {
	e := TargetEcho{
		URL: t.URL, Method: t.Method, Header: []Field{}, Host: t.Host, BodyBytes: len(t.Body),
		ExpectStatus: t.ExpectStatus, ExpectBytes: t.ExpectBytes, ExpectSHA256: t.ExpectSHA256, ServerPIDs: t.ServerPIDs,
	}
	if u, err := url.Parse(t.URL); err == nil && u.User != nil {
		u.User = url.User("masked")
		e.URL = u.String()
	}
	for _, f := range t.Header {
		if request.Credential(f.Name) {
			f.Value = mask
		}
		e.Header = append(e.Header, f)
	}
	return e
}
