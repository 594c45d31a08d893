package report

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/scalws/scalbench/loadgen"
)

func us(v float64) *float64 { return &v }

// example is a result in which everything went well: 124 310 requests in 10 s
// over 50 connections of 4 workers.
func example() *loadgen.Result {
	plan := loadgen.DefaultPlan("http://localhost:8080/api")
	plan.WarmUp = 2 * time.Second
	return &loadgen.Result{
		Plan: plan.Echo(), Protocol: "h1", Address: "127.0.0.1:8080",
		MeasuredS: 10, RPS: 12431, CompletedInWindow: 124310,
		Ledger: loadgen.Ledger{Scheduled: 124310, OK: 124310},
		Status: map[string]uint64{"200": 124310},
		Latency: loadgen.Latency{
			Response: &loadgen.Distribution{
				Count: 124310, MinUS: 812, MeanUS: 4020, P50US: us(3912), P75US: us(4400), P90US: us(5090), P95US: us(6100),
				P99US: us(9841), P999US: us(31200), P9999US: us(60000), MaxUS: 88400,
			},
		},
		Workers: []loadgen.WorkerResult{
			{CPU: 4, Connections: 13, OK: 31078, Busy: 0.1148}, {CPU: 5, Connections: 13, OK: 31078, Busy: 0.1},
			{CPU: 6, Connections: 12, OK: 31077, Busy: 0.1}, {CPU: 7, Connections: 12, OK: 31077, Busy: 0.1},
		},
		Server: &loadgen.Server{
			PID: 4121, PIDs: []int{4121}, Name: "myapi", CPUPerRequestUS: us(156.2), CoresUsed: 1.94, CoresAllowed: 2, Busy: 0.97,
			PeakRSSBytes: 61 << 20,
		},
		Validity: loadgen.Valid,
	}
}

func TestLoad(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*loadgen.Result)
		want   string
	}{
		{
			// The sum of the workers' connections; 88 400 us are two digits of ms;
			// the server is at its limit from 0.90 on.
			name: "all is well", change: func(*loadgen.Result) {},
			want: `
GET http://localhost:8080/api   h1, 50 connections, 4 CPUs, 2 s + 10 s
rate     12 431 req/s   124 310 ok, 0 failed
latency  p50 3.9 ms  p90 5.1  p99 9.8  p99.9 31  max 88
server   myapi[4121]  156 us CPU/request, 1.94 cores, 61 MiB
limit    the server (generator 11 % busy)
`,
		},
		{
			// 1 + 20 + 3 + 2 of 1 000 are not ok. The ledger is shown then.
			name: "errors of several kinds",
			change: func(r *loadgen.Result) {
				r.CompletedInWindow, r.RPS = 970, 97
				r.Ledger = loadgen.Ledger{Scheduled: 1000, OK: 974, Unfinished: 3, NeverSent: 2, Errors: map[string]loadgen.Split{
					"timeout": {Sent: 1}, "connect_failed": {Unsent: 20}, "reset": {},
				}}
				r.FirstErrors = map[string]string{"timeout": "no response 30 s after sending", "connect_failed": "connect: connection refused"}
				r.Warnings = []loadgen.Warning{{Code: loadgen.ErrorsPresent, Text: "26 of 1000 requests did not end ok"}}
				r.Validity = loadgen.Suspect
			},
			want: `
GET http://localhost:8080/api   h1, 50 connections, 4 CPUs, 2 s + 10 s
rate     97.0 req/s   970 ok, 26 failed
latency  p50 3.9 ms  p90 5.1  p99 9.8  p99.9 31  max 88
server   myapi[4121]  156 us CPU/request, 1.94 cores, 61 MiB
limit    the server (generator 11 % busy)
failed   20 connect_failed, first: connect: connection refused
failed   1 timeout, first: no response 30 s after sending
ledger   1 000 scheduled = 974 ok + 21 errors + 0 shed + 3 unfinished + 2 never sent
warning  26 of 1000 requests did not end ok
validity suspect
`,
		},
		{
			// Nothing limits a rate of 0; the more frequent redirect is named.
			name: "redirects only",
			change: func(r *loadgen.Result) {
				r.CompletedInWindow, r.RPS = 0, 0
				r.Latency.Response = nil
				r.Server.CPUPerRequestUS = nil
				r.Ledger = loadgen.Ledger{Scheduled: 10, Errors: map[string]loadgen.Split{"bad_status": {Sent: 10}}}
				r.FirstErrors = map[string]string{"bad_status": "status 301, not 2xx"}
				r.Status = map[string]uint64{"301": 2, "307": 7, "304": 1}
				r.Validity = loadgen.Suspect
			},
			want: `
GET http://localhost:8080/api   h1, 50 connections, 4 CPUs, 2 s + 10 s
rate     0 req/s   0 ok, 10 failed
server   myapi[4121]  no request to account for, 1.94 cores, 61 MiB
failed   10 bad_status, first: status 301, not 2xx
ledger   10 scheduled = 0 ok + 10 errors + 0 shed + 0 unfinished + 0 never sent
hint     redirects are not followed: use the final URL, or --expect-status 307 if the redirect is what you measure
validity suspect
`,
		},
		{
			// 30 of 100 are more than a tenth.
			name: "resets",
			change: func(r *loadgen.Result) {
				r.Ledger = loadgen.Ledger{Scheduled: 100, OK: 70, Errors: map[string]loadgen.Split{"reset": {Sent: 30}}}
				r.FirstErrors = map[string]string{"reset": "closed before the response"}
				r.Validity = loadgen.Suspect
			},
			want: `
GET http://localhost:8080/api   h1, 50 connections, 4 CPUs, 2 s + 10 s
rate     12 431 req/s   124 310 ok, 30 failed
latency  p50 3.9 ms  p90 5.1  p99 9.8  p99.9 31  max 88
server   myapi[4121]  156 us CPU/request, 1.94 cores, 61 MiB
limit    the server (generator 11 % busy)
failed   30 reset, first: closed before the response
ledger   100 scheduled = 70 ok + 30 errors + 0 shed + 0 unfinished + 0 never sent
hint     the server closes connections without announcing it: --disable-keepalive opens one for each request
validity suspect
`,
		},
		{
			// 250 requests were begun of the 1 000 that were asked for.
			name: "interrupted",
			change: func(r *loadgen.Result) {
				r.Plan.WarmUp, r.Plan.Requests, r.MeasuredS, r.Interrupted = 0, 1000, 0.6427, true
				r.Ledger = loadgen.Ledger{Scheduled: 250, OK: 250}
				r.CompletedInWindow, r.RPS = 250, 389
			},
			want: `
GET http://localhost:8080/api   h1, 50 connections, 4 CPUs, 250 of 1 000 requests in 0.64 s (interrupted)
rate     389 req/s   250 ok, 0 failed
latency  p50 3.9 ms  p90 5.1  p99 9.8  p99.9 31  max 88
server   myapi[4121]  156 us CPU/request, 1.94 cores, 61 MiB
limit    the server (generator 11 % busy)
partial  interrupted: this is what was measured until then
`,
		},
		{
			// Three samples have a median and no percentile above. Three requests
			// need no more than three of 50 connections.
			name: "few requests, an unknown server",
			change: func(r *loadgen.Result) {
				r.Plan.WarmUp, r.Plan.Requests, r.Plan.RequestsPerConn, r.MeasuredS = 0, 3, 1, 0.000486
				r.Ledger = loadgen.Ledger{Scheduled: 3, OK: 3}
				r.CompletedInWindow, r.RPS = 3, 6172.8
				r.Latency.Response = &loadgen.Distribution{Count: 3, P50US: us(120), MaxUS: 240}
				r.Workers = []loadgen.WorkerResult{{CPU: -1, Connections: 3, OK: 3, Busy: 0.5}}
				r.Server = nil
			},
			want: `
GET http://localhost:8080/api   h1, 3 connections, 1 request each, 1 CPU, 3 requests in 486 us
rate     6 173 req/s   3 ok, 0 failed
latency  p50 120 us  max 240
limit    not the generator (generator 50 % busy)
`,
		},
		{
			name: "a server of several processes, a busy generator",
			change: func(r *loadgen.Result) {
				r.Server.PIDs = []int{4121, 4122, 4123}
				r.Server.Busy = 0.4
				r.Workers[3].Busy = 0.97
				r.Warnings = []loadgen.Warning{{Code: loadgen.GeneratorSaturated, Text: "a generator thread was 97 % busy"}}
				r.Validity = loadgen.Suspect
			},
			want: `
GET http://localhost:8080/api   h1, 50 connections, 4 CPUs, 2 s + 10 s
rate     12 431 req/s   124 310 ok, 0 failed
latency  p50 3.9 ms  p90 5.1  p99 9.8  p99.9 31  max 88
server   myapi[4121 and 2 more]  156 us CPU/request, 1.94 cores, 61 MiB
limit    the generator (generator 97 % busy): the server may be faster than this
warning  a generator thread was 97 % busy
validity suspect
`,
		},
		{
			name: "neither is busy",
			change: func(r *loadgen.Result) {
				r.Server.Busy = 0.4
				r.MeasuredS = 3600
			},
			want: `
GET http://localhost:8080/api   h1, 50 connections, 4 CPUs, 2 s + 3 600 s
rate     12 431 req/s   124 310 ok, 0 failed
latency  p50 3.9 ms  p90 5.1  p99 9.8  p99.9 31  max 88
server   myapi[4121]  156 us CPU/request, 1.94 cores, 61 MiB
limit    neither (server 40 % busy, generator 11 % busy): more connections may bring more
`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := example()
			tt.change(r)
			checkText(t, r, false, tt.want)
		})
	}
}

func checkText(t *testing.T, r *loadgen.Result, verbose bool, want string) {
	t.Helper()
	var out bytes.Buffer
	if err := Load(&out, r, verbose); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.TrimPrefix(want, "\n"), out.String()); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
}

func TestLoadVerbose(t *testing.T) {
	r := example()
	r.AllPhases.Sent = 149172 // with those of the warm-up
	r.Connections = loadgen.Connections{Opened: 50, ReusedRequests: 149122}
	r.Latency.Service = &loadgen.Distribution{Count: 124310, P50US: us(3900), P90US: us(5080), P99US: us(9800), P999US: us(31000), MaxUS: 88000}
	r.Latency.Lateness = &loadgen.Distribution{Count: 124310, P50US: us(4.1), P90US: us(22), P99US: us(56), P999US: us(145), MaxUS: 231}
	r.Latency.Connect = &loadgen.Distribution{Count: 50, P50US: us(133), P90US: us(150), MaxUS: 160}
	r.BytesIn, r.BodyBytesIn, r.BytesOut = 3<<29, 1<<20, 512 // 1.5 GiB
	r.Workers = r.Workers[:2]
	r.Workers[1].CPU = -1
	r.Generator = loadgen.Generator{CPUPerRequestUS: us(6.99), PeakRSSBytes: 12 << 20, GCPauseMaxUS: 708}
	r.StartupMS = 41
	checkText(t, r, true, `
GET http://localhost:8080/api   h1, 26 connections, 2 CPUs, 2 s + 10 s
rate     12 431 req/s   124 310 ok, 0 failed
latency  p50 3.9 ms  p90 5.1  p99 9.8  p99.9 31  max 88
server   myapi[4121]  156 us CPU/request, 1.94 cores, 61 MiB
limit    the server (generator 11 % busy)
ledger   124 310 scheduled = 124 310 ok + 0 errors + 0 shed + 0 unfinished + 0 never sent
sent     149 172 requests in all phases, 149 122 of them on a connection used before; 50 connections opened to 127.0.0.1:8080
status   200  124 310
service  p50 3.9 ms  p90 5.1  p99 9.8  p99.9 31  max 88  (124 310)
response p50 3.9 ms  p90 5.1  p99 9.8  p99.9 31  max 88  (124 310)
lateness p50 4.1 us  p90 22  p99 56  p99.9 145  max 231  (124 310)
connect  p50 133 us  p90 150  max 160  (50)
bytes    1.5 GiB in, 1.0 MiB of them body; 512 B out
worker   CPU 4  13 connections, 31 078 ok, 11 % busy, taken off its CPU 0 times
worker   not pinned  13 connections, 31 078 ok, 10 % busy, taken off its CPU 0 times
self     6.99 us CPU/request, 12 MiB, longest GC pause 708 us, first request after 41 ms
`)
}

// A result whose errors show the ledger already does not show it twice.
func TestLedgerOnce(t *testing.T) {
	r := example()
	r.Ledger.OK, r.Ledger.NeverSent = 124309, 1
	var out bytes.Buffer
	if err := Load(&out, r, true); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "\nledger "); n != 1 {
		t.Errorf("%d ledgers in\n%s", n, out.String())
	}
}

func TestSeconds(t *testing.T) {
	for _, tt := range []struct {
		s    float64
		want string
	}{
		{10, "10 s"}, {2.5, "2.5 s"}, {0.1, "0.1 s"}, {0.64575, "0.65 s"}, {9.999, "10 s"}, {1.23, "1.23 s"},
		{0.049, "49 ms"}, {0, "0 ms"}, {123.4, "123 s"}, {3600, "3 600 s"},
	} {
		if got := seconds(tt.s); got != tt.want {
			t.Errorf("%v is %q, want %q", tt.s, got, tt.want)
		}
	}
}

type fullDisk struct{}

var errDiskFull = errors.New("no space left on device")

func (fullDisk) Write([]byte) (int, error) { return 0, errDiskFull }

func TestLoadTellsWhatFailed(t *testing.T) {
	if err := Load(fullDisk{}, example(), false); !errors.Is(err, errDiskFull) {
		t.Errorf("error %v", err)
	}
}

// In an open loop both views stand side by side, with the reason when they part.
func TestLoadOpen(t *testing.T) {
	offered, waited := 1000.0, uint64(360)
	r := &loadgen.Result{
		Protocol: "h1", MeasuredS: 2, RPS: 998, OfferedRPS: &offered, CompletedInWindow: 1996, Waited: &waited,
		Plan:    loadgen.PlanEcho{Plan: loadgen.Plan{Streams: 1}, Targets: []loadgen.TargetEcho{{URL: "http://a/", Method: "GET"}}},
		Ledger:  loadgen.Ledger{Scheduled: 2000, OK: 2000},
		Workers: []loadgen.WorkerResult{{Connections: 4}},
		Latency: loadgen.Latency{
			Response: &loadgen.Distribution{P50US: us(140), P99US: us(192_000), MaxUS: 201_000},
			Service:  &loadgen.Distribution{P50US: us(120), P99US: us(200), MaxUS: 201_000},
		},
		Validity: loadgen.Valid,
	}
	const views = `GET http://a/   h1, 4 connections, 1 CPU, 2 s
rate     998 req/s of 1 000 offered   1 996 ok, 0 failed
latency  p50 0.14 ms  p99 192  max 201   from when a request was due
service  p50 0.12 ms  p99 0.20  max 201   from when it was sent
`
	for _, tt := range []struct {
		name     string
		warnings []loadgen.Warning
		streams  int
		waited   uint64
		want     string
	}{
		// 360 of 2 000 are 18 %.
		{"the server stalled", []loadgen.Warning{{Code: loadgen.StallSeen, Text: "x"}}, 1, 360, "waited   the server stalled: 18 % of the requests waited before they could be sent\n"},
		{"too few connections", nil, 1, 360, "waited   4 connections could not carry what was offered: 18 % of the requests waited before they could be sent\n"},
		{"too few streams", nil, 10, 360, "waited   4 connections of 10 streams could not carry what was offered: 18 % of the requests waited before they could be sent\n"},
		{"one in two thousand", nil, 1, 1, ""}, // below one in a thousand
	} {
		t.Run(tt.name, func(t *testing.T) {
			waited, r.Plan.Streams, r.Warnings = tt.waited, tt.streams, tt.warnings
			var b strings.Builder
			if err := Load(&b, r, false); err != nil {
				t.Fatal(err)
			}
			want := views
			if tt.streams > 1 {
				want = strings.Replace(views, "4 connections, 1", "4 connections of 10 streams, 1", 1)
			}
			text, _, _ := strings.Cut(b.String(), "limit ")
			if text != want+tt.want {
				t.Errorf("got\n%swant\n%s", text, want+tt.want)
			}
		})
	}
}
