package integration

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"testing"
	"time"

	"github.com/scalws/scalbench/bench/integration/servers"
	"github.com/scalws/scalbench/loadgen"
)

// loadPatience bounds a load of a few requests. A load that does not end is
// killed, and the test fails.
const loadPatience = 30 * time.Second

// protocolArguments say over what to ask. https without --http2 is HTTP/1.1.
// ca is a file, "" leaves it to the system's authorities.
func protocolArguments(p servers.Protocol, ca string, streams int) (arguments []string) {
	if p.Major() == 2 {
		arguments = append(arguments, "--http2", "-p", fmt.Sprint(streams))
	}
	if p.TLS() && ca != "" {
		arguments = append(arguments, "--cacert", ca)
	}
	return arguments
}

// tryLoad runs the program on an URL, and returns how it ended and what it said.
func tryLoad(t *testing.T, url string, arguments ...string) (code int, stdout []byte, stderr string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), loadPatience)
	defer cancel()
	arguments = append([]string{"load", url, "--server-pid", "none", "--output-format", "json", "--quiet"}, arguments...)
	command := exec.CommandContext(ctx, program(t), arguments...)
	var out, complaints bytes.Buffer
	command.Stdout, command.Stderr = &out, &complaints
	err := command.Run()
	if ctx.Err() != nil {
		t.Fatalf("%v has not ended after %v\n%s", command, loadPatience, &complaints)
	}
	return exitCode(t, err), out.Bytes(), complaints.String()
}

// load is one that succeeds.
func load(t *testing.T, url string, arguments ...string) *loadgen.Result {
	t.Helper()
	code, stdout, stderr := tryLoad(t, url, arguments...)
	if code != 0 && code != exitInvalid {
		t.Fatalf("load %s %q: exit code %d\n%s\n%s", url, arguments, code, stderr, stdout)
	}
	return readResult(t, stdout)
}
