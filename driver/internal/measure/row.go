package measure

import (
	"strconv"
	"time"

	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/serverproc"
	"github.com/scalws/scalbench/loadgen"
)

// row is what was measured, as far as it came. It is not judged yet.
func (m *measurement) row() record.Measurement {
	row := record.Measurement{
		IdentityOK: m.seen.ok, IdentityN: m.seen.n, Interfered: m.seen.verdict.Interfered,
		ExeSHA256: m.running.facts.Binary.Value,
	}
	if from := m.evidence.From; from != 0 {
		row.StartUTC, row.StartMonoNS = m.bench.clock.Wall(from).UTC(), int64(from)
	}
	if m.result != nil {
		fillResult(&row, m.result)
		row.LittleRatio = little(m.plan, m.result)
		if m.plan.IsOpen() {
			fillSchedule(&row, m.result)
		}
	}
	if u := m.evidence.Server; u != nil {
		m.fillUsage(&row, u)
	}
	if m.turns {
		m.fillTurns(&row)
		return row
	}
	if u := m.evidence.App; u != nil {
		row.CPUAppMicros = cpuMicros(u, row)
		if cpus := m.running.appCPUs(); cpus.Intersect(m.running.cpus()) == (cpuset.Set{}) {
			row.AppBusyFrac = busyFrac(u, cpus)
		}
	}
	return row
}

// fillResult fills in what the generator has measured.
func fillResult(row *record.Measurement, r *loadgen.Result) {
	row.DurationSeconds, row.RPS, row.Requests = positive(r.MeasuredS), positive(r.RPS), r.CompletedInWindow
	for text, n := range r.Status {
		if code, err := strconv.Atoi(text); err == nil && code >= 200 && code < 300 {
			row.Status2xx += n
		} else {
			row.StatusOther += n
		}
	}
	row.Errors, row.Bytes = r.Ledger.ErrorsTotal(), r.BodyBytesIn
	if d := r.Latency.Response; d != nil {
		row.P50Millis, row.P90Millis, row.P99Millis, row.P999Millis = millis(d.P50US), millis(d.P90US), millis(d.P99US), millis(d.P999US)
		row.MaxMillis = millis(&d.MaxUS)
	}
	row.GeneratorBusyFrac = record.Of(r.Busiest())
}

// fillSchedule fills in how an open loop kept its schedule.
func fillSchedule(row *record.Measurement, r *loadgen.Result) {
	if due := r.Ledger.Scheduled; due > 0 {
		unsent := r.Ledger.NeverSent + r.Ledger.Shed
		for _, s := range r.Ledger.Errors {
			unsent += s.Unsent
		}
		row.SentFrac = record.Of(1 - float64(unsent)/float64(due))
	}
	if d := r.Latency.Lateness; d != nil {
		row.LateP999Millis = millis(d.P999US)
	}
}

// positive is a number that means nothing when it is 0.
func positive(x float64) record.Value {
	if x == 0 {
		return record.Value{}
	}
	return record.Of(x)
}

func millis(us *float64) record.Value {
	if us == nil {
		return record.Value{}
	}
	return record.Of(*us / 1e3)
}

// little is the share of the time in which a slot of a closed loop has a request out, by
// Little's law: rate x mean latency / slots. Below 1 the generator lets slots wait. With a
// connection for each request they wait for it to be opened and closed, too.
func little(plan loadgen.Plan, r *loadgen.Result) record.Value {
	if plan.IsOpen() || r.Latency.Service == nil {
		return record.Value{}
	}
	return record.Of(r.RPS * r.Latency.Service.MeanUS / 1e6 / float64(plan.Connections*plan.Streams))
}

// fillUsage fills in what the server used.
func (m *measurement) fillUsage(row *record.Measurement, u *serverproc.Usage) {
	row.CPUMicros = cpuMicros(u, *row)
	row.ServerBusyFrac = busyFrac(u, m.running.cpus())
	row.RSSKiB, row.RSSMethod = record.Of(float64(u.PeakRSSBytes)/1024), u.PeakMethod.String()
}

// busyFrac is the share of CPUs that was used; none where nothing is known of them.
func busyFrac(u *serverproc.Usage, cpus cpuset.Set) record.Value {
	if cpus.Count() == 0 || u.Elapsed <= 0 {
		return record.Value{}
	}
	// Ticks may round up to a little more than there was.
	return record.Of(min(1, float64(u.CPU)/float64(u.Elapsed)/float64(cpus.Count())))
}

// cpuMicros is CPU time for each request. The two readings lie a little behind the edges of
// the window, each by as much as this process was late: what was used per second is
// taken for the window's length.
func cpuMicros(u *serverproc.Usage, row record.Measurement) record.Value {
	rps, known := row.RPS.Get()
	if !known || u.Elapsed <= 0 {
		return record.Value{}
	}
	return record.Of(float64(u.CPU) / float64(time.Microsecond) / u.Elapsed.Seconds() / rps)
}

// cpus are those that the instances may use; none when nothing is known of them.
func (r *Running) cpus() cpuset.Set {
	var all cpuset.Set
	for _, i := range r.instances {
		all = all.Union(i.seat.cpus)
	}
	return all
}

// appCPUs are those of the helpers.
func (r *Running) appCPUs() cpuset.Set {
	var all cpuset.Set
	for _, h := range r.helpers {
		all = all.Union(h.cpus)
	}
	return all
}
