package host

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/scalws/scalbench/internal/procfs"
)

// examine returns the findings as "level check: text", with those of one check only
// if a name is given.
func examine(t *testing.T, m *machine, need Need, check string) []string {
	t.Helper()
	findings, err := m.fs().Examine(context.Background(), need, m.clock())
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, f := range findings {
		if check == "" || f.Check == check {
			lines = append(lines, f.Level.String()+" "+f.Check+": "+f.Text)
		}
	}
	return lines
}

// placement is that of the published reports, with the generator on the other socket.
func placement(t *testing.T) []Set {
	return []Set{
		{"server", cpus(t, "0-3")}, {"upstream", cpus(t, "4-7")}, {"generator", cpus(t, "8-15,24-31")},
	}
}

func TestExamineServer(t *testing.T) {
	m := machineOf(t, "xeon")
	got := examine(t, m, Need{
		Sets: placement(t), Connections: 64, Ports: []Port{{procfs.TCP, 9000}, {procfs.UDP, 8080}},
		Require: []string{"governor=performance", "turbo=off"},
	}, "")
	check(t, "findings", got, []string{
		"ok sets: server 0-3, upstream 4-7, generator 8-15,24-31: apart, online and ours",
		"note siblings: CPUs 16-23 share cores with the sets and are in none: foreign work there slows us",
		"ok numa: each set is on one NUMA node",
		"ok governor: governor is performance on CPUs 0-15,24-31",
		"ok turbo: turbo is off",
		"ok aslr: addresses are drawn at random (randomize_va_space 2)",
		"ok thp: transparent huge pages: madvise",
		"ok virtualization: not a virtual machine",
		"ok steal: the hypervisor took 0.0 % of the CPU time now, 0.0 % since boot",
		"ok memory: 120 GiB of memory available",
		"ok swap: no swap is used",
		"ok descriptors: a process may have 1048576 files open, 576 are needed", // 64 + 512
		"ok ports: free: TCP port 9000, UDP port 8080",
		"ok local ports: 28 232 local ports", // 60999 - 32768 + 1
		"ok containers: no container and no virtual machine runs here",
		"ok busy: no process used more than 0.05 CPUs",
		"ok require: governor=performance",
		"ok require: turbo=off",
	})
}

func TestExamineVirtualMachine(t *testing.T) {
	m := machineOf(t, "vm")
	need := Need{Connections: 200, Require: []string{"governor=performance"}}
	findings, err := m.fs().Examine(context.Background(), need, m.clock())
	if err != nil {
		t.Fatal(err)
	}
	check(t, "refused", Refused(findings), []Finding{
		{Check: "memory", Level: Refuse, Text: "256 MiB of memory available, want 512 MiB"},
		{Check: "require", Level: Refuse, Text: "governor=performance: this host does not tell its governor"},
	})
	// Steal is no flag: 21126 + 20959 of 5031843 ticks since boot are 0.8 %, but none now.
	check(t, "flags", Flags(findings), []string{"unknown-frequency", "virtual-machine"})
	check(t, "findings", examine(t, m, need, ""), []string{
		"n/a governor: this host does not show the frequency of its CPUs",
		"n/a turbo: this host does not tell whether its CPUs have turbo",
		"warn aslr: randomize_va_space is 0, want 2: all runs have one layout of memory, and measure it too",
		"warn thp: transparent huge pages are given always: when a process gets them, and how much memory it has then, is chance",
		"warn virtualization: a virtual machine (kvm): what else runs on its hardware cannot be seen",
		"note steal: the hypervisor took 0.0 % of the CPU time now, 0.8 % since boot",
		"refuse memory: 256 MiB of memory available, want 512 MiB",
		"ok swap: no swap is used",
		"ok descriptors: a process may have 20000 files open, 712 are needed",
		"ok local ports: 233 local ports", // 33000 - 32768 + 1
		"warn containers: running here: docker/4b2f",
		"ok busy: no process used more than 0.05 CPUs",
		"refuse require: governor=performance: this host does not tell its governor",
	})
}

// Nothing can be read: everything is n/a, and no check fails.
func TestExamineEmptyHost(t *testing.T) {
	m := &machine{t: t, dir: t.TempDir(), now: 1}
	for _, line := range examine(t, m, Need{Ports: []Port{{procfs.TCP, 80}}}, "") {
		if !strings.HasPrefix(line, "n/a ") {
			t.Errorf("of a host without files: %s", line)
		}
	}
}

func TestChecks(t *testing.T) {
	untouched := map[string]*machine{"xeon": machineOf(t, "xeon"), "vm": machineOf(t, "vm")}
	for _, tt := range []struct {
		name, host string
		change     func(m *machine)
		pass       func(m *machine) // while the host is watched
		need       func(need *Need)
		want       []string
	}{
		{name: "sets", host: "xeon",
			need: func(n *Need) {
				n.Sets = []Set{{"server", cpus(t, "0-3")}, {"upstream", cpus(t, "3-4")}, {"generator", cpus(t, "30-33")}, {"driver", cpus(t, "")}}
			},
			want: []string{
				"refuse sets: server and upstream share CPUs 3: each takes time from the other",
				"refuse sets: CPUs 32-33 of the generator are not online; online are 0-31",
				"refuse sets: the driver has no CPU",
			}},
		{name: "sets", host: "xeon",
			need: func(n *Need) {
				n.Sets, n.MayOverlap = []Set{{"server", cpus(t, "0")}, {"upstream", cpus(t, "0")}}, true
			},
			want: []string{"warn sets: server and upstream share CPUs 0: each takes time from the other"}},
		{name: "sets", host: "vm",
			need: func(n *Need) { n.Sets = []Set{{"server", cpus(t, "0")}, {"generator", cpus(t, "1")}} },
			want: []string{"refuse sets: CPUs 0 of the server are not among those that this process may use, 1"}},
		{name: "siblings", host: "xeon",
			need: func(n *Need) { n.Sets = []Set{{"server", cpus(t, "0-3")}, {"generator", cpus(t, "18-20")}} },
			want: []string{
				"warn siblings: CPUs 18-19 of the generator share their cores with the server: each slows the other",
				"note siblings: CPUs 4,16-17 share cores with the sets and are in none: foreign work there slows us",
			}},
		{name: "numa", host: "xeon",
			need: func(n *Need) { n.Sets = []Set{{"server", cpus(t, "6-9")}} },
			want: []string{"warn numa: the server is on NUMA nodes 0 and 1: where its memory lies is chance"}},
		{name: "governor", host: "xeon", // CPU 20 is in no set, and does not count
			change: func(m *machine) {
				for _, cpu := range []string{"cpu2", "cpu20"} {
					m.write("sys/devices/system/cpu/"+cpu+"/cpufreq/scaling_governor", "powersave\n")
				}
			},
			want: []string{"warn governor: governor is 0-1,3-15,24-31 performance; 2 powersave: frequencies follow the load, and results with them"}},
		{name: "turbo", host: "xeon",
			change: func(m *machine) { m.write("sys/devices/system/cpu/intel_pstate/no_turbo", "0\n") },
			want:   []string{"warn turbo: turbo is on: frequencies depend on temperature and on how many CPUs are busy"}},
		{name: "steal", host: "xeon", // 2 of 100 ticks of each CPU; since boot 2 of 901 710
			pass: func(m *machine) { m.work("0-31", steal, 2); m.work("0-31", idle, 98) },
			want: []string{"warn steal: the hypervisor took 2.0 % of the CPU time now, 0.0 % since boot"}},
		{name: "swap", host: "xeon",
			pass: func(m *machine) { m.write("proc/vmstat", "pswpin 130\npswpout 4405\n") },
			want: []string{"refuse swap: this host is swapping: 15 pages within a second"}},
		{name: "swap", host: "xeon",
			change: func(m *machine) {
				m.write("proc/meminfo", "MemAvailable: 9000000 kB\nSwapTotal: 8388608 kB\nSwapFree: 8386560 kB\n")
			},
			want: []string{"warn swap: 2.0 MiB of swap are used: memory was short before, and a page of a server may be there"}},
		{name: "descriptors", host: "vm",
			need: func(n *Need) { n.Connections = 19_489 }, // 20 001 with the spare ones
			want: []string{"refuse descriptors: a process may have 20000 files open, want 20001 (connections and 512): raise the hard limit (ulimit -Hn)"}},
		{name: "descriptors", host: "vm",
			need: func(n *Need) { n.Connections = 9_745 }, // twice that and the spare ones: 20 002
			want: []string{"warn descriptors: a process may have 20000 files open, and a server that passes requests on may need 20002: raise the hard limit (ulimit -Hn)"}},
		{name: "ports", host: "xeon",
			change: func(m *machine) {
				link := filepath.Join(m.dir, "proc/701/fd/6")
				m.link("socket:[7001]", link)
			},
			need: func(n *Need) { n.Ports = []Port{{procfs.TCP, 8080}, {procfs.TCP, 22}, {procfs.TCP, 81}} },
			want: []string{
				"refuse ports: TCP port 8080 is taken by nginx[701]", // 1F90 in the table
				"refuse ports: TCP port 22 is taken by a process of user 0, which this user may not see",
			}},
		{name: "local ports", host: "vm",
			need: func(n *Need) { n.Connections = 234 },
			want: []string{"refuse local ports: 233 local ports for 234 connections: widen net.ipv4.ip_local_port_range"}},
		{name: "containers", host: "xeon",
			change: func(m *machine) {
				m.write("proc/500/cgroup", "0::/machine.slice/machine-qemu1.scope/libvirt/vcpu0\n")
				m.write("proc/450/cgroup", "0::/system.slice/docker.service\n") // the engine itself
				m.write("proc/1/stat", strings.Replace(m.read("proc/1/stat"), "systemd", "qemu-system-x86", 1))
			},
			want: []string{"warn containers: running here: machine.slice/machine-qemu1.scope, qemu-system-x86"}},
		{name: "busy", host: "xeon", // 31 ticks of own time and 5 of children in a second
			pass: func(m *machine) { m.run(500, userTime, 31); m.run(500, reapedTime, 5); m.run(450, userTime, 4) },
			want: []string{"warn busy: using the CPUs now: dnf (makecache)[500] 0.36 CPUs in /system.slice/dnf-makecache.service"}},
		{name: "require", host: "xeon",
			need: func(n *Need) {
				n.Require = []string{"turbo=on", "swap=off", "thp=madvise", "colour=blue", "governor", "mitigation.tsa=Not affected"}
			},
			want: []string{
				"refuse require: turbo=on: it is off",
				"refuse require: swap=off: it is on",
				`refuse require: requirement "colour=blue": colour is not a fact of a host; these are: ` + strings.Join(FixedFacts(), ", "),
				`refuse require: requirement "governor": expected a fact and its value, such as governor=performance`,
				"refuse require: mitigation.tsa=Not affected: this host does not tell its mitigation.tsa",
				"ok require: thp=madvise",
			}},
		{name: "require", host: "xeon", // only CPU 20, which is in no set, has another governor
			change: func(m *machine) {
				m.write("sys/devices/system/cpu/cpu20/cpufreq/scaling_governor", "powersave\n")
			},
			need: func(n *Need) { n.Require = []string{"governor=performance"} },
			want: []string{"ok require: governor=performance"}},
	} {
		m := untouched[tt.host]
		if tt.change != nil || tt.pass != nil {
			m = machineOf(t, tt.host)
		}
		need := Need{}
		if tt.host == "xeon" {
			need.Sets = placement(t)
		}
		if tt.change != nil {
			tt.change(m)
		}
		if tt.need != nil {
			tt.need(&need)
		}
		if tt.pass != nil {
			m.pass = func() { tt.pass(m) }
		}
		check(t, tt.name, examine(t, m, need, tt.name), tt.want)
	}
}

func TestCheckDisk(t *testing.T) {
	m := machineOf(t, "vm")
	dir := filepath.Join(t.TempDir(), "not", "yet")
	for _, tt := range []struct {
		bytes int64
		want  string
	}{
		{1, "ok disk: "},
		{1 << 62, "refuse disk: "}, // 4 EiB
	} {
		got := examine(t, m, Need{ResultsDir: dir, DiskBytes: tt.bytes}, "disk")
		if len(got) != 1 || !strings.HasPrefix(got[0], tt.want) || !strings.Contains(got[0], filepath.Dir(filepath.Dir(dir))) {
			t.Errorf("%d bytes: %q, want %q and the directory that is there", tt.bytes, got, tt.want)
		}
	}
}

func TestExamineInterrupted(t *testing.T) {
	m := machineOf(t, "vm")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := m.fs().Examine(ctx, Need{}, m.clock()); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

func TestGuestOf(t *testing.T) {
	for group, want := range map[string]string{
		"/":                                   "",
		"/system.slice/docker.service":        "",
		"/system.slice/docker-0123.scope":     "docker-0123.scope",
		"/system.slice/docker-0123.scope/a/b": "docker-0123.scope",
		"/docker/0123/init":                   "docker/0123",
		"/lxc.payload.web/init.scope":         "lxc.payload.web",
		"/kubepods.slice/kubepods-pod7.slice/cri-containerd-9.scope": "kubepods.slice/kubepods-pod7.slice",
		"/user.slice/user-1000.slice/session-3.scope":                "",
	} {
		check(t, group, guestOf(group), want)
	}
}

func TestLevelRoundTrip(t *testing.T) {
	for level := OK; level <= NA; level++ {
		text, err := level.MarshalText()
		var back Level
		if err != nil || back.UnmarshalText(text) != nil || back != level {
			t.Errorf("level %v is %q and %v", level, text, back)
		}
	}
	if new(Level).UnmarshalText([]byte("bad")) == nil {
		t.Error("a level that there is not was read")
	}
}

// The host is watched for as long as the need says, for a second when it says nothing.
func TestExamineWatches(t *testing.T) {
	for watch, want := range map[time.Duration]time.Duration{0: time.Second, 100 * time.Millisecond: 100 * time.Millisecond} {
		m := machineOf(t, "vm")
		began := m.now
		examine(t, m, Need{Watch: watch}, "")
		if took := m.now.Sub(began); took != want {
			t.Errorf("watch %v: it took %v, want %v", watch, took, want)
		}
	}
}
