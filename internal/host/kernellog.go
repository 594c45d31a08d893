package host

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// kernelLog is what the kernel writes into its log from now on. Source: kernel
// documentation, admin-guide/abi-testing, dev-kmsg.
type kernelLog struct {
	fd   int
	rest []byte // of a line that is not whole yet
}

// openKernelLog opens the log at its end. An ordinary user mostly may not, and a
// container has none.
func (f FS) openKernelLog() (*kernelLog, error) {
	path := filepath.Join(f.root, "dev/kmsg")
	// A read that finds nothing must not wait, and os would wait for it.
	fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	if _, err := syscall.Seek(fd, 0, io.SeekEnd); err != nil {
		return nil, fmt.Errorf("open %s: %w", path, errors.Join(err, syscall.Close(fd)))
	}
	return &kernelLog{fd: fd}, nil
}

func (l *kernelLog) close() error { return syscall.Close(l.fd) }

// KernelMessage is a line of the kernel's log.
type KernelMessage struct {
	Level int    `json:"level"` // 0 emergency, 3 error, 4 warning, 6 information
	Text  string `json:"text"`
	// Expected messages are known to mean nothing, or are of no importance to the kernel.
	Expected bool `json:"expected,omitempty"`
}

const (
	messageMax   = 8 << 10 // a message, with its properties (CONSOLE_EXT_LOG_MAX)
	messagesMax  = 20      // of one interval are kept
	levelWarning = 4
)

// next returns what was written since the last call, and how much more there was. What the
// log has dropped before it was read is not known.
func (l *kernelLog) next() (messages []KernelMessage, dropped int) {
	buf := make([]byte, messageMax)
	for {
		n, err := syscall.Read(l.fd, buf)
		switch {
		case errors.Is(err, syscall.EINTR), errors.Is(err, syscall.EPIPE): // EPIPE: older ones were overwritten
			continue
		case err != nil, n <= 0: // EAGAIN: that was all
			return messages, dropped
		}
		l.rest = append(l.rest, buf[:n]...)
		for {
			line, rest, whole := bytes.Cut(l.rest, []byte("\n"))
			if !whole {
				break
			}
			l.rest = rest
			switch m, ok := parseKernelMessage(string(line)); {
			case !ok:
			case len(messages) == messagesMax && m.Expected:
				dropped++
			case len(messages) == messagesMax:
				i := slices.IndexFunc(messages, func(m KernelMessage) bool { return m.Expected })
				if dropped++; i >= 0 {
					messages[i] = m
				}
			default:
				messages = append(messages, m)
			}
		}
	}
}

// parseKernelMessage reads "PRIORITY,NUMBER,MICROSECONDS,FLAGS[,...];TEXT". False is a line
// of properties, which begins with a space, and what programs wrote into the log.
func parseKernelMessage(line string) (KernelMessage, bool) {
	head, text, found := strings.Cut(line, ";")
	digits, _, _ := strings.Cut(head, ",")
	priority, err := strconv.Atoi(digits)
	if !found || err != nil || priority>>3 != 0 { // the facility: 0 is the kernel
		return KernelMessage{}, false
	}
	m := KernelMessage{Level: priority & 7, Text: text}
	m.Expected = m.Level > levelWarning || slices.ContainsFunc(expectedMessages, func(r *regexp.Regexp) bool { return r.MatchString(text) })
	return m, true
}

// expectedMessages are warnings that say nothing about a measurement: they are about rules
// of a firewall, about old interfaces, or about the load that is meant.
var expectedMessages = []*regexp.Regexp{
	regexp.MustCompile(`\bIN=\S* OUT=\S* `),                     // netfilter's LOG
	regexp.MustCompile(`^(audit|kauditd)\b`),                    // auditing, and how much of it was left out
	regexp.MustCompile(`Possible SYN flooding on port`),         // many connections at once are a load
	regexp.MustCompile(`^perf: interrupt took too long`),        // it samples less often now
	regexp.MustCompile(`(?i)\b(deprecated|obsolete)\b`),         // interfaces
	regexp.MustCompile(`^(printk|\S+): \d+ .*suppressed`),       // more of what was told already
	regexp.MustCompile(`^systemd\[|^systemd-`),                  // written by a program as the kernel
	regexp.MustCompile(`^cgroup: .*(disabled|deprecated|uses)`), // controllers
}
