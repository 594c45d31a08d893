package perf

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/scalws/scalbench/internal/profile"
)

// lineMax is the longest line that is read: names of C++ and Rust have thousands of
// characters.
const lineMax = 1 << 20

// framesMax is how deep a stack may be: the kernel gives 127, unless it was told otherwise.
const framesMax = 4096

// parseScript reads what `perf script -F comm,pid,tid,event,ip,sym,dso` prints and gives
// each sample to add. Each has a line of its own,
//
//	nginx 812/812 cpu-clock:
//
// and then one for each frame, the leaf first: an address, a name, a file in parentheses.
//
//	ffffffff8169c2f1 tcp_sendmsg ([kernel.kallsyms])
//	          4d5a0c ngx_writev (/usr/sbin/nginx)
//
// An empty line ends the sample. Without callers all is on the first line. The event is that
// of the first sample; another one further on is a fault, for two events have no shares in common.
func parseScript(in io.Reader, add func(profile.Sample)) (event string, err error) {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 64<<10), lineMax)
	var sample profile.Sample
	open := false
	end := func() {
		if open {
			add(sample)
		}
		open = false
	}
	for number := 1; lines.Scan(); number++ {
		line := strings.TrimRight(lines.Text(), " \r")
		switch {
		case strings.TrimSpace(line) == "":
			end()
			continue
		case open && (line[0] == '\t' || line[0] == ' '):
			var f profile.Frame
			if f, err = parseFrame(line); err == nil && len(sample.Stack) == framesMax {
				err = fmt.Errorf("more than %d frames", framesMax)
			}
			sample.Stack = append(sample.Stack, f)
		default:
			end()
			var of string
			if sample, of, err = parseHead(line); err == nil && event != "" && of != event {
				err = fmt.Errorf("event %s after %s", of, event)
			}
			event, open = of, true
		}
		if err != nil {
			return "", fmt.Errorf("perf script: line %d, %.200q: %w", number, line, err)
		}
	}
	if err := lines.Err(); err != nil {
		return "", fmt.Errorf("perf script: %w", err)
	}
	end()
	return event, nil
}

// parseHead reads the first line of a sample. The name of a thread may have anything in it,
// blanks and slashes among that: the numbers are the last that have their form, with an
// event behind them and then nothing, or a frame.
func parseHead(line string) (profile.Sample, string, error) {
	fields := strings.Fields(line)
	for i := len(fields) - 2; i > 0; i-- {
		pid, tid, found := strings.Cut(fields[i], "/")
		event := strings.TrimRight(fields[i+1], ":")
		if !found || !isNumber(pid) || !isNumber(tid) || event == fields[i+1] || event == "" {
			continue
		}
		s := profile.Sample{Comm: strings.Join(fields[:i], " ")}
		if rest := fields[i+2:]; len(rest) > 0 {
			f, err := parseFrame(strings.Join(rest, " "))
			if err != nil {
				continue
			}
			s.Stack = []profile.Frame{f}
		}
		var err error
		if s.PID, err = strconv.Atoi(pid); err != nil {
			return s, "", fmt.Errorf("process %q, expected a number", pid)
		}
		return s, event, nil
	}
	return profile.Sample{}, "", errors.New("expected a thread, PID/TID and an event")
}

// isNumber takes -1 as well, which perf writes for a process that had ended.
func isNumber(text string) bool {
	digits := strings.TrimPrefix(text, "-")
	return digits != "" && strings.Trim(digits, "0123456789") == ""
}

// kernelHalf is the bit of the addresses that the kernel has for itself, on all 64-bit
// machines that perf knows.
const kernelHalf = 1 << 63

// parseFrame reads an address, a name, which may have blanks and parentheses in it, and a
// file, which may have them too.
func parseFrame(line string) (profile.Frame, error) {
	address, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	at, err := strconv.ParseUint(address, 16, 64)
	if err != nil {
		return profile.Frame{}, fmt.Errorf("address %q, expected a hexadecimal number", address)
	}
	symbol, module := splitModule(strings.TrimSpace(rest))
	if symbol == "" {
		symbol = profile.Unknown
	}
	if module == "" || module == "inlined" {
		module = profile.Unknown
	}
	return profile.Frame{Symbol: symbol, Module: module, Kernel: at&kernelHalf != 0}, nil
}

// deleted is what the kernel puts after the path of a file that is there no more.
const deleted = " (deleted)"

// splitModule takes the file in parentheses off the end of a name.
func splitModule(text string) (symbol, module string) {
	inner, closed := strings.CutSuffix(text, ")")
	if !closed {
		return text, ""
	}
	inner = strings.TrimSuffix(inner, deleted)
	for _, begin := range []string{"(/", "([", "("} { // a path, what stands for one, any other
		i := strings.LastIndex(inner, begin)
		if begin == "(/" {
			i = strings.Index(inner, begin)
		}
		if i == 0 || i > 0 && inner[i-1] == ' ' { // else it is of a name: operator()
			return strings.TrimSpace(inner[:i]), inner[i+1:]
		}
	}
	return text, ""
}
