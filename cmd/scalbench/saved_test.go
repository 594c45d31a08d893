package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/scalws/scalbench/internal/saved"
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

// A rate that is not what it seems, or of a part of its time, is held against nothing.
func TestPrintBefore(t *testing.T) {
	fine := loadgen.Result{RPS: 100, Validity: loadgen.Valid}
	for name, tt := range map[string]struct {
		change func(r *loadgen.Result)
		told   bool
	}{
		"fine":        {func(*loadgen.Result) {}, true},
		"suspect":     {func(r *loadgen.Result) { r.Validity = loadgen.Suspect }, true},
		"invalid":     {func(r *loadgen.Result) { r.Validity = loadgen.Invalid }, false},
		"interrupted": {func(r *loadgen.Result) { r.Interrupted = true }, false},
		"nothing ok":  {func(r *loadgen.Result) { r.RPS = 0 }, false},
	} {
		other := fine
		tt.change(&other)
		for _, pair := range [][2]loadgen.Result{{fine, other}, {other, fine}} {
			text, err := json.Marshal(pair[0])
			if err != nil {
				t.Fatal(err)
			}
			var out strings.Builder
			printBefore(&out, saved.Entry{Number: 1, Result: text}, 2, &pair[1])
			if told := strings.HasPrefix(out.String(), "before "); told != tt.told || !strings.Contains(out.String(), "saved    #2") {
				t.Errorf("%s: %q", name, out.String())
			}
		}
	}
}

// What has to be known of two results is told of both, whichever tool they are of.
func TestUnlike(t *testing.T) {
	of := func(change func(r *loadgen.Result)) finishedRun {
		r := &loadgen.Result{Version: "v1", Plan: loadgen.PlanEcho{Targets: []loadgen.TargetEcho{{Method: "GET"}}}}
		if change != nil {
			change(r)
		}
		return finishedRun{result: r}
	}
	for name, tt := range map[string]struct {
		a, b finishedRun
		want []string
	}{
		"alike":             {of(nil), of(nil), nil},
		"another version":   {of(nil), of(func(r *loadgen.Result) { r.Version = "v2" }), []string{"version of scalbench differs: A v1, B v2"}},
		"another request":   {of(nil), of(func(r *loadgen.Result) { r.Plan.Targets[0] = loadgen.TargetEcho{Method: "PUT", BodyBytes: 3} }), []string{"method differs: A GET, B PUT", "bytes of the body differs: A 0, B 3"}},
		"open loop":         {of(nil), of(func(r *loadgen.Result) { r.OfferedRPS = new(float64); *r.OfferedRPS = 1000 }), []string{"the rate of B is the one that was offered, of 1 000 req/s: a server that keeps up is as fast as another one"}},
		"oha, all ok":       {finishedRun{}, of(nil), nil},
		"oha with failures": {of(nil), finishedRun{doubt: "3 of 10"}, []string{"B is suspect: 3 of 10"}},
	} {
		got := unlike(tt.a, tt.b)
		for i, line := range got {
			got[i] = strings.TrimSpace(strings.TrimPrefix(line, "note"))
		}
		if fmt.Sprint(got) != fmt.Sprint(tt.want) {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}
