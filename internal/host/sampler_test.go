package host

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/scalws/scalbench/internal/mono"
)

// seconds starts a sampler, lets the given seconds pass one after the other, and
// returns what it saw. Each second is a change of the machine.
func seconds(t *testing.T, m *machine, w Watch, each ...func()) Interference {
	t.Helper()
	return secondsThatCost(t, m, w, nil, each...)
}

// secondsThatCost is the same where the sampler's thread has used a CPU for so long.
func secondsThatCost(t *testing.T, m *machine, w Watch, own func() time.Duration, each ...func()) Interference {
	t.Helper()
	left := each
	ended := make(chan struct{})
	clock := Clock{
		Own: own,
		Now: func() mono.Time { return m.now }, // asked by the sampler's goroutine, which is the one that sleeps
		Sleep: func(ctx context.Context, d time.Duration) error {
			if len(left) == 0 {
				close(ended)
				<-ctx.Done()
				return ctx.Err()
			}
			left[0]()
			left = left[1:]
			m.now = m.now.Add(d)
			return nil
		},
	}
	s, err := m.fs().StartSampler(w, clock)
	if err != nil {
		t.Fatal(err)
	}
	<-ended
	got := s.Stop()
	check(t, "stopped again", s.Stop(), got)
	return got
}

// gateway is the watch of the placement with nginx on CPUs 0-3.
func gateway(t *testing.T) Watch {
	return Watch{
		Sets: []WatchedSet{
			{Name: "server", CPUs: cpus(t, "0-3"), Roots: []int{700}, Server: true},
			{Name: "upstream", CPUs: cpus(t, "4-7")},
			{Name: "generator", CPUs: cpus(t, "8-15,24-31"), Roots: []int{710}},
		},
		Own: []int{690},
	}
}

// serve is a second in which nginx has all of CPUs 0-3 but what others take: ticks in
// tasks and in interrupts of the four together. The master reaped nobody; the worker
// stands for all of them.
func (m *machine) serve(own, foreign, interrupts int) {
	m.t.Helper()
	m.run(701, userTime, own)
	m.run(500, userTime, foreign)
	m.work("0", user, own+foreign-3*((own+foreign)/4))
	m.work("1-3", user, (own+foreign)/4)
	m.work("0-3", softirq, interrupts/4)
	m.work("0-3", idle, 100-(own+foreign+interrupts)/4)
	m.work("4-31", idle, 100)
}

func areaOf(t *testing.T, areas []AreaSum, name string) AreaSum {
	t.Helper()
	for _, a := range areas {
		if a.Name == name {
			return a
		}
	}
	t.Fatalf("no area %q in %+v", name, areas)
	return AreaSum{}
}

// Ten seconds of our own work, on a kernel that counts interrupts apart.
func TestSamplerOfOwnWork(t *testing.T) {
	m := machineOf(t, "xeon")
	second := func() { m.serve(320, 0, 80) }
	got := seconds(t, m, gateway(t), repeat(10, second)...)
	if len(got.Rows) != 10 || got.Verdict.Interfered {
		t.Errorf("%d rows, verdict %+v", len(got.Rows), got.Verdict)
	}
	check(t, "row", got.Rows[3].Areas[0], AreaRow{
		Name: "server", Role: RoleServer,
		TotalUS: 4_000_000, TaskUS: 3_200_000, OwnUS: 3_200_000, InterruptsUS: 800_000,
		// 0.8 s more than ours: the processes are looked at, and have used nothing.
		ProcessesUS: new(int64),
	})
	check(t, "row's time", got.Rows[3].ElapsedUS, int64(1_000_000))
	check(t, "interrupts", areaOf(t, got.Verdict.Areas, "server").InterruptsFrac, 0.2)
	check(t, "who", got.Verdict.Who, []Consumer(nil))
}

func repeat(n int, second func()) []func() {
	all := make([]func(), n)
	for i := range all {
		all[i] = second
	}
	return all
}

// dnf takes 20 of 400 ticks a second in 5 of 10 seconds: 2.5 % of the server's CPUs.
func TestSamplerOfForeignWork(t *testing.T) {
	for _, tt := range []struct {
		name  string
		quiet func(m *machine)
		noisy func(m *machine)
	}{
		{"interrupts apart",
			func(m *machine) { m.serve(320, 0, 80) },
			func(m *machine) { m.serve(300, 20, 80) }},
		// The worker's own time holds the interrupts too, as without
		// CONFIG_IRQ_TIME_ACCOUNTING: the plain difference is below zero.
		{"interrupts in processes",
			func(m *machine) { m.serve(320, 0, 80); m.run(701, userTime, 80) },
			func(m *machine) { m.serve(300, 20, 80); m.run(701, userTime, 80) }},
	} {
		m := machineOf(t, "xeon")
		m.run(500, onCPU, 1) // from CPU 1 to 2
		quiet, noisy := func() { tt.quiet(m) }, func() { tt.noisy(m) }
		got := seconds(t, m, gateway(t), append(repeat(5, quiet), repeat(5, noisy)...)...)
		server := areaOf(t, got.Verdict.Areas, "server")
		// 1 s of 40; the highest that the difference leaves open is more than that.
		check(t, tt.name+": foreign", server.ForeignFrac, 0.025)
		check(t, tt.name+": reasons", got.Verdict.Reasons, []string{
			"foreign work took at least 2.5 % of the CPUs of the server, limit 1.0 %: " +
				"dnf (makecache)[500] 0.10 CPUs in /system.slice/dnf-makecache.service", // 1 s in 10
		})
		check(t, tt.name+": upstream", areaOf(t, got.Verdict.Areas, "upstream").ForeignFrac, 0.0)
		last := got.Rows[9]
		check(t, tt.name+": who", last.Who, []Consumer{
			{PID: 500, Comm: "dnf (makecache)", Cgroup: "/system.slice/dnf-makecache.service", Cores: 0.2, LastCPU: 2},
		})
	}
}

// What ksoftirqd does is what interrupts have left to it: on a loaded host our own packets,
// 0.2 of 4 s here. A process that calls itself so is one like any other.
func TestSamplerOfSoftInterrupts(t *testing.T) {
	for _, tt := range []struct {
		parent  string
		foreign float64
	}{{"2", 0}, {"1", 0.05}} {
		m := machineOf(t, "xeon")
		_, tail, _ := strings.Cut(m.read("proc/500/stat"), ") ")
		words := strings.Fields(tail)
		words[1] = tt.parent
		m.write("proc/500/stat", "500 (ksoftirqd/1) "+strings.Join(words, " ")+"\n")
		second := func() { m.serve(300, 0, 100); m.run(500, userTime, 20) }
		got := seconds(t, m, gateway(t), repeat(10, second)...)
		server := areaOf(t, got.Verdict.Areas, "server")
		check(t, "foreign, child of "+tt.parent, server.ForeignFrac, tt.foreign)
		check(t, "interrupts", server.InterruptsFrac, 0.25)
		check(t, "who, child of "+tt.parent, len(got.Verdict.Who) > 0, tt.foreign > 0)
	}
}

// Nobody is asked for as long as nothing foreign is seen; then what happened before is
// told with the rest.
func TestSamplerLooksAtProcessesOnlyWhenNeeded(t *testing.T) {
	m := machineOf(t, "xeon")
	calm := func() { m.serve(400, 0, 0); m.run(450, userTime, 1) }
	got := seconds(t, m, gateway(t), calm, calm, func() { m.serve(390, 10, 0) }, calm)
	for i, want := range []int{0, 0, 2, 0} {
		check(t, "who", len(got.Rows[i].Who), want)
	}
	check(t, "over", got.Rows[2].WhoOverUS, int64(3_000_000))
	// By where they ran last first: dnf on CPU 1, irqbalance on CPU 5, both in a set.
	check(t, "first", got.Rows[2].Who[0].String(), "dnf (makecache)[500] 0.03 CPUs in /system.slice/dnf-makecache.service")
}

func TestSamplerOfNeighbours(t *testing.T) {
	m := machineOf(t, "xeon")
	w := Watch{Sets: []WatchedSet{{Name: "server", CPUs: cpus(t, "0-3"), Roots: []int{700}, Server: true}}}
	second := func() {
		m.serve(400, 0, 0)
		m.work("17", user, 90) // a sibling of CPU 1
		m.work("5-6", user, 40)
	}
	got := seconds(t, m, w, repeat(10, second)...)
	check(t, "interfered", got.Verdict.Interfered, false) // seen, and not judged
	var names []string
	for _, a := range got.Verdict.Areas {
		names = append(names, a.Name+" "+string(a.Role))
	}
	check(t, "areas", names, []string{"server server", "siblings siblings", "sockets socket"})
	// 900 ticks of 4 x 1000 + 900: p = 9/49, twice the error sqrt(p(1-p)/4900) is 0.0111.
	siblings := areaOf(t, got.Verdict.Areas, "siblings").ForeignFrac
	if siblings < 0.172 || siblings > 0.173 { // 0.18367 - 0.01107
		t.Errorf("siblings: %v", siblings)
	}
	check(t, "CPUs of siblings", got.Rows[0].Areas[1].TotalUS, int64(4_900_000))
	check(t, "rest of the socket", got.Rows[0].Areas[2].TotalUS, int64(8_800_000)) // 4-7, 20-23 and twice 0.4 s
}

func TestSamplerOfCounters(t *testing.T) {
	m := machineOf(t, "xeon")
	m.write("sys/fs/cgroup/user.slice/user-1000.slice/session-3.scope/cpu.stat", "nr_periods 5\nnr_throttled 0\nthrottled_usec 0\n")
	m.write("proc/700/task/700/schedstat", "1 1 1\n")
	m.write("proc/701/task/701/schedstat", "9000000 1000000 5\n")
	second := func() {
		m.serve(400, 0, 0)
		m.write("proc/net/netstat", "TcpExt: ListenOverflows ListenDrops TCPLossProbes\nTcpExt: 6 8 10\n")
		m.write("proc/net/snmp", "Tcp: InSegs OutSegs RetransSegs\nTcp: 1000 1000 27\n")
		m.write("proc/701/task/701/status", "Name:\tnginx\nvoluntary_ctxt_switches:\t100\nnonvoluntary_ctxt_switches:\t25\n")
		m.write("proc/701/task/701/schedstat", "9000000 3500000 7\n")
		m.write("proc/701/stat", strings.Replace(m.read("proc/701/stat"), " 8139 2 15 ", " 8139 6 15 ", 1))
		m.write("proc/pressure/cpu", "some avg10=0.00 avg60=0.41 avg300=2.10 total=8812445\n")
		m.write("sys/devices/system/cpu/cpu2/thermal_throttle/core_throttle_count", "5\n")
		m.write("sys/devices/system/cpu/cpu20/thermal_throttle/core_throttle_count", "50\n") // in no set
		m.write("sys/fs/cgroup/user.slice/user-1000.slice/session-3.scope/cpu.stat", "nr_periods 9\nnr_throttled 1\nthrottled_usec 2500\n")
	}
	w := gateway(t)
	w.Limits.StealFrac = 0.003
	got := seconds(t, m, w, second, func() { m.serve(400, 0, 0); m.work("5", steal, 3) })
	v := got.Verdict
	check(t, "retransmits", *v.Retransmits, uint64(7))
	check(t, "listen overflows", *v.ListenOverflows, uint64(3)) // drops, of which overflows are a part
	check(t, "involuntary", *v.InvoluntarySwitches, uint64(15))
	check(t, "waited", *v.RunQueueWaitUS, int64(2500)) // 3.5 - 1 ms
	check(t, "major faults", *v.MajorFaults, uint64(4))
	check(t, "pressure", v.PressureUS, map[string]int64{"cpu": 100})
	check(t, "load", *got.Rows[0].Load1, 0.35)
	check(t, "kernel log", strings.Contains(got.NoKernelLog, "no such file"), true)
	check(t, "reasons", v.Reasons, []string{
		// 3 ticks of 8 x 100, and the 3.
		"the hypervisor took 0.4 % of the CPUs of the upstream, limit 0.3 %",
		"CPUs were slowed down for heat 2 times",
		"the quota of a cgroup stopped our processes for 2.5 ms",
	})
}

// The server's processes are hidden from this user, or have ended: what runs on its
// CPUs is not called foreign.
func TestSamplerOfHiddenProcesses(t *testing.T) {
	m := machineOf(t, "xeon")
	m.remove("proc/700")
	m.remove("proc/701")
	second := func() {
		m.work("0-3", user, 90)
		m.work("0-3", idle, 10)
		m.run(500, userTime, 360)
	}
	got := seconds(t, m, gateway(t), repeat(5, second)...)
	server := areaOf(t, got.Verdict.Areas, "server")
	check(t, "server", server, AreaSum{Name: "server", Role: RoleServer, OwnUnknown: true})
	check(t, "interfered", got.Verdict.Interfered, false)
}

// A vanished host file costs its columns and nothing else.
func TestSamplerWithoutFiles(t *testing.T) {
	m := machineOf(t, "xeon")
	for _, name := range []string{"proc/net", "proc/loadavg", "proc/701/task", "proc/700/task"} {
		m.remove(name)
	}
	got := seconds(t, m, gateway(t), func() { m.remove("proc/stat") })
	text, err := json.Marshal(got.Rows[0])
	check(t, "error", err, nil)
	for _, key := range []string{"retransmits", "listen_overflows", "load1", "involuntary_switches", "who", "run_queue_wait_us", "kernel_log"} {
		if strings.Contains(string(text), key) {
			t.Errorf("%s was not measured, and stands in %s", key, text)
		}
	}
	check(t, "interfered", got.Verdict.Interfered, false)
}

func TestSamplerRefusesSets(t *testing.T) {
	m := machineOf(t, "vm")
	for list, want := range map[string]string{"": "CPUs \"\"", "1-2": "of which \"2\" are not online"} {
		_, err := m.fs().StartSampler(Watch{Sets: []WatchedSet{{Name: "server", CPUs: cpus(t, list)}}}, m.clock())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("set %q: %v, want %q", list, err, want)
		}
	}
}

// Who it is is not asked as long as asking would cost more than a two-hundredth of a CPU,
// and told for all of the time when it is asked again.
func TestSamplerHoldsItsCostDown(t *testing.T) {
	m := machineOf(t, "xeon")
	noisy := func() { m.serve(300, 20, 0) }
	spent := time.Duration(0)
	// The second second has cost 20 ms: 5 ms a second are allowed, so that it is 4 s until
	// somebody may be asked.
	got := secondsThatCost(t, m, gateway(t), func() time.Duration { return spent },
		noisy, func() { noisy(); spent = 20 * time.Millisecond }, noisy, noisy, noisy)
	for i, want := range []bool{true, false, false, true, true} {
		if told := len(got.Rows[i].Who) > 0; told != want {
			t.Errorf("second %d: who is told %v, want %v", i+1, told, want)
		}
	}
	check(t, "over", got.Rows[3].WhoOverUS, int64(3_000_000)) // the second, the third and the fourth
}
