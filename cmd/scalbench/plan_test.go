package main

import (
	"encoding/json"
	"net/netip"
	"os"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/loadgen"
)

// everyField is a plan in which no field has the value that it has when nothing
// is said, but Measure, which Requests makes meaningless.
func everyField(url string, cpus cpuset.Set) loadgen.Plan {
	return loadgen.Plan{
		Targets: []loadgen.Target{{
			URL: url + "/every", Method: "POST", Header: []loadgen.Field{{Name: "X-A", Value: "1"}, {Name: "X-A", Value: "2"}},
			Host: "example.org", Body: []byte("\x00\xff"), ExpectStatus: 200, ExpectBytes: 2,
			ExpectSHA256: "2689367b205c16ce32ed4200942b8b8b1e262dfc70d9bc9fbc77c49699a4f1df", // of ok
		}},
		TLS:         loadgen.TLS{Insecure: true, Min: "1.2", Max: "1.3", ALPN: []string{"h2"}, SNI: "example.org", Resume: true},
		Connections: 3, Streams: 1, RequestsPerConn: 7, Requests: 40,
		Rate: loadgen.Rate{Steps: []loadgen.RateStep{{From: 500, To: 500}}}, Arrival: loadgen.Poisson, Deadline: 3 * time.Second,
		WarmUp: 20 * time.Millisecond, Measure: 3 * time.Second, Drain: 2 * time.Second, Timeout: 4 * time.Second,
		ConnectTimeout: 3 * time.Second, Window: 500 * time.Millisecond, RestMax: 20 * time.Microsecond,
		CPUs: cpus, NoPin: true, ServerPID: loadgen.ServerNone, Seed: 7, Family: 4,
		SourceIPs: []netip.Addr{netip.MustParseAddr("127.0.0.2")},
	}
}

// A field that is added to the plan has to be added to everyField.
func TestEveryFieldIsSet(t *testing.T) {
	cpus, err := cpuset.Parse("1")
	if err != nil {
		t.Fatal(err)
	}
	plan := everyField("http://127.0.0.1", cpus)
	elsewhere := []string{"Burst", "Slices", "ServerPIDs", "Protocol", "QUICStats", "ZeroRTT", "CAs", "Cert", "Key"} // bursts are instead of a rate, slices of two targets, processes instead of how to find them; HTTP/2, HTTP/3 and files in PEM need another server
	for _, part := range []any{plan, plan.Targets[0], plan.TLS} {
		v := reflect.ValueOf(part)
		for i := range v.NumField() {
			if name := v.Type().Field(i).Name; v.Field(i).IsZero() && !slices.Contains(elsewhere, name) {
				t.Errorf("%s is not set", name)
			}
		}
	}
}

// fullPlan FILE NAME writes a plan that says everything, for a server.
func fullPlan(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: fullplan FILE NAME")
	}
	cpus, err := cpuset.Allowed()
	ts.Check(err)
	text, err := json.Marshal(everyField(ts.Getenv(args[1]), cpus.UpperHalf()))
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), text, 0o644))
}

// samePlan RESULT PLAN wants that a result echoes a plan as it was given.
func samePlan(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: sameplan RESULT PLAN")
	}
	var plan loadgen.Plan
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[1])), &plan))
	echo, err := json.Marshal(plan.Echo())
	ts.Check(err)
	want, got := decodeTree(ts, string(echo)), at(decodeTree(ts, ts.ReadFile(args[0])), "plan")
	if diff := cmp.Diff(want, got); diff != "" {
		ts.Fatalf("plan (-given +echoed):\n%s", diff)
	}
}
