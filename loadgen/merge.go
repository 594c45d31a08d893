package loadgen

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/scalws/scalbench/internal/cpuset"
	"github.com/scalws/scalbench/internal/hdr"
)

// WindowsDiffer warns that merged results did not measure at the same time: their
// sum is then no load that there was for the whole window.
const WindowsDiffer WarningCode = "windows_differ"

// windowShare is the part of a window by which others may begin or end beside it.
const windowShare = 0.01

// PartError says which result cannot be merged with those before.
type PartError struct {
	Part int // its index
	Err  error
}

func (e *PartError) Error() string { return fmt.Sprintf("result %d: %v", e.Part+1, e.Err) }

// Unwrap returns Err.
func (e *PartError) Unwrap() error { return e.Err }

// MergeResults returns what several generators that worked at the same time on
// shares of one plan saw together: processes of one host, or several hosts. The
// results may come from Run or from JSON; they stay as they are.
//
// Counters are added, histograms merged, and what derives from them is derived
// anew: nothing is averaged but the generators' busy share. What cannot be told of
// the whole is absent: percentiles of a row in which several parts have samples,
// and what the server used when they saw different processes. Left out are QUIC,
// Host, Waited, Thresholds and Fairness. Of each kind of error the first part's
// text stays.
//
// The window is the longest of the parts'. Where they differ by more than 1 % it
// lasts from the first beginning to the last end, so that the rate is one that
// there was, and the result has a warning (WindowsDiffer). With a number of
// requests only the beginnings have to agree, as for the workers of one process.
//
// It is an error, mostly a *PartError, when plans differ in more than the share
// (connections, requests, CPUs, source addresses, seed, process to account for),
// when versions, addresses or engines differ, and when two windows have no time in
// common.
func MergeResults(results []*Result) (*Result, error) {
	if len(results) == 0 {
		return nil, errors.New("no result to merge")
	}
	if err := sameMeasurement(results); err != nil {
		return nil, err
	}
	plan, err := mergePlans(results)
	if err != nil {
		return nil, err
	}
	window, err := mergeSpans(results)
	if err != nil {
		return nil, err
	}
	latency, err := mergeLatencies(results)
	if err != nil {
		return nil, err
	}
	first := results[0]
	r := &Result{
		Schema: first.Schema, Version: first.Version, Plan: plan, Protocol: first.Protocol, Address: first.Address,
		StartedAt: window.startedAt, MeasuredS: window.measuredS,
		Ledger: Ledger{Errors: map[string]Split{}}, Status: map[string]uint64{}, FirstErrors: map[string]string{},
		Latency: latency, Windows: mergeRows(results), Workers: []WorkerResult{}, Warnings: []Warning{},
	}
	for _, part := range results {
		r.count(part)
		r.warn(part.Warnings...)
	}
	r.RPS = perSecond(r.CompletedInWindow, r.MeasuredS)
	if first.OfferedRPS != nil {
		r.OfferedRPS = ptr(perSecond(r.Ledger.Scheduled, r.MeasuredS))
	}
	r.Generator = r.mergeGenerators(results)
	r.Server = r.mergeServers(results)
	r.warn(window.warnings...)
	for _, account := range append(slices.Clone(results), r) { // two faults may cancel each other out in the sum
		if err := account.Ledger.Check(); err != nil {
			r.warn(warningf(LedgerBroken, "%v", err))
		}
	}
	r.Validity = mergedValidity(r.Warnings, results)
	return r, nil
}

// sameMeasurement wants results of one thing.
func sameMeasurement(results []*Result) error {
	for i, part := range results {
		switch {
		case part.Schema != Schema:
			return &PartError{i, fmt.Errorf("schema %q: want %q", part.Schema, Schema)}
		case len(part.Plan.Targets) != 1 || part.MeasuredS < 0:
			return &PartError{i, fmt.Errorf("%d targets, measured for %v s: this is no run's", len(part.Plan.Targets), part.MeasuredS)}
		}
		for k, want := range identity(results[0]) {
			if have := identity(part)[k]; have != want {
				return &PartError{i, differs(want[0], have[1], want[1])}
			}
		}
	}
	return nil
}

// identity is what results share beside the plan, as pairs of name and value.
func identity(r *Result) [5][2]string {
	loop := "closed"
	if r.OfferedRPS != nil {
		loop = "open"
	}
	return [5][2]string{{"version", r.Version}, {"protocol", r.Protocol}, {"address", r.Address}, {"engine", r.Generator.Engine}, {"loop", loop}}
}

func differs(name, have, want string) error {
	return fmt.Errorf("%s is %s, and %s in the first result", name, cmp.Or(have, "not there"), cmp.Or(want, "not there"))
}

// mergePlans returns the plan of which the parts' plans are shares.
func mergePlans(results []*Result) (PlanEcho, error) {
	merged := results[0].Plan
	for i, part := range results[1:] {
		p := part.Plan
		if err := sameButShare(p, merged); err != nil {
			return PlanEcho{}, &PartError{i + 1, fmt.Errorf("plan: %w", err)}
		}
		var err error
		if merged.Rate, err = merged.Rate.Plus(p.Rate); err != nil {
			return PlanEcho{}, &PartError{i + 1, fmt.Errorf("plan: %w", err)}
		}
		merged.Burst.Requests += p.Burst.Requests
		merged.Connections += p.Connections
		merged.Requests += p.Requests
		merged.CPUs = merged.CPUs.Union(p.CPUs)
		merged.NoPin = merged.NoPin || p.NoPin
		if merged.ServerPID == ServerNone {
			merged.ServerPID = p.ServerPID
		}
		for _, ip := range p.SourceIPs {
			if !slices.Contains(merged.SourceIPs, ip) {
				merged.SourceIPs = append(slices.Clone(merged.SourceIPs), ip)
			}
		}
	}
	return merged, nil
}

// sameButShare names a key in which plans differ that may not.
func sameButShare(p, first PlanEcho) error {
	have, err1 := unshared(p)
	want, err2 := unshared(first)
	if err1 != nil || err2 != nil {
		return errors.Join(err1, err2)
	}
	keys := maps.Clone(want)
	maps.Copy(keys, have)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if !bytes.Equal(have[key], want[key]) {
			return differs(key, string(have[key]), string(want[key]))
		}
	}
	return nil
}

// unshared returns the keys of a plan that are the same for all who share it. A
// field that is not named here is one of them, so that a new one is not missed.
func unshared(p PlanEcho) (keys map[string]json.RawMessage, err error) {
	p.Connections, p.CPUs, p.NoPin, p.ServerPID, p.Seed, p.SourceIPs = 0, cpuset.Set{}, false, 0, 0, nil
	p.Rate, p.Burst.Requests = Rate{}, min(p.Burst.Requests, 1)
	p.Requests = min(p.Requests, 1) // whether there is a number of them is no share
	text, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	err = json.Unmarshal(text, &keys)
	return keys, err
}

// span is the window of a merged result.
type span struct {
	startedAt time.Time // the first of the parts'
	measuredS float64
	warnings  []Warning
}

// mergeSpans lays the parts' windows beside each other. With a warm-up of the same
// length they begin as far apart as the parts did. An empty one covers no time.
func mergeSpans(results []*Result) (span, error) {
	s := span{startedAt: results[0].StartedAt}
	for _, part := range results {
		if part.StartedAt.Before(s.startedAt) {
			s.startedAt = part.StartedAt
		}
	}
	firstFrom, lastFrom, firstTo, lastTo := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1) // since startedAt
	last := 0
	for i, part := range results {
		if part.MeasuredS == 0 {
			continue
		}
		from := part.StartedAt.Sub(s.startedAt).Seconds()
		to := from + part.MeasuredS
		if from > lastFrom {
			last = i
		}
		firstFrom, lastFrom = min(firstFrom, from), max(lastFrom, from)
		firstTo, lastTo = min(firstTo, to), max(lastTo, to)
		s.measuredS = max(s.measuredS, part.MeasuredS)
	}
	if s.measuredS == 0 {
		return s, nil
	}
	if lastFrom >= firstTo {
		return span{}, &PartError{last, fmt.Errorf("its window begins %.3g s after the end of another: they have no time in common", lastFrom-firstTo)}
	}
	apart := lastFrom - firstFrom
	if results[0].Plan.Requests == 0 {
		apart = max(apart, lastTo-firstTo)
	}
	if apart > windowShare*s.measuredS {
		s.measuredS = lastTo - firstFrom
		s.warnings = []Warning{warningf(WindowsDiffer, "the generators did not measure at the same time: their windows begin %.3g s and end %.3g s apart", lastFrom-firstFrom, lastTo-firstTo)}
	}
	return s, nil
}

// distributions lists the distributions, so that merging misses none.
func (l *Latency) distributions() []**Distribution {
	return []**Distribution{&l.Service, &l.Response, &l.SendDelay, &l.Lateness, &l.FirstByte, &l.Failed, &l.Connect, &l.TLS, &l.QUIC, &l.DNS}
}

func mergeLatencies(results []*Result) (Latency, error) {
	var merged Latency
	for i, to := range merged.distributions() {
		var parts []*Distribution
		for n, part := range results {
			d := *part.Latency.distributions()[i]
			if d != nil && d.histogram == nil {
				return Latency{}, &PartError{n, errors.New("a latency has no histogram (hdr)")}
			}
			if d != nil {
				parts = append(parts, d)
			}
		}
		*to = mergeDistributions(parts)
	}
	return merged, nil
}

// mergeDistributions returns nil for none.
func mergeDistributions(parts []*Distribution) *Distribution {
	if len(parts) == 1 {
		return parts[0]
	}
	all, sumUS := hdr.New(hdr.Fine), 0.0
	for _, d := range parts {
		all.Merge(d.histogram)
		sumUS += d.MeanUS * float64(d.Count)
	}
	merged := distribution(all)
	if merged != nil {
		merged.MeanUS = sumUS / float64(merged.Count) // a histogram from JSON has no exact sum
	}
	return merged
}

// mergeRows adds the rows with the same index.
func mergeRows(results []*Result) []Window {
	rows := []Window{}
	for _, part := range results {
		for i, w := range part.Windows {
			if i == len(rows) {
				rows = append(rows, w)
			} else {
				rows[i] = rows[i].plus(w)
			}
		}
	}
	return rows
}

// plus adds another generator's row. Percentiles stay if only one has samples.
func (w Window) plus(o Window) Window {
	sum := Window{StartS: w.StartS, OK: w.OK + o.OK, Errors: w.Errors + o.Errors, MaxUS: w.MaxUS}
	switch {
	case o.OK == 0:
		sum.P50US, sum.P99US = w.P50US, w.P99US
	case w.OK == 0:
		sum.P50US, sum.P99US = o.P50US, o.P99US
	}
	if sum.MaxUS == nil || o.MaxUS != nil && *o.MaxUS > *sum.MaxUS {
		sum.MaxUS = o.MaxUS
	}
	return sum
}

// count adds what one part counted.
func (r *Result) count(part *Result) {
	r.Interrupted = r.Interrupted || part.Interrupted
	r.StartupMS = max(r.StartupMS, part.StartupMS)
	if r.TLS == nil {
		r.TLS = part.TLS
	}
	r.Ledger.add(part.Ledger)
	r.CompletedInWindow += part.CompletedInWindow
	r.AllPhases.Sent += part.AllPhases.Sent
	for code, n := range part.Status {
		r.Status[code] += n
	}
	for kind, text := range part.FirstErrors {
		if _, told := r.FirstErrors[kind]; !told {
			r.FirstErrors[kind] = text
		}
	}
	r.BytesIn += part.BytesIn
	r.BytesOut += part.BytesOut
	r.BodyBytesIn += part.BodyBytesIn
	r.Connections.Opened += part.Connections.Opened
	r.Connections.ReusedRequests += part.Connections.ReusedRequests
	r.Connections.Resumed += part.Connections.Resumed
	r.Connections.RestartedRequests += part.Connections.RestartedRequests
	r.Workers = append(r.Workers, part.Workers...)
}

func (l *Ledger) add(o Ledger) {
	l.Scheduled += o.Scheduled
	l.OK += o.OK
	l.Shed += o.Shed
	l.Unfinished += o.Unfinished
	l.NeverSent += o.NeverSent
	for kind, s := range o.Errors {
		sum := l.Errors[kind]
		l.Errors[kind] = Split{Sent: sum.Sent + s.Sent, Unsent: sum.Unsent + s.Unsent}
	}
}

// mergeGenerators adds what the generators used; what one does not know is absent.
func (r *Result) mergeGenerators(results []*Result) Generator {
	g := Generator{Engine: results[0].Generator.Engine}
	busy, costKnown, busyKnown := 0.0, true, len(r.Workers) > 0
	for _, part := range results {
		p := part.Generator
		g.CPUS += p.CPUS
		g.PeakRSSBytes += p.PeakRSSBytes
		g.RestUS = max(g.RestUS, p.RestUS)
		g.GCPauseMaxUS = max(g.GCPauseMaxUS, p.GCPauseMaxUS)
		costKnown = costKnown && (p.CPUPerRequestUS != nil || part.CompletedInWindow == 0)
		if p.Busy == nil {
			busyKnown = false
		} else {
			busy += *p.Busy * float64(len(part.Workers))
		}
	}
	if costKnown {
		g.CPUPerRequestUS = perRequestUS(g.CPUS, r.CompletedInWindow)
	}
	if busyKnown {
		g.Busy = ptr(busy / float64(len(r.Workers)))
	}
	return g
}

// mergeServers returns what the server used in the longest of the windows over
// which it was read; nil when nobody read it, or not all the same processes.
func (r *Result) mergeServers(results []*Result) *Server {
	var s *Server
	readS, peakRSSBytes, sharesNoCPU := 0.0, int64(0), true
	for _, part := range results {
		p := part.Server
		if p == nil {
			sharesNoCPU = false // where that generator ran is not known
			continue
		}
		if s != nil && !slices.Equal(slices.Sorted(slices.Values(s.PIDs)), slices.Sorted(slices.Values(p.PIDs))) {
			r.warn(warningf(ServerUnknown, "what the server used is not known: the generators saw processes %v and %v", s.PIDs, p.PIDs))
			return nil
		}
		if s == nil || part.MeasuredS > readS {
			s, readS = p, part.MeasuredS
		}
		peakRSSBytes = max(peakRSSBytes, p.PeakRSSBytes)
		sharesNoCPU = sharesNoCPU && p.CPUsBusy != nil
	}
	if s == nil {
		return nil
	}
	merged := *s
	merged.PeakRSSBytes, merged.CPUPerRequestUS = peakRSSBytes, nil
	if !sharesNoCPU {
		merged.CPUsBusy = nil
	}
	if math.Abs(r.MeasuredS-readS) <= windowShare*r.MeasuredS { // else some requests were answered outside the reading
		merged.CPUPerRequestUS = perRequestUS(s.CoresUsed*r.MeasuredS, r.CompletedInWindow)
	}
	return &merged
}

// warn adds warnings, the same one once and those of one code together.
func (r *Result) warn(ws ...Warning) {
	for _, w := range ws {
		if slices.Contains(r.Warnings, w) {
			continue
		}
		at := len(r.Warnings)
		for i, known := range r.Warnings {
			if known.Code == w.Code {
				at = i + 1
			}
		}
		r.Warnings = slices.Insert(r.Warnings, at, w)
	}
}

// mergedValidity is what warnings make of it, never better than a part.
func mergedValidity(warnings []Warning, results []*Result) Validity {
	worst := validity(warnings)
	for _, part := range results {
		if part.Validity == Invalid || worst == Valid && part.Validity == Suspect {
			worst = part.Validity
		}
	}
	return worst
}

// UnmarshalJSON also reads the histogram.
func (d *Distribution) UnmarshalJSON(text []byte) error {
	type plain Distribution
	var p plain
	if err := json.Unmarshal(text, &p); err != nil {
		return err
	}
	*d = Distribution(p)
	if d.HDR == "" {
		return nil
	}
	var err error
	d.histogram, err = hdr.Decode(d.HDR, int64(math.Round(d.MinUS*1e3)), int64(math.Round(d.MaxUS*1e3)), d.MeanUS*1e3)
	if err == nil && d.histogram.Count() != d.Count {
		err = fmt.Errorf("hdr: holds %d values, but count is %d", d.histogram.Count(), d.Count)
	}
	return err
}
