package driver

import (
	"os"
	"testing"

	"github.com/scalws/scalbench/internal/leaktest"
)

// roleVariable makes the test binary be a driver that is going to be killed, with its
// results and its lock in the arguments.
const roleVariable = "SCALBENCH_DRIVER_TEST_ROLE"

func TestMain(m *testing.M) {
	if os.Getenv(roleVariable) != "" {
		os.Exit(killedRole(os.Args[1], os.Args[2], os.Args[3], os.Args[4]))
	}
	os.Exit(leaktest.Main(m))
}
