package serverproc

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/scalws/scalbench/internal/mono"
	"github.com/scalws/scalbench/internal/procfs"
)

const ms = time.Millisecond

func TestBetween(t *testing.T) {
	thread := func(tid int, ran, waited time.Duration, v, i uint64) procfs.Thread {
		return procfs.Thread{TID: tid, Name: "worker", Ran: ran, Waited: waited, Timed: true, Switches: procfs.Switches{Voluntary: v, Involuntary: i}}
	}
	from := treeReading{at: 0, adopted: 10 * ms, user: 100 * ms, sys: 50 * ms, processes: map[processKey]processReading{
		{1, 1}: {name: "nginx", cpu: 100 * ms, reaped: 0, faults: 2, threads: map[int]procfs.Thread{1: thread(1, 90*ms, 7*ms, 5, 1)}},
		{2, 1}: {cpu: 300 * ms, reaped: 20 * ms}, // ends
	}}
	tests := []struct {
		name    string
		to      treeReading
		cpu     time.Duration
		lost    bool
		started []int
		ended   []int
	}{
		{
			// 2 used 40 ms more and was reaped by 1: 1's account has all of its life and
			// of its children, 300 + 40 + 20. The rest is 1's own 50.
			"reaped by its parent",
			treeReading{adopted: 10 * ms, processes: map[processKey]processReading{{1, 1}: {cpu: 150 * ms, reaped: 360 * ms}}},
			50*ms + 40*ms, false, nil, []int{2},
		},
		{
			// The same, its parent had ended: the supervisor has it.
			"adopted",
			treeReading{adopted: 10*ms + 360*ms, processes: map[processKey]processReading{{1, 1}: {cpu: 150 * ms}}},
			50*ms + 40*ms, false, nil, []int{2},
		},
		{
			// 1 ignores SIGCHLD: what 2 used is nowhere.
			"lost",
			treeReading{adopted: 10 * ms, processes: map[processKey]processReading{{1, 1}: {cpu: 150 * ms}}},
			50 * ms, true, nil, []int{2},
		},
		{
			// 3 has started, and has reaped 30 ms of one that was in neither reading; the
			// PID 2 is another process now, and the old one was reaped by 1.
			"started, and a PID again",
			treeReading{adopted: 10 * ms, processes: map[processKey]processReading{
				{1, 1}: {cpu: 150 * ms, reaped: 320 * ms}, {2, 9}: {cpu: 7 * ms}, {3, 5}: {cpu: 20 * ms, reaped: 30 * ms},
			}},
			50*ms + 7*ms + 20*ms + 30*ms, false, []int{2, 3}, []int{2},
		},
	}
	for _, test := range tests {
		test.to.at = mono.Time(time.Second)
		u := between(from, test.to)
		if u.CPU != test.cpu || u.Lost != test.lost || !slices.Equal(u.Started, test.started) || !slices.Equal(u.Ended, test.ended) || u.Elapsed != time.Second {
			t.Errorf("%s: %+v, want %s of CPU", test.name, u, test.cpu)
		}
	}

	// Thread 1 ran for 30 ms and waited for 5; thread 2 is new, and 3 has not run.
	to := treeReading{user: 130 * ms, sys: 60 * ms, processes: map[processKey]processReading{
		{1, 1}: {name: "nginx", cpu: 140 * ms, faults: 5, threads: map[int]procfs.Thread{
			1: thread(1, 120*ms, 12*ms, 9, 3), 2: thread(2, 3*ms, 1*ms, 100, 0), 3: thread(3, 0, 0, 0, 0)}},
	}}
	u := between(from, to)
	if u.Switches != (procfs.Switches{Voluntary: 4 + 100, Involuntary: 2}) || u.User != 0 {
		t.Errorf("switches %+v, user %s; want 104 and 2, and no times of a tree that has lost some", u.Switches, u.User)
	}
	if u.RunQueueWait != 6*ms || u.MajorFaults != 3 {
		t.Errorf("waited %s, want 5 and 1 ms; %d major faults, want 5 - 2", u.RunQueueWait, u.MajorFaults)
	}
	want := []Worker{{PID: 1, Name: "nginx", CPU: 40 * ms, Threads: []ThreadUsage{
		{TID: 1, Name: "worker", CPU: 30 * ms, RunQueueWait: 5 * ms, Switches: procfs.Switches{Voluntary: 4, Involuntary: 2}},
		{TID: 2, Name: "worker", CPU: 3 * ms, RunQueueWait: 1 * ms, Switches: procfs.Switches{Voluntary: 100}},
	}}}
	if diff := cmp.Diff(want, u.Workers); diff != "" {
		t.Error(diff)
	}
	// Another thread with the number of one that has ended.
	if got := threadSince(thread(1, 9*ms, 9*ms, 5, 1), thread(1, 10*ms, 1*ms, 2, 7)); got.Switches != (procfs.Switches{Voluntary: 2, Involuntary: 7}) || got.RunQueueWait != ms {
		t.Errorf("a new thread: %+v", got)
	}
}

// Of a process with many threads the first are kept, by what they used.
func TestWorkerBrief(t *testing.T) {
	var w Worker
	for tid := range 100 {
		w.Threads = append(w.Threads, ThreadUsage{TID: tid, CPU: time.Duration(tid) * ms})
	}
	if got := w.brief().Threads; len(got) != 64 || got[0].TID != 99 || got[63].TID != 36 {
		t.Errorf("%d threads, from %+v to %+v", len(got), got[0], got[len(got)-1])
	}
}

// The words of records are read back.
func TestUsageJSON(t *testing.T) {
	want := Usage{CPU: ms, PeakMethod: PeakSampled, Workers: []Worker{{PID: 1, CPU: ms}}}
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got Usage
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" || !strings.Contains(string(text), `"peak_method":"sampled_100ms"`) {
		t.Errorf("%s: %s", text, diff)
	}
	if err := json.Unmarshal([]byte(`{"peak_method": "guessed"}`), &got); err == nil {
		t.Error("an unknown method is read")
	}
}

// What a child used that was started and has ended inside the window is counted.
func TestMeterCountsVanishedChild(t *testing.T) {
	port := freePort(t)
	s := serveAt(t, port)
	clock, err := mono.NewClock()
	if err != nil {
		t.Fatal(err)
	}
	m := s.Meter()
	if err := m.Begin(clock.Now()); err != nil {
		t.Fatal(err)
	}
	response, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Get("http://" + port.Addr.String() + "/burn")
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != 200 {
		t.Fatalf("status %d", response.StatusCode)
	}
	m.Sample()
	u, err := m.End(clock.Now())
	if err != nil {
		t.Fatal(err)
	}
	// The child burns 60 ms by its own clock; ticks round down twice, 10 ms each.
	if u.CPU < 40*ms || u.User+u.System < 40*ms || u.Lost {
		t.Errorf("CPU %s, user %s, system %s, lost %t, want at least 40 ms", u.CPU, u.User, u.System, u.Lost)
	}
	if len(u.Workers) != 1 || u.Workers[0].PID != s.PID() || len(u.Workers[0].Threads) == 0 || u.Workers[0].CPU > u.CPU {
		t.Errorf("workers %+v, want the server alone, with its threads", u.Workers)
	}
	if u.CPU > u.Elapsed*time.Duration(8) || u.Switches.Voluntary == 0 {
		t.Errorf("CPU %s in %s, %+v", u.CPU, u.Elapsed, u.Switches)
	}
	if u.PeakMethod != PeakReset || u.PeakRSSBytes < 1<<20 || u.PeakRSSBytes > 1<<30 || u.SampledRSSBytes > u.PeakRSSBytes*2 {
		t.Errorf("peak %d bytes by %s, sampled %d", u.PeakRSSBytes, u.PeakMethod, u.SampledRSSBytes)
	}

	if _, err := s.Stop(t.Context(), patience); err != nil {
		t.Fatal(err)
	}
	if _, err := m.End(clock.Now()); !errors.Is(err, procfs.ErrGone) {
		t.Errorf("after its end: %v", err)
	}
}

// Of another user's process the peak cannot be reset; its memory is sampled then.
func TestMeterOfAnothersProcess(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may reset it; TestAsOrdinaryUser runs this")
	}
	m := NewMeter(procDir, func() ([]int, error) { return []int{1}, nil })
	if err := m.Begin(1); err != nil {
		t.Fatal(err)
	}
	if !m.NeedsSamples() {
		t.Error("it needs no samples")
	}
	u, err := m.End(2)
	if err != nil || u.PeakMethod != PeakSampled || u.PeakRSSBytes == 0 || u.PeakRSSBytes != u.SampledRSSBytes {
		t.Errorf("%+v, %v", u, err)
	}
}

// Several processes: the sum of their peaks, and what was seen at one time.
func TestMeterOfSeveral(t *testing.T) {
	spec := testSpec(t, roleParent)
	s := start(t, spec)
	eventually(t, "server and child say their pids", func() bool { return len(saidPIDs(t, spec.Stdout)) == 2 })
	m := s.Meter()
	if err := m.Begin(1); err != nil {
		t.Fatal(err)
	}
	if !m.NeedsSamples() {
		t.Error("it needs no samples")
	}
	for range listEvery {
		m.Sample()
	}
	u, err := m.End(2)
	if err != nil || u.PeakMethod != PeakResetSum || u.SampledRSSBytes == 0 || u.PeakRSSBytes < u.SampledRSSBytes {
		t.Errorf("%+v, %v", u, err)
	}
}
