package host

import (
	"strings"
	"syscall"
	"testing"
)

// Lines as the kernel gives them: what a program wrote, properties and information are
// nothing; of warnings those on the list.
func TestParseKernelMessage(t *testing.T) {
	tests := []struct {
		line         string
		ok, expected bool
	}{
		{"3,812,5140900,-;EXT4-fs error (device sda1): ext4_find_entry:1455", true, false},
		{"4,813,5140901,-;hrtimer: interrupt took 5400 ns", true, false},
		{"2,814,5140902,-;CPU3: Core temperature is above threshold, cpu clock is throttled (total events = 12)", true, false},
		{"3,815,5140903,-;Out of memory: Killed process 4121 (php-fpm)", true, false},
		{"4,816,5140904,-,caller=T1;rcu: INFO: rcu_sched self-detected stall on CPU", true, false},
		{"6,817,5140905,-;device veth1 entered promiscuous mode", true, true},
		{"4,818,5140906,-;[UFW BLOCK] IN=eth0 OUT= MAC=00 SRC=10.0.0.1 DST=10.0.0.2", true, true},
		{"4,819,5140907,-;TCP: request_sock_TCP: Possible SYN flooding on port 8080. Sending cookies.", true, true},
		{"4,820,5140908,-;process `x' is using deprecated sysctl (syscall) net.ipv6.neigh", true, true},
		{"4,821,5140909,-;audit_printk_skb: 9 callbacks suppressed", true, true},
		{"30,822,5140910,-;systemd[1]: Started dnf makecache.", false, false}, // facility 3
		{" SUBSYSTEM=pci", false, false},
		{"", false, false},
		{"x,1;y", false, false},
	}
	for _, test := range tests {
		m, ok := parseKernelMessage(test.line)
		if ok != test.ok || m.Expected != test.expected || ok && !strings.HasSuffix(test.line, ";"+m.Text) {
			t.Errorf("%q: %+v, %t", test.line, m, ok)
		}
	}
}

// What the kernel says while something is measured is in the row of its second, and is a
// reason when it was not to be expected; what it had said before is not.
func TestSamplerOfKernelLog(t *testing.T) {
	m := machineOf(t, "xeon")
	m.write("dev/kmsg", "3,1,1,-;EXT4-fs error before\n")
	quiet := func() { m.serve(400, 0, 0) }
	got := seconds(t, m, gateway(t), quiet, func() {
		quiet()
		m.add("dev/kmsg", "6,2,2,-;device veth1 entered promiscuous mode\n SUBSYSTEM=net\n4,3,3,-;hrtimer: interr")
	}, func() {
		quiet()
		m.add("dev/kmsg", "upt took 5400 ns\n")
	})
	check(t, "first second", got.Rows[0].KernelLog, []KernelMessage(nil))
	check(t, "second", got.Rows[1].KernelLog, []KernelMessage{{Level: 6, Text: "device veth1 entered promiscuous mode", Expected: true}})
	check(t, "third", got.Rows[2].KernelLog, []KernelMessage{{Level: 4, Text: "hrtimer: interrupt took 5400 ns"}})
	check(t, "reasons", got.Verdict.Reasons, []string{"the kernel's log says: hrtimer: interrupt took 5400 ns"})
	check(t, "no reason not to read it", got.NoKernelLog, "")
}

// Of very many the bad ones are kept.
func TestKernelLogFloods(t *testing.T) {
	m := machineOf(t, "vm")
	m.write("dev/kmsg", "")
	log, err := m.fs().openKernelLog()
	if err != nil {
		t.Fatal(err)
	}
	m.add("dev/kmsg", strings.Repeat("6,1,1,-;link is up\n", 900)+"3,2,2,-;bad\n")
	messages, dropped := log.next()
	bad := 0
	for _, m := range messages {
		if !m.Expected {
			bad++
		}
	}
	if len(messages) != messagesMax || bad != 1 || dropped != 881 {
		t.Errorf("%d messages, %d bad, %d dropped, want 20, 1 and 901 - 20", len(messages), bad, dropped)
	}
	if err := log.close(); err != nil {
		t.Error(err)
	}
}

// This kernel's own log, where this user may read it, is read from its end on, whatever was
// in it, and does not wait for more.
func TestKernelLogOfThisHost(t *testing.T) {
	old, err := syscall.Open("/dev/kmsg", syscall.O_RDONLY|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if err != nil {
		t.Skip(err)
	}
	n, err := syscall.Read(old, make([]byte, messageMax))
	if closeErr := syscall.Close(old); err != nil || n == 0 || closeErr != nil {
		t.Skipf("there is nothing in the log of this kernel: %v, %v", err, closeErr)
	}
	var messages []KernelMessage
	for range 3 { // the kernel may say something between the two calls
		log, err := NewFS("/").openKernelLog()
		if err != nil {
			t.Fatal(err)
		}
		var dropped int
		messages, dropped = log.next()
		if err := log.close(); err != nil {
			t.Error(err)
		}
		if len(messages) == 0 && dropped == 0 {
			return
		}
	}
	t.Errorf("what the kernel said before is told: %+v", messages)
}
