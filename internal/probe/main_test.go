package probe

import (
	"os"
	"testing"

	"github.com/scalws/scalbench/internal/leaktest"
)

func TestMain(m *testing.M) { os.Exit(leaktest.Main(m)) }
