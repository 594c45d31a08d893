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
	os.Exit(leaktest.Main(closingClient{m}, "fasthttp.updateServerDate", "fasthttp.(*workerPool).Start"))
}

// closingClient closes the test client's idle connections after the tests.
// (fasthttp keeps two goroutines by design: its clock, and the cleaner of a
// worker pool, which notices the end up to 10 s late.)
type closingClient struct{ *testing.M }

func (c closingClient) Run() int {
	defer http.DefaultClient.CloseIdleConnections()
	return c.M.Run()
}
