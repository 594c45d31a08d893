package report

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/scalws/scalbench/internal/units"
	"github.com/scalws/scalbench/loadgen"
)

// Load writes a result of `scalbench load` as text: what was asked, the rate,
// the latency, the server's cost and who the limit was. What is wrong is added;
// with verbose, everything else that was measured, too.
func Load(out io.Writer, r *loadgen.Result, verbose bool) error {
	var b strings.Builder
	fmt.Fprintln(&b, headline(r))
	rate(&b, r)
	bothViews(&b, r, verbose)
	if s := r.Server; s != nil {
		line(&b, "server", "%s", server(s))
	}
	if r.CompletedInWindow > 0 { // nothing limits a rate of 0 but what went wrong
		line(&b, "limit", "%s", limit(r))
	}
	quic(&b, r, verbose)
	trouble(&b, r)
	if verbose {
		details(&b, r)
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// line writes one line with its name in the first column.
func line(b *strings.Builder, name, format string, args ...any) {
	fmt.Fprintf(b, "%-8s ", name)
	fmt.Fprintf(b, format, args...)
	b.WriteByte('\n')
}

func group[N uint64 | int](n N) string { return units.Group(int64(n)) }

// headline says what was asked: "GET http://… h1, 50 connections, 4 CPUs, 2 s + 10 s".
func headline(r *loadgen.Result) string {
	t := r.Plan.Targets[0]
	parts := []string{spoken(r), plural(connections(r), "connection")}
	if n := r.Plan.Streams; n > 1 {
		parts[1] += " of " + plural(n, "stream")
	}
	if n := r.Plan.RequestsPerConn; n > 0 {
		parts = append(parts, plural(n, "request")+" each")
	}
	parts = append(parts, plural(len(r.Workers), "CPU"), length(r))
	return fmt.Sprintf("%s %s   %s", t.Method, t.URL, strings.Join(parts, ", "))
}

// spoken is the protocol with what is under it: "h2", "h1 over TLS 1.3".
func spoken(r *loadgen.Result) string {
	if r.TLS == nil {
		return r.Protocol
	}
	return r.Protocol + " over " + r.TLS.Version
}

// connections are those that there were: a small number of requests needs fewer
// than were asked for.
func connections(r *loadgen.Result) (n int) {
	for _, w := range r.Workers {
		n += w.Connections
	}
	return n
}

// length is the warm-up and the window: "2 s + 10 s", or with a number of
// requests "1 000 requests in 0.52 s".
func length(r *loadgen.Result) string {
	measured := seconds(r.MeasuredS)
	if n := r.Plan.Requests; n > 0 {
		requests := plural(int(n), "request")
		if done := r.Ledger.Scheduled - r.Ledger.NeverSent; r.Interrupted || done < uint64(n) {
			requests = group(done) + " of " + requests
		}
		measured = requests + " in " + measured
	}
	if r.Interrupted {
		measured += " (interrupted)"
	}
	if r.Plan.WarmUp > 0 {
		return seconds(r.Plan.WarmUp.Seconds()) + " + " + measured
	}
	return measured
}

// seconds writes a length as it was asked for, without the zeros that nobody
// typed: "10 s", "2.5 s", "3 600 s"; below a tenth "49 ms".
func seconds(s float64) string {
	whole, fraction := math.Modf(math.Round(s*100) / 100)
	switch {
	case s < 0.1:
		return units.Duration(time.Duration(s * float64(time.Second)))
	case fraction == 0 || whole >= 100:
		return units.Group(int64(math.Round(s))) + " s"
	}
	return strconv.FormatFloat(whole+fraction, 'f', -1, 64) + " s"
}

func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return group(n) + " " + thing + "s"
}

// latencies is a row of percentiles in one unit, named once; those that the
// number of samples does not support are left out.
func latencies(d *loadgen.Distribution) string {
	named := []struct {
		name string
		us   *float64
	}{{"p50", d.P50US}, {"p90", d.P90US}, {"p99", d.P99US}, {"p99.9", d.P999US}, {"max", &d.MaxUS}}
	var row []time.Duration
	for _, q := range named {
		if q.us != nil {
			row = append(row, micros(*q.us))
		}
	}
	unit := units.RowUnit(row...)
	var parts []string
	for _, q := range named {
		if q.us == nil {
			continue
		}
		part := q.name + " " + unit.Digits(micros(*q.us))
		if len(parts) == 0 {
			part += " " + unit.String()
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "  ")
}

func micros(us float64) time.Duration { return time.Duration(us * float64(time.Microsecond)) }

// server is the line of the server's cost: "myapi[4121]  156 us CPU/request,
// 1.94 cores, 61 MiB".
func server(s *loadgen.Server) string {
	name := fmt.Sprintf("%s[%d]", s.Name, s.PID)
	if n := len(s.PIDs); n > 1 {
		name = fmt.Sprintf("%s[%d and %d more]", s.Name, s.PID, n-1)
	}
	cost := "no request to account for"
	if s.CPUPerRequestUS != nil {
		cost = units.Micros(*s.CPUPerRequestUS) + " CPU/request"
	}
	return fmt.Sprintf("%s  %s, %.2f cores, %s", name, cost, s.CoresUsed, units.Bytes(s.PeakRSSBytes))
}

// rateMet is the share of an offered rate from which on it is achieved.
const rateMet = 0.98

// limit words who kept the rate from being higher.
func limit(r *loadgen.Result) string {
	who, why := r.Limit()
	if r.OfferedRPS != nil && r.RPS >= rateMet**r.OfferedRPS && who != loadgen.LimitGenerator {
		return "the rate that was asked for (" + why + ")"
	}
	switch who {
	case loadgen.LimitServer:
		return "the server (" + why + ")"
	case loadgen.LimitServerCPUs:
		return "the server's CPUs, which others use too (" + why + ")"
	case loadgen.LimitGenerator:
		return "the generator (" + why + "): the server may be faster than this"
	case loadgen.LimitNeither:
		return "neither (" + why + "): more connections may bring more"
	}
	return "not the generator (" + why + ")"
}
