package host

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/scalws/scalbench/internal/record"
	"github.com/scalws/scalbench/internal/units"
)

func TestFactsOfServer(t *testing.T) {
	m := machineOf(t, "xeon")
	got := m.fs().Facts()
	check(t, "name", got.Name, "xeon")
	check(t, "boot", got.BootID, "7b7f7a0e-95a4-4f3f-8f6c-3a6f4f1c2d11")
	for fact, want := range map[string]string{
		"cpu_model":        "Intel(R) Xeon(R) CPU E5-2667 v4 @ 3.20GHz",
		"microcode":        "0xb000040",
		"sockets":          "2",
		"cores":            "16", // pairs of siblings
		"cpus":             "0-31",
		"smt":              "on",
		"numa":             "0: 0-7,16-23; 1: 8-15,24-31",
		"governor":         "performance",
		"frequency_limits": "1200-3200 MHz",
		"turbo":            "off", // no_turbo is 1
		"isolated":         "none",
		"distribution":     "Debian GNU/Linux 12 (bookworm)",
		"kernel":           "6.1.0-18-amd64",
		"lsm":              "lockdown,capability,landlock,yama,apparmor",
		"virtualization":   "none", // x86 without the flag
		"container":        "none",
		"cgroup":           "v2",
		"irqbalance":       "running",
		// 131892760 KiB are 128801.5 MiB: 2012.5 steps of 64 MiB, of which the nearest is
		// 2013: 2013 x 64.
		"memory":                "128832 MiB",
		"swap":                  "on",
		"thp":                   "madvise",
		"aslr":                  "2",
		"net.ipv4.tcp_rmem":     "4096 131072 6291456",
		"mitigation.meltdown":   "Mitigation: PTI",
		"net.core.somaxconn":    "4096",
		"net.ipv4.tcp_tw_reuse": "2",
	} {
		check(t, fact, got.Fixed[fact], want)
	}
	// HMAC-SHA256 with the id as key and "scalbench" as text, 16 bytes of it, by
	// printf scalbench | openssl dgst -sha256 -hmac 0123456789abcdef0123456789abcdef
	check(t, "machine", got.Fixed["machine"], "48c0dc8f78c434df6e1f97647ce1cbb2")
	check(t, "nofile", got.Now["nofile"], "1024, at most 1048576")
	check(t, "cpu_quota", got.Now["cpu_quota"], "none")
	check(t, "cpus_allowed", got.Now["cpus_allowed"], "0-31")
	check(t, "memory_available", got.Now["memory_available"], "120 GiB") // 126000128 / 2^20 = 120.2
}

func TestFactsOfVirtualMachine(t *testing.T) {
	got := machineOf(t, "vm").fs().Facts()
	for fact, want := range map[string]string{
		"machine":        "n/a", // the id of an image
		"virtualization": "kvm", // by its clock: there is no DMI
		"cgroup":         "hybrid",
		"sockets":        "1",
		"cores":          "2",
		"smt":            "off",
		"irqbalance":     "not running",
		"swap":           "off",
		"thp":            "always",
	} {
		check(t, fact, got.Fixed[fact], want)
	}
	for _, fact := range []string{"governor", "frequency_driver", "frequency_limits", "turbo", "lsm", "isolated"} {
		check(t, fact, got.Fixed[fact], units.NotAvailable)
	}
	check(t, "frequency", got.Now["frequency"], units.NotAvailable)
}

// Whatever is missing, every host has the same facts, and there are no others than
// those that a suite may require.
func TestFactsAreComplete(t *testing.T) {
	empty := &machine{t: t, dir: t.TempDir()}
	for _, m := range []*machine{machineOf(t, "xeon"), machineOf(t, "vm"), empty} {
		var names []string
		for name, fact := range m.fs().Facts().Fixed {
			if !strings.HasPrefix(name, mitigationPrefix) {
				names = append(names, name)
			}
			if fact == "" || !isFixedFact(name) {
				t.Errorf("fact %q is %q", name, fact)
			}
		}
		slices.Sort(names)
		want := FixedFacts()
		slices.Sort(want)
		check(t, "names", names, want)
	}
	for name, fact := range empty.fs().Facts().Fixed {
		if fact != units.NotAvailable && name != "container" {
			t.Errorf("of a host without files %s is %q", name, fact)
		}
	}
}

func TestFingerprint(t *testing.T) {
	m := machineOf(t, "xeon")
	first := m.fs().Facts()
	fingerprint := func(f Facts) string { return (&record.Host{Name: f.Name, Fixed: f.Fixed}).Fingerprint() }
	m.write("proc/sys/kernel/random/boot_id", "another")
	m.write("proc/loadavg", "0.10 0.10 0.10 1/402 9121")
	check(t, "after a restart", fingerprint(m.fs().Facts()), fingerprint(first))

	m.write("sys/devices/system/cpu/cpu5/cpufreq/scaling_governor", "powersave\n")
	other := m.fs().Facts()
	check(t, "governor", other.Fixed["governor"], "0-4,6-31 performance; 5 powersave")
	if fingerprint(other) == fingerprint(first) {
		t.Error("another governor left the fingerprint as it was")
	}
}

func TestFactsRoundTrip(t *testing.T) {
	facts := machineOf(t, "vm").fs().Facts()
	text, err := json.Marshal(facts)
	if err != nil {
		t.Fatal(err)
	}
	var back Facts
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	check(t, "facts", back, facts)
}

func TestTurboOfOtherDrivers(t *testing.T) {
	m := machineOf(t, "vm")
	for text, want := range map[string]string{"0\n": "off", "1\n": "on"} {
		m.write("sys/devices/system/cpu/cpufreq/boost", text)
		check(t, "boost "+text, m.fs().turbo(), want)
	}
}

func TestVirtualizationByName(t *testing.T) {
	m := machineOf(t, "vm")
	m.write("sys/class/dmi/id/sys_vendor", "QEMU\n")
	m.write("sys/class/dmi/id/product_name", "Standard PC\n")
	check(t, "DMI", m.fs().virtualization(), "QEMU Standard PC")
	m.write("sys/hypervisor/type", "xen\n")
	check(t, "hypervisor", m.fs().virtualization(), "xen")
}

func TestToolVersions(t *testing.T) {
	dir := forAll(t)
	tool := script(t, dir, "perf", "echo perf version 6.1; echo more")
	failing := script(t, dir, "failing", "echo no; exit 1")
	got := ToolVersions(context.Background(), tool, failing, filepath.Join(dir, "absent"))
	check(t, "versions", got, map[string]string{"tool.perf": "perf version 6.1", "tool.failing": "n/a", "tool.absent": "n/a"})
}

// A tool that takes the question for something else does it as nobody, and with all that it
// has started not for longer than it is waited for.
func TestToolVersionsAreAskedWithCare(t *testing.T) {
	dir := forAll(t)
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	who := script(t, dir, "who", "id -u")
	want := strconv.Itoa(os.Geteuid())
	if os.Geteuid() == 0 {
		want = "65534"
	}
	check(t, "user", ToolVersions(t.Context(), who), map[string]string{"tool.who": want})

	began := filepath.Join(dir, "pid")
	daemon := script(t, dir, "daemon", "sleep 60 & echo $! >"+began+".part; mv "+began+".part "+began+"; wait")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan map[string]string)
	go func() { done <- ToolVersions(ctx, daemon) }()
	var text []byte
	for deadline := time.Now().Add(toolPatience); text == nil && time.Now().Before(deadline); runtime.Gosched() {
		text, _ = os.ReadFile(began)
	}
	cancel()
	check(t, "versions", <-done, map[string]string{"tool.daemon": "n/a"})
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, 0); err == nil && !ended(pid) {
		t.Errorf("what it has started still runs, pid %d", pid)
	}
}

// ended tells whether a process is dead that nobody has waited for yet.
func ended(pid int) bool {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	return err != nil || strings.Contains(string(stat), ") Z ")
}

// forAll is a directory that all users may look into.
func forAll(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "scalbench-tools-")
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// script writes a program for the shell.
func script(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := errors.Join(os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o755), os.Chmod(path, 0o755)); err != nil {
		t.Fatal(err)
	}
	return path
}
