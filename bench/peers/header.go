package main

import (
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// header lists the facts without which the tables mean nothing, as a line each.
func header(p plan, now time.Time, seen evidence, noise error) []string {
	lines := []string{
		"date: " + now.Format(time.RFC3339),
		"kernel: " + kernel(),
		"cpu: " + cpuModel(readText("/proc/cpuinfo")),
		"clock: " + orUnknown(readText("/sys/devices/system/clocksource/clocksource0/current_clocksource")),
		fmt.Sprintf("load: closed loop, %d connections, %d rounds of %d s; server on CPU %d, peer on CPU %d",
			p.load.connections, p.rounds, p.load.seconds, p.serverCPU, p.load.cpu),
	}
	lines = append(lines, describeCongestion(readText(congestionFile))...)
	if p.protocolsOver(quicUDP) != nil {
		lines = append(lines, fmt.Sprintf("udp buffers: of the peers and servers that are not root's at most %s bytes to receive, %s to send (rmem_max, wmem_max)",
			orUnknown(readText(receiveBufferFile)), orUnknown(readText(sendBufferFile))))
	}
	for _, c := range p.courses {
		lines = append(lines, "course "+c.name()+": "+c.String())
	}
	for _, r := range seen.keepAlive {
		lines = append(lines, "peer "+r.peer+": "+r.version)
	}
	for _, s := range p.servers {
		lines = append(lines, "server "+s.name()+": "+s.version())
	}
	lines = append(lines, seen.describe(p)...)
	if noise != nil {
		lines = append(lines, "NOT QUIET: "+noise.Error())
	}
	return append(lines, p.absent...)
}

// congestionFile holds the congestion control of new sockets, the servers'
// among them (tcp(7)).
const congestionFile = "/proc/sys/net/ipv4/tcp_congestion_control"

// receiveBufferFile and sendBufferFile hold what a program without CAP_NET_ADMIN
// may have of socket buffers (socket(7)). quic-go asks for 7 MiB.
const (
	receiveBufferFile = "/proc/sys/net/core/rmem_max"
	sendBufferFile    = "/proc/sys/net/core/wmem_max"
)

// describeCongestion names it, with a warning where it sends by timers.
func describeCongestion(name string) []string {
	lines := []string{"tcp congestion control: " + orUnknown(name)}
	if name == "bbr" {
		lines = append(lines, "WARNING: bbr paces on loopback too: large bodies (static-1m) measure the server's pacing timers; docs/METHOD.md section 11")
	}
	return lines
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
