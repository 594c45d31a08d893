package target

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"testing"

	"github.com/scalws/scalbench/internal/leaktest"
)

// serveEnv makes the test binary a target that ends with its stdin, for tests
// that look at the server from outside its process. It takes one argument, the
// upstream.
const serveEnv = "SCALBENCH_TEST_SERVE_TARGET"

func TestMain(m *testing.M) {
	if os.Getenv(serveEnv) != "" {
		var cfg Config
		if len(os.Args) == 2 {
			cfg.Upstream = os.Args[1]
		}
		if err := Run(context.Background(), cfg, os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(leaktest.Main(closingClient{m}, "fasthttp.updateServerDate", "fasthttp.(*workerPool).Start", "fasthttp.(*HostClient).connsCleaner"))
}

// closingClient closes the test client's idle connections after the tests.
// (fasthttp keeps goroutines by design: its clock, and the cleaners of a worker
// pool and of a client's idle connections, which notice the end up to 10 s late.)
type closingClient struct{ *testing.M }

func (c closingClient) Run() int {
	defer http.DefaultClient.CloseIdleConnections()
	return c.M.Run()
}
