package main

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/scalws/scalbench/internal/resulttest"
	"github.com/scalws/scalbench/loadgen"
)

// Keys of the schema scalbench.load/v1 (DESIGN section 5) that are always there.
func schemaKeys() map[string][]string {
	return map[string][]string{
		"": {
			"schema", "version", "plan", "protocol", "address", "started_at", "measured_s", "startup_ms", "interrupted", "rps", "offered_rps",
			"ledger", "completed_in_window", "all_phases", "status", "first_errors", "latency", "bytes_in", "bytes_out", "body_bytes_in",
			"connections", "windows", "workers", "generator", "validity", "warnings",
		},
		"ledger": {"scheduled", "ok", "shed", "unfinished", "never_sent", "errors"},
		"ledger.errors": {
			"bad_status", "bad_body", "timeout", "connect_failed", "write_failed", "read_failed", "protocol_error", "reset",
		},
		"ledger.errors.timeout": {"sent", "unsent"},
		"all_phases":            {"sent"},
		"connections":           {"opened", "reused_requests", "resumed", "restarted_requests"},
		"generator":             {"cpu_s", "rest_us", "peak_rss_bytes", "gc_pause_max_us", "engine"},
		"plan":                  {"targets", "protocol", "connections", "warmup_ns", "measure_ns", "drain_ns", "timeout_ns", "cpus"},
		"windows.0":             {"t_s", "ok", "errors"},
		"workers.0":             {"cpu", "connections", "ok", "busy", "preempted"},
		"latency.connect":       {"count", "min_us", "mean_us", "max_us", "hdr"},
	}
}

// Keys that are there when there is something to tell, and no others.
func optionalKeys() map[string][]string {
	percentiles := []string{"p50_us", "p75_us", "p90_us", "p95_us", "p99_us", "p999_us", "p9999_us"}
	return map[string][]string{
		"":                {"server", "tls", "quic", "host", "waited", "thresholds"},
		"connections":     {"jain_index"},
		"workers.0":       {"spinning"},
		"quic":            {"connections", "packets_sent", "packets_received", "packets_lost", "smoothed_rtt_min_us", "smoothed_rtt_median_us", "smoothed_rtt_max_us", "probe_timeouts", "retries", "zero_rtt_accepted", "zero_rtt_refused"},
		"tls":             {"version", "cipher", "group", "alpn", "subject", "not_after"},
		"latency":         {"service", "response", "send_delay", "lateness", "first_byte", "failed", "connect", "tls", "quic", "dns"},
		"latency.connect": percentiles,
		"generator":       {"cpu_us_per_request", "busy"},
		"windows.0":       {"p50_us", "p99_us", "max_us"},
	}
}

// result FILE KEY=VALUE... reads a result in JSON, checks it against the schema
// and itself, and compares values: KEY is a path such as ledger.errors.reset.sent,
// VALUE the JSON text, absent, or >N.
func result(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: result FILE KEY=VALUE...")
	}
	text := ts.ReadFile(args[0])
	tree := decodeTree(ts, text)
	r := decodeResult(ts, text)
	if r.Schema != "scalbench.load/v1" {
		ts.Fatalf("schema %q", r.Schema)
	}
	checkSchema(ts, tree)
	resulttest.Check(scriptOf(ts).tb, r)
	for _, want := range args[1:] {
		key, value, _ := strings.Cut(want, "=")
		if fault := compare(tree, key, value); fault != "" {
			ts.Fatalf("%s", fault)
		}
	}
}

// another FILE TO writes what another generator saw that did exactly the same, and took
// another time to start.
func another(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: another FILE TO")
	}
	startup := regexp.MustCompile(`"startup_ms": *[0-9.e+-]+`)
	text := startup.ReplaceAllString(ts.ReadFile(args[0]), `"startup_ms": 77.25`)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(text), 0o644))
}

// decodeResult reads a result back, as other programs do.
func decodeResult(ts *testscript.TestScript, text string) *loadgen.Result {
	var r loadgen.Result
	ts.Check(json.Unmarshal([]byte(text), &r))
	return &r
}

// decodeTree keeps numbers as their text.
func decodeTree(ts *testscript.TestScript, text string) (tree any) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	ts.Check(decoder.Decode(&tree))
	if decoder.More() {
		ts.Fatalf("more than one JSON value")
	}
	return tree
}

func checkSchema(ts *testscript.TestScript, tree any) {
	always, optional := schemaKeys(), optionalKeys()
	for path, keys := range always {
		if rows, ok := at(tree, "windows").([]any); path == "windows.0" && ok && len(rows) == 0 {
			continue // nothing ended in the window
		}
		object, ok := at(tree, path).(map[string]any)
		if path == "latency.connect" && at(tree, "protocol") == "h3" { // there is no TCP
			object, ok = at(tree, "latency.quic").(map[string]any)
		}
		if !ok {
			ts.Fatalf("%q is no object: %v", path, at(tree, path))
		}
		for _, key := range keys {
			if _, ok := object[key]; !ok {
				ts.Fatalf("%q has no key %q", path, key)
			}
		}
		if path == "plan" {
			continue // grows with the plan
		}
		for key := range object {
			if !slices.Contains(keys, key) && !slices.Contains(optional[path], key) {
				ts.Fatalf("%q has the key %q, which the schema does not know", path, key)
			}
		}
	}
	for key := range at(tree, "latency").(map[string]any) {
		if !slices.Contains(optional["latency"], key) {
			ts.Fatalf("latency %q is not in the schema", key)
		}
	}
}

// at follows a path of keys and indices; nil when there is nothing.
func at(tree any, path string) any {
	if path == "" {
		return tree
	}
	for key := range strings.SplitSeq(path, ".") {
		switch node := tree.(type) {
		case map[string]any:
			tree = node[key]
		case []any:
			var i int
			if _, err := fmt.Sscan(key, &i); err != nil || i >= len(node) {
				return nil
			}
			tree = node[i]
		default:
			return nil
		}
	}
	return tree
}

// compare returns what is wrong, empty when nothing is.
func compare(tree any, path, want string) string {
	have := at(tree, path)
	if limit, ok := strings.CutPrefix(want, ">"); ok {
		number, isNumber := have.(json.Number)
		n, _ := number.Float64()
		var least float64
		if _, err := fmt.Sscan(limit, &least); err != nil || !isNumber || n <= least {
			return fmt.Sprintf("%s is %v, want more than %s", path, have, limit)
		}
		return ""
	}
	if want == "absent" {
		if have != nil {
			return fmt.Sprintf("%s is %v, want none", path, have)
		}
		return ""
	}
	text, err := json.Marshal(have)
	if err != nil || string(text) != want {
		return fmt.Sprintf("%s is %s, want %s", path, text, want)
	}
	return ""
}

// gone FILE wants that the server of a result is no process any more.
func gone(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: gone FILE")
	}
	r := decodeResult(ts, ts.ReadFile(args[0]))
	if r.Server == nil || r.Server.PID < 2 {
		ts.Fatalf("no server in the result")
	}
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); <-tick.C {
		if syscall.Kill(r.Server.PID, 0) == syscall.ESRCH {
			return
		}
	}
	ts.Fatalf("process %d is still there", r.Server.PID)
}
