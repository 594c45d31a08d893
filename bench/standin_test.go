package bench_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scalws/scalbench/driver"
	"github.com/scalws/scalbench/internal/target"
)

// What the driver has the embedded target play is what it answers, and nothing else is.
func TestStandInPlaysWhatTheTargetAnswers(t *testing.T) {
	url := runTarget(t, target.Config{Upstream: runTarget(t, target.Config{})})
	paths := []string{"/respond", "/respond-1k", "/static-small", "/static-1m", "/delay/1ms", "/delay-steps?p50=1ms", "/stall?every=1s&for=0s",
		"/proxy", "/proxy/delay/1ms", "/cache-hit", "/ok", "/index.php", "/respond/x"}
	var suite strings.Builder
	suite.WriteString("suite: paths\nvariants: [{name: a, command: [x], ports: {http: 0}}]\nscenarios:\n")
	for i, path := range paths {
		fmt.Fprintf(&suite, "  - {name: s%d, url: %q}\n", i, path)
	}
	file := filepath.Join(t.TempDir(), "paths.yaml")
	if err := os.WriteFile(file, []byte(suite.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	previews, err := driver.Foresee(driver.Order{Suites: []string{file}, StandIn: true, Preset: "smoke"}, driver.Surroundings{})
	if err != nil {
		t.Fatal(err)
	}
	gaps := strings.Join(previews[0].Gaps, "\n") + "\n"
	for _, path := range paths {
		resp, err := http.Get(url + path)
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		played := !strings.Contains(gaps, " for "+path+"\n")
		if answered := resp.StatusCode == http.StatusOK; err != nil || played != answered {
			t.Errorf("%s: status %d, %v, and played: %t", path, resp.StatusCode, err, played)
		}
	}
}
