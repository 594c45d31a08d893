package main

import (
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// header lists the facts without which the tables mean nothing, as a line each.
func header(p plan, now time.Time, keepAlive, churn []recording, noise error) []string {
	lines := []string{
		"date: " + now.Format(time.RFC3339),
		"kernel: " + kernel(),
		"cpu: " + cpuModel(readText("/proc/cpuinfo")),
		"clock: " + orUnknown(readText("/sys/devices/system/clocksource/clocksource0/current_clocksource")),
		fmt.Sprintf("load: closed loop, h1, %d connections, %d rounds of %d s; server on CPU %d, peer on CPU %d",
			p.load.connections, p.rounds, p.load.seconds, p.serverCPU, p.load.cpu),
	}
	for _, r := range keepAlive {
		lines = append(lines, "peer "+r.peer+": "+r.version)
	}
	for _, s := range p.servers {
		lines = append(lines, "server "+s.name()+": "+s.version())
	}
	lines = append(lines, describeRequests("request", keepAlive)...)
	if churn != nil {
		lines = append(lines, describeRequests("churn request", churn)...)
	}
	if noise != nil {
		lines = append(lines, "NOT QUIET: "+noise.Error())
	}
	return append(lines, p.absent...)
}

// kernel is the name, release and architecture.
func kernel() string {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return orUnknown("")
	}
	return strings.Join([]string{
		unix.ByteSliceToString(u.Sysname[:]), unix.ByteSliceToString(u.Release[:]), unix.ByteSliceToString(u.Machine[:]),
	}, " ")
}

// cpuModel finds the name of the first CPU in /proc/cpuinfo. Some
// architectures do not give one.
func cpuModel(cpuinfo string) string {
	for line := range strings.Lines(cpuinfo) {
		key, value, found := strings.Cut(line, ":")
		if found && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return orUnknown("")
}

// readText returns the content of a file, "" if it cannot be read.
func readText(path string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}

func orUnknown(text string) string {
	if text == "" {
		return "unknown"
	}
	return text
}
