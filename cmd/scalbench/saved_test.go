package main

import (
	"testing"

	"github.com/scalws/scalbench/loadgen"
)

// What makes two results ones of the same plan, and what does not.
func TestSavedPlan(t *testing.T) {
	base := loadgen.DefaultPlan("http://127.0.0.1:8080/a?x=1")
	base.Targets[0].Body = []byte("one")
	r := &loadgen.Result{Version: "v1"}
	of := func(started bool, change func(p *loadgen.Plan)) string {
		p := base
		p.Targets = append([]loadgen.Target(nil), base.Targets...)
		if change != nil {
			change(&p)
		}
		return savedPlan(p, started, r)
	}
	for name, tt := range map[string]struct {
		started bool
		change  func(p *loadgen.Plan)
		same    bool
	}{
		"another seed":                         {false, func(p *loadgen.Plan) { p.Seed = 7 }, true},
		"another port of a server that runs":   {false, func(p *loadgen.Plan) { p.Targets[0].URL = "http://127.0.0.1:8081/a?x=1" }, false},
		"another port of one that was started": {true, func(p *loadgen.Plan) { p.Targets[0].URL = "http://127.0.0.1:8081/a?x=1" }, true},
		"another certificate":                  {false, func(p *loadgen.Plan) { p.TLS.CAs = []byte("x") }, false},
		"another certificate of one that was":  {true, func(p *loadgen.Plan) { p.TLS.CAs = []byte("x") }, true},
		"another path":                         {true, func(p *loadgen.Plan) { p.Targets[0].URL = "http://127.0.0.1:8080/b?x=1" }, false},
		"another body of the same length":      {false, func(p *loadgen.Plan) { p.Targets[0].Body = []byte("two") }, false},
		"other connections":                    {false, func(p *loadgen.Plan) { p.Connections++ }, false},
		"another secret":                       {false, func(p *loadgen.Plan) { p.Targets[0].Header = []loadgen.Field{{Name: "Authorization", Value: "x"}} }, false},
		"another version of HTTP":              {true, func(p *loadgen.Plan) { p.Protocol = loadgen.HTTP2 }, false},
	} {
		if same := of(tt.started, nil) == of(tt.started, tt.change); same != tt.same {
			t.Errorf("%s: the same %v, want %v", name, same, tt.same)
		}
	}
	if base.Targets[0].URL != "http://127.0.0.1:8080/a?x=1" {
		t.Error("the plan was changed")
	}
}
