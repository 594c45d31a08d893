package record

import (
	"bytes"
	"encoding/csv"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// counted is a row of 1000 requests, of calls in the order given.
func counted(variant, scenario string, calls ...SyscallCount) SyscallRow {
	r := SyscallRow{Variant: variant, Scenario: scenario, StartUTC: time.Date(2026, 11, 30, 21, 0, 0, 0, time.UTC), Seconds: Of(10), RPS: Of(100)}
	for _, c := range calls {
		c.PerRequest = float64(c.Calls) / 1000
		r.Calls += c.Calls
		r.ByName = append(r.ByName, c)
	}
	r.PerRequest = Of(float64(r.Calls) / 1000)
	return r
}

// a pass over two variants, in which something of everything happened.
func aPass() *Syscalls {
	churn := counted("on", "proxy-churn", SyscallCount{Name: "epoll_ctl", Calls: 2040}, SyscallCount{Name: "accept4", Calls: 1000},
		SyscallCount{Name: "close", Calls: 3900}, SyscallCount{Name: "futex", Calls: 49})
	churn.PerConnection = churn.PerRequest
	inAll := counted("on", "php")
	inAll.Calls, inAll.PerRequest, inAll.Note = 11200, Of(11.2), "counted in one number"
	return &Syscalls{Session: "s1", StartedUTC: time.Date(2026, 11, 30, 21, 0, 0, 0, time.UTC), Compare: []PlanComparison{{Base: "off", New: "on"}},
		Rows: []SyscallRow{
			// What is a little more frequent in one of them is no other list.
			counted("off", "respond", SyscallCount{Name: "writev", Calls: 1001}, SyscallCount{Name: "recvfrom", Calls: 1000}, SyscallCount{Name: "epoll_wait", Calls: 25}),
			counted("on", "respond", SyscallCount{Name: "recvfrom", Calls: 1002}, SyscallCount{Name: "writev", Calls: 1001}),
			counted("off", "static-small", SyscallCount{Name: "openat", Calls: 1000}, SyscallCount{Name: "close", Calls: 1000}, SyscallCount{Name: "writev", Calls: 1000}),
			counted("on", "static-small", SyscallCount{Name: "writev", Calls: 1000}),
			churn,
			inAll,
			{Variant: "off", Mode: "multi", Scenario: "h3", NA: "it provides no h3"},
			{Variant: "on", Mode: "multi", Scenario: "h3", NA: "it provides no h3"},
			counted("other", "respond", SyscallCount{Name: "read", Calls: 1}),
		}}
}

func TestSyscallsText(t *testing.T) {
	tests := []struct {
		name string
		of   *Syscalls
		want string
	}{
		{"all kinds", aPass(), `system calls per request, counted in a pass of its own; not judged
scenario      on / off   per connection  calls
respond       2.0 / 2.0  -               recvfrom, writev
static-small  1.0 / 3.0  -               writev; off: close, openat, writev
proxy-churn   7.0        7.0             3.9x close, 2x epoll_ctl, accept4
php           11.2       -               -
multi/h3      n/a / n/a  -               -
scenario  other  calls
respond   0.0    -
php of on: counted in one number
multi/h3 of on: it provides no h3
multi/h3 of off: it provides no h3
`},
		{"of a stand-in", &Syscalls{StandIn: "stand-in: no server", NA: "this host has no perf"},
			"system calls per request, counted in a pass of its own; not judged\nstand-in: no server\nn/a: this host has no perf\n"},
		{"nothing at all", &Syscalls{NA: "this host has no perf", Compare: []PlanComparison{{Base: "off", New: "on"}}},
			"system calls per request, counted in a pass of its own; not judged\nn/a: this host has no perf\n"},
	}
	for _, test := range tests {
		var out strings.Builder
		if err := WriteSyscallsText(&out, test.of); err != nil {
			t.Fatal(err)
		}
		var lines []string
		for line := range strings.Lines(out.String()) {
			lines = append(lines, strings.TrimRight(line, " \n")+"\n")
		}
		if diff := cmp.Diff(test.want, strings.Join(lines, "")); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
	}
}

// The published table: one decimal, and the names of the calls where it has nothing else.
func TestPublishedSyscalls(t *testing.T) {
	text, err := os.ReadFile("../../testdata/golden/syscalls.csv")
	if err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	named := 0
	for _, line := range lines[1:] {
		scenario, _, _ := strings.Cut(line[0], " (")
		calls := strings.Fields(line[3])
		pure := strings.HasSuffix(line[3], "recvfrom writev") // others say more than names
		for _, published := range line[1:3] {
			// 4 in a hundred requests make one call more, which one decimal does not show.
			per, err := strconv.ParseFloat(published, 64)
			if err != nil {
				t.Fatal(err)
			}
			row := SyscallRow{Variant: "on", Scenario: scenario, PerRequest: Of(per + 0.04)}
			if pure && int(math.Round(per)) == len(calls) {
				named++
				row = counted("on", scenario)
				for _, name := range calls {
					n := uint64(math.Round((per + 0.04) * 1000 / float64(len(calls))))
					row.ByName = append(row.ByName, SyscallCount{Name: name, Calls: n, PerRequest: float64(n) / 1000})
				}
				row.PerRequest = Of(per + 0.04)
			}
			var have bytes.Buffer
			if err := WriteSyscallsText(&have, &Syscalls{Session: "s1", Rows: []SyscallRow{row}}); err != nil {
				t.Fatal(err)
			}
			cells := strings.Fields(strings.Split(have.String(), "\n")[2])
			if cells[0] != scenario || cells[1] != published {
				t.Errorf("%s: %v, published %s", line[0], cells, published)
			}
			if len(row.ByName) > 0 {
				slices.Sort(calls)
				if shown := strings.Join(cells[2:], " "); shown != strings.Join(calls, ", ") {
					t.Errorf("%s: calls %q, published %q", line[0], shown, line[3])
				}
			}
		}
	}
	// respond and cache-hit, static-small with and without the cache, tls-h2: twice each.
	if len(lines) != 10 || named != 10 {
		t.Errorf("%d lines, %d with names", len(lines), named)
	}
}

func TestSyscallsRoundTrip(t *testing.T) {
	var out bytes.Buffer
	if err := WriteSyscalls(&out, aPass()); err != nil {
		t.Fatal(err)
	}
	got, err := ReadSyscalls(&out, SyscallsFile)
	if err != nil {
		t.Fatal(err)
	}
	want := aPass()
	want.Schema = SyscallsSchema
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(Value{})); diff != "" {
		t.Error(diff)
	}
}

func TestSyscallsFaults(t *testing.T) {
	tests := []struct {
		name, rows string
		want       []string
	}{
		{"twice", `{"variant": "a", "scenario": "b", "na": "x"}, {"variant": "a", "scenario": "b", "na": "x"}`, []string{"a, b is there twice"}},
		{"neither", `{"variant": "a", "scenario": "b"}`, []string{`a, b: per_request is ""`}},
		{"both", `{"variant": "a", "scenario": "b", "per_request": 2, "na": "x"}`, []string{`a, b: per_request is "2" and na is "x"`}},
		{"another sum", `{"variant": "a", "scenario": "b", "per_request": 2, "calls": 5, "by_name": [{"name": "read", "calls": 4}]}`, []string{"a, b: 5 calls, but 4 by their names"}},
		{"a path", `{"variant": "../a", "scenario": "b", "na": "x"}`, []string{`variant "../a"`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := ReadSyscalls(strings.NewReader(`{"schema": "scalbench.syscalls/v1", "session": "s", "rows": [`+test.rows+`]}`), SyscallsFile)
			wantFaults(t, err, test.want...)
		})
	}
	_, err := ReadSyscalls(strings.NewReader(`{"schema": "scalbench.syscalls/v2"}`), SyscallsFile)
	wantFaults(t, err, `schema "scalbench.syscalls/v2"`)
}
