package h3

import (
	"os"
	"testing"

	"github.com/scalws/scalbench/internal/leaktest"
)

// The coordinator of a fuzz run listens for signals.
func TestMain(m *testing.M) { os.Exit(leaktest.Main(m, "os/signal.loop")) }
