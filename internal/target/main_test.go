package target

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

// serveEnv makes the test binary a target that ends with its stdin, for tests
// that look at the server from outside its process.
const serveEnv = "SCALBENCH_TEST_SERVE_TARGET"

func TestMain(m *testing.M) {
	if os.Getenv(serveEnv) != "" {
		if err := Run(context.Background(), Config{}, os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	fdsBefore := openFDs()
	code := m.Run()
	if code == 0 {
		http.DefaultClient.CloseIdleConnections()
		if leak := waitForLeak(fdsBefore); leak != "" {
			fmt.Fprintln(os.Stderr, leak)
			code = 1
		}
	}
	os.Exit(code)
}

// waitForLeak polls until nothing is left of the tests, "" then, and tells
// what is left after five seconds.
func waitForLeak(fdsBefore int) string {
	deadline := time.Now().Add(5 * time.Second)
	for {
		goroutines := leftGoroutines()
		fds := openFDs()
		// The runtime keeps its epoll and eventfd descriptors.
		if len(goroutines) == 0 && fds <= fdsBefore+2 {
			return ""
		}
		if time.Now().After(deadline) {
			return fmt.Sprintf("leak: %d descriptors, before the tests %d; goroutines:\n%s",
				fds, fdsBefore, strings.Join(goroutines, "\n\n"))
		}
		runtime.Gosched()
	}
}

func openFDs() int {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(entries)
}

// leftGoroutines returns the stacks of all goroutines but this one and the two
// that fasthttp keeps by design: its clock, and the cleaner of a worker pool,
// which notices the end up to 10 s late.
func leftGoroutines() (stacks []string) {
	buf := make([]byte, 1<<20)
	all := strings.Split(string(buf[:runtime.Stack(buf, true)]), "\n\n")
	for _, stack := range all[1:] {
		if strings.Contains(stack, "fasthttp.updateServerDate") || strings.Contains(stack, "fasthttp.(*workerPool).Start") {
			continue
		}
		stacks = append(stacks, stack)
	}
	return stacks
}
