// Package leaktest fails a package's tests when they leave goroutines or file
// descriptors behind. TestMain calls [Main].
package leaktest

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// patience is how long what was ended may take to be gone: the runtime's poller
// and other processes are not synchronous.
const patience = 5 * time.Second

// Main runs the tests of m (a *testing.M) and returns the code to exit with: 1
// when they passed and something is left of them. Goroutines whose stack holds
// one of the given texts are expected to stay.
func Main(m interface{ Run() int }, expected ...string) int {
	before := openDescriptors()
	code := m.Run()
	if code != 0 {
		return code
	}
	var goroutines, descriptors []string
	for deadline := time.Now().Add(patience); ; {
		goroutines, descriptors = otherGoroutines(expected), added(before, openDescriptors())
		if len(goroutines)+len(descriptors) == 0 {
			return 0
		}
		if time.Now().After(deadline) {
			break
		}
		time.Sleep(time.Millisecond)
	}
	fmt.Fprintf(os.Stderr, "left of the tests: %d goroutines, %d file descriptors %q\n%s\n",
		len(goroutines), len(descriptors), descriptors, strings.Join(goroutines, "\n\n"))
	return 1
}

// otherGoroutines returns the stacks of all goroutines but the caller's and the
// expected ones.
func otherGoroutines(expected []string) []string {
	buf := make([]byte, 1<<20)
	var others []string
	for i, stack := range strings.Split(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
		if i > 0 && !holdsAny(stack, expected) {
			others = append(others, stack)
		}
	}
	return others
}

func holdsAny(text string, parts []string) bool {
	for _, part := range parts {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}

// openDescriptors counts the descriptors of this process by what they are open
// on. The runtime's own epoll instance and eventfd come when it first needs
// them and stay.
func openDescriptors() map[string]int {
	const dir = "/proc/self/fd"
	open := map[string]int{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return open
	}
	for _, e := range entries {
		link, err := os.Readlink(filepath.Join(dir, e.Name()))
		if err == nil && link != "anon_inode:[eventpoll]" && link != "anon_inode:[eventfd]" {
			open[link]++
		}
	}
	return open
}

// added lists what is open more often than before.
func added(before, now map[string]int) []string {
	var more []string
	for link, n := range now {
		if n > before[link] {
			more = append(more, link)
		}
	}
	return more
}
