package procfs

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// write puts a file into the fixture host.
func write(t *testing.T, f FS, name, text string) {
	t.Helper()
	path := filepath.Join(f.root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestCPUWork(t *testing.T) {
	f := unpack(t)
	got, err := f.CPUWork()
	if err != nil {
		t.Fatal(err)
	}
	const tick = 10 * time.Millisecond
	check(t, "work", got, map[int]CPUWork{
		// cpu0 10 1 20 100 20 2 3 4: user, nice and system; idle and iowait; irq and softirq
		0: {Task: 31 * tick, Idle: 120 * tick, Interrupts: 5 * tick, Steal: 4 * tick},
		1: {Task: 43 * tick, Idle: 330 * tick, Interrupts: 8 * tick, Steal: 4 * tick},
	})
	sum := SumWork(got, cpus(t, "0-1"))
	check(t, "total", sum.Total(), (160+385)*tick)
	check(t, "since itself", sum.Sub(sum), CPUWork{})
	check(t, "back in time", CPUWork{Idle: tick}.Sub(CPUWork{Idle: 2 * tick}), CPUWork{})
	// The same file in less detail.
	times, err := f.CPUTimes()
	if err != nil {
		t.Fatal(err)
	}
	for cpu, w := range got {
		check(t, "CPUTimes", times[cpu], CPUTimes{Busy: w.Total() - w.Idle, Idle: w.Idle, Steal: w.Steal})
	}
	for text, want := range map[string]string{
		"cpu0 1 2 3\n":             "not a CPU and its times",
		"cpux 1 2 3 4 5 6 7 8 9\n": "not a CPU and its times",
		"cpu0 1 2 3 4 5 6 7 x 9\n": "not a CPU and its times",
	} {
		write(t, f, "stat", text)
		if _, err := f.CPUWork(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestLoadAndPressure(t *testing.T) {
	f := unpack(t)
	write(t, f, "loadavg", "1.77 1.33 1.52 9/157 7005\n")
	write(t, f, "pressure/cpu", "some avg10=57.31 avg60=19.87 avg300=14.07 total=45246\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n")
	load, err := f.Load1()
	if err != nil || load != 1.77 {
		t.Errorf("load %v, %v", load, err)
	}
	some, err := f.CPUPressure()
	if err != nil || some < 0.5731-1e-12 || some > 0.5731+1e-12 {
		t.Errorf("pressure %v, %v", some, err)
	}
	write(t, f, "loadavg", "much\n")
	write(t, f, "pressure/cpu", "full avg10=0.00\nsome total=4\n")
	if _, err := f.Load1(); err == nil {
		t.Error("a load without a number was read")
	}
	if _, err := f.CPUPressure(); err == nil {
		t.Error("a pressure without an average was read")
	}
}

func TestParseCgroup(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"0::/system.slice/cron.service\n", "/system.slice/cron.service"},
		{"0::/\n", "/"},
		{"", "/"},
		// A hybrid host: version 2 at the top, systemd's own hierarchy tells.
		{"4:memory:/m\n3:cpu,cpuacct:/c\n1:name=systemd:/user.slice\n0::/\n", "/user.slice"},
		{"4:memory:/m\n3:cpu,cpuacct:/c\n1:name=systemd:/\n", "/c"},
		{"4:memory:/m:n\n", "/m:n"},
	} {
		check(t, tt.text, parseCgroup(tt.text), tt.want)
	}
}

func TestThreadsOfFixture(t *testing.T) {
	f := unpack(t)
	for tid, text := range map[string]string{
		"100": "Name:\tnginx\nvoluntary_ctxt_switches:\t12\nnonvoluntary_ctxt_switches:\t1\n",
		"105": "Name:\tworker\nvoluntary_ctxt_switches:\t30\nnonvoluntary_ctxt_switches:\t4\n",
	} {
		write(t, f, "100/task/"+tid+"/status", text)
	}
	write(t, f, "100/task/105/schedstat", "2000000 500000 9\n")
	threads, err := f.Threads(100, 2)
	if err != nil {
		t.Fatal(err)
	}
	check(t, "threads", threads, []Thread{
		{TID: 100, Name: "nginx", Switches: Switches{12, 1}},
		{TID: 105, Name: "worker", Ran: 2 * time.Millisecond, Waited: time.Millisecond / 2, Timed: true, Switches: Switches{30, 4}},
	})
	if threads, err = f.Threads(100, 1); !errors.Is(err, ErrTooMany) || threads != nil {
		t.Errorf("more threads than wanted: %+v, %v", threads, err)
	}
	write(t, f, "100/task/105/schedstat", "2000000\n")
	if _, err := f.Threads(100, 0); err == nil {
		t.Error("a cut schedstat is read")
	}
}

func TestPressureTotal(t *testing.T) {
	f := unpack(t)
	write(t, f, "pressure/io", "some avg10=57.31 avg60=19.87 avg300=14.07 total=45246\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=3\n")
	if got, err := f.PressureTotal("io"); err != nil || got != 45246*time.Microsecond {
		t.Errorf("%s, %v", got, err)
	}
	if _, err := f.PressureTotal("irq"); err == nil {
		t.Error("a pressure that there is not was read")
	}
	write(t, f, "pressure/io", "some avg10=57.31 avg60=19.87 avg300=14.07\n")
	if _, err := f.PressureTotal("io"); err == nil {
		t.Error("a pressure without a total was read")
	}
}
