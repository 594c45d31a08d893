// Package record is the waist between measuring and judging: the types of what was
// measured, and their files. A driver writes them, a gate and a report read them, and
// nobody reads anything else of the other's.
//
// # Terms
//
//   - measurement: one scenario of one variant in one run; a line of summary.csv.
//   - run: every scenario of one variant once. Run 3 of two variants is a pair.
//   - round: so many runs of every variant, in one window of time; a directory.
//   - session: the rounds of one plan on one host. Its id stands in every file, so
//     that two sessions can never pass for one.
//   - table: HOST-SUITE, what the directories of a session's rounds begin with.
//   - value: a number that was measured, or none ([Value]); never 0 in place of none.
//   - fault: what is wrong with a file, at file:line ([Fault]). Readers return all of
//     them at once and guess nothing.
//
// # Layout
//
//	results/xeon-gate1.session/     one per session
//	  plan.json                     what it set out to measure; written first, never changed
//	  host.json                     what was found out about the host
//	  journal.ndjson                what happened, a line an event, appended and synced
//	  syscalls-1/syscalls.json      the system calls of a pass beside the rounds, and as text
//	  profile-1/profile.json        the samples of one, likewise
//	results/xeon-gate1-1/           one per round
//	  run-1/rc1-11/summary.csv      a line for each scenario
//	  run-1/el8/summary.csv
//	  run-2/...
//	  identity.json                 were they the variants meant, and in what they differ
//	  aggregate.csv aggregate.txt   medians; last: a round with them is finished
//	results/xeon-gate1.calibration/1/   one per calibration of the suite on the host
//	  aa.session aa-1 ...           a variant against itself
//	  control.session control-1 ... the same under a known burden
//	  calibration.json              what they show; written last
//	results/rulings.yaml            what people decided about rows that failed
//	gate.csv                        a verdict table, and the form of published ones
//
// Every file but the journal is written once and atomically ([WriteFile]); one that
// exists is never written again.
//
// # CSV
//
// A header, then a line each, comma, '.' for decimals, no grouping, a line feed at
// every end. Columns may stand in any order; unknown, missing and repeated ones are
// faults. An empty cell is "not measured". No cell has a line feed or another control
// character, so that a line of the file is a line of the table. A last line without
// its line feed was cut. NaN, infinities and negative numbers are faults.
//
// summary.csv: session, round, run, slot, variant, mode, scenario, start_utc (RFC
// 3339, Z), start_mono_ns, duration_s, requests, rps, status_2xx, status_other,
// errors, bytes, p50_ms, p90_ms, p99_ms, p999_ms, max_ms, cpu_us, cpu_us_app,
// server_busy, generator_busy (0 to 1), rss_kib, rss_method, little, identity_ok,
// identity_n, interfered (yes or no), valid, reason, exe_sha256, and since then
// attempt, flags, app_busy (0 to 1), and of open loops sent_share (0 to 1) and
// late_p999_ms, all of which a file may lack. valid is yes, no (measured or begun, not
// to be judged), not_run (the host lacks what it needs) or na (impossible for this
// variant); all but yes have a reason. A yes with no requests, another status than
// 2xx, an error or an identity sample that missed contradicts itself: a fault.
// [Measurement] has the units.
//
// aggregate.csv: round, mode, scenario, variant, n, rps_median, rps_min, rps_max,
// cv_pct (n-1), cpu_us, p99_ms, rss_mib, over the valid runs of a round. It must be
// that of the round's measurements: one that is not was made of others.
//
// gate.csv: report, gate, table, mode, scenario, base, new, r1 to rN (N at least 3),
// median, spread_pct, p99, cpu_us, rss (ratios, new / base), verdict, and then ci_lo,
// ci_hi, level, mde, flags, which published tables lack.
//
// # JSON
//
// plan.json, host.json and identity.json say their schema. They only grow, and readers
// ignore keys that they do not know. plan.json carries its own hash: a changed plan is
// a fault. A line of journal.ndjson is an [Event]; a torn last line is what a crash
// leaves, no fault.
//
// # Flow
//
//  1. A driver writes with [WritePlan], [WriteHost], [AppendEvent], then for each run
//     [WriteSummary], at a round's end [WriteIdentity], [WriteAggregate] and
//     [WriteAggregateText]; all through [WriteFile].
//  2. [ReadRound] and [ReadSession] read the directories of an fs.FS and hold the
//     files against each other.
//  3. Single files are read by [ReadSummary], [ReadAggregate], [ReadGate],
//     [ReadRulings] and so on.
//
// # Reading order
//
// measurement.go and summary.go with lines.go and columns.go, which they are made of;
// aggregate.go; round.go, paths.go; plan.go, host.go, journal.go, identity.go, logerror.go, identitycounts.go,
// binary.go and session.go; calibration.go, gatefile.go, rulings.go; syscalls.go and
// syscallstext.go; profile.go, profileview.go and profiletext.go; writefile.go; then value.go,
// fault.go, text.go, json.go.
package record
